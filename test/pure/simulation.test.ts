import { describe, expect, it } from "vitest";
import { summarize } from "../simulation/report.ts";
import { simulate } from "../simulation/simulate.ts";

const FEW = { audits: 10, light: false };

describe("in thirty simulated worlds full of faults", () => {
  it("is no guarantee broken, no healthy audit failed and no dead one overlooked", { timeout: 120_000 }, async () => {
    let found = 0;
    for (let seed = 0; seed < 30; seed += 1) {
      const { violations, ours } = summarize(await simulate(seed));
      expect(violations).toEqual([]);
      expect(ours.falseKills).toBe(0);
      expect(ours.undetected).toBe(0);
      found += ours.detections.length;
    }
    expect(found).toBeGreaterThan(50);
  });
});

describe("the simulation itself", () => {
  it("plays a seed out the same way every time", async () => {
    expect(summarize(await simulate(7, FEW))).toEqual(summarize(await simulate(7, FEW)));
  });

  it("sees healthy audits die when the limits are too short for a stall", { timeout: 60_000 }, async () => {
    const tooShort = {
      STALE_RUNNING_AFTER_MS: "20000",
      SUSPECT_CONFIRM_MS: "1000",
      INSTANCE_LOST_CONFIRM_MS: "0",
      UNSAFE_LIMITS: "1",
    };
    let falseKills = 0;
    for (let seed = 0; seed < 20 && falseKills === 0; seed += 1)
      falseKills += (await simulate(seed, FEW, tooShort)).falseKills;
    expect(falseKills).toBeGreaterThan(0);
  });
});
