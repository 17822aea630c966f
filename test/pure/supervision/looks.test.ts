import { describe, expect, it } from "vitest";
import { breakerTrips, extendChain, nextLookDelayMs, NO_LOOKS, recordLook } from "../../../src/supervision/liveness.ts";
import { config, looksOf, MIN, NOW, S, verdictOf } from "./cases.ts";

describe("the chain of looks", () => {
  const gap = 3 * MIN;

  it("goes on as long as the same heartbeat is seen within one and a half cron intervals", () => {
    const looks = extendChain(
      { ...NO_LOOKS, seenSeq: 7, seenSince: NOW - MIN, lastLookAt: NOW - gap },
      { seq: 7, now: NOW },
      config,
    );
    expect(looks).toMatchObject({ seenSeq: 7, seenSince: NOW - MIN, lastLookAt: NOW });
  });

  it.each([
    ["another heartbeat", { seq: 8, now: NOW }],
    ["a look that comes too late", { seq: 7, now: NOW + 1 }],
    ["a clock that went back", { seq: 7, now: NOW - gap - 1 }],
  ])("starts again at %s", (_, look) => {
    const looks = extendChain(
      { ...NO_LOOKS, seenSeq: 7, seenSince: NOW - 9 * MIN, lastLookAt: NOW - gap },
      look,
      config,
    );
    expect(looks).toMatchObject({ seenSeq: look.seq, seenSince: look.now, lastLookAt: look.now });
  });

  it("is the same when one look is recorded twice", () => {
    const once = extendChain(looksOf(7, MIN), { seq: 7, now: NOW }, config);
    expect(extendChain(once, { seq: 7, now: NOW }, config)).toEqual(once);
  });

  it("ends where the instance was found queued or held, and this is known until the next heartbeat", () => {
    for (const [kind, field] of [
      ["queued", "queuedAt"],
      ["held", "heldAt"],
    ] as const) {
      const found = recordLook(looksOf(7, MIN), { seq: 7, now: NOW, verdict: { kind } }, config);
      expect(found).toMatchObject({ seenSince: null, [field]: NOW });
      const next = extendChain(found, { seq: 7, now: NOW + S }, config);
      expect(next).toMatchObject({ seenSince: NOW + S, [field]: NOW });
      expect(extendChain(next, { seq: 8, now: NOW + 2 * S }, config)).toMatchObject({ queuedAt: null, heldAt: null });
    }
  });
});

describe("the breaker", () => {
  it("trips above the larger of five and half of the running audits", () => {
    expect(breakerTrips(5, 0, config)).toBe(false);
    expect(breakerTrips(6, 0, config)).toBe(true);
    expect(breakerTrips(6, 11, config)).toBe(true);
    expect(breakerTrips(6, 12, config)).toBe(false);
    expect(breakerTrips(51, 100, config)).toBe(true);
    expect(breakerTrips(50, 100, config)).toBe(false);
  });
});

describe("when to look again", () => {
  it.each(["paused", "queued", "unknown"] as const)(
    "backs off from 2 to 30 min from an instance that is %s",
    (said) => {
      const delays = [];
      for (let delay = 0, i = 0; i < 6; i += 1) {
        delay = nextLookDelayMs(verdictOf(said, MIN), delay, config);
        delays.push(delay / MIN);
      }
      expect(delays).toEqual([2, 4, 8, 16, 30, 30]);
    },
  );

  it("looks at a suspect in the next sweep", () => {
    expect(nextLookDelayMs(verdictOf("running", MIN), null, config)).toBe(0);
    expect(nextLookDelayMs(verdictOf("not_found", MIN), 16 * MIN, config)).toBe(0);
  });

  it("does not sleep past the limit of what cannot be asked, and then looks often enough for a chain", () => {
    expect(nextLookDelayMs(verdictOf("unreachable", 50 * MIN), 30 * MIN, config)).toBe(10 * MIN);
    expect(nextLookDelayMs(verdictOf("unreachable", 60 * MIN), 30 * MIN, config)).toBe(0);
  });
});
