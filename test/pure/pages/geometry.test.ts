/** What the pictures on the pages are drawn from. */
import { describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { paceWords, pagesPerSecond } from "../../../src/http/pages/audit/pace.ts";
import { pulseShape } from "../../../src/http/pages/audit/pulse.tsx";
import { depthRows } from "../../../src/http/pages/audit/site-shape.tsx";
import { boundMs } from "../../../src/http/pages/supervisor/bounds.ts";
import { SLOTS, slotsOf } from "../../../src/http/pages/supervisor/run-strip.tsx";

const MINUTE = 60_000;

describe("the pulse", () => {
  const phases = [{ phase: "crawling" as const, beganAt: 0, endedAt: null }];
  const minutes = (...at: number[]): number[] => at.map((minute) => minute * MINUTE);

  test("of a living run has no gap, up to now", () => {
    const shape = pulseShape({
      beganAt: 0,
      until: 4 * MINUTE,
      phases,
      beats: minutes(0, 1, 2, 3),
      verdict: null,
      alive: true,
    });
    expect(shape.gaps).toEqual([]);
    expect(shape.line).toMatch(/H1000$/);
    expect(shape.verdictX).toBeNull();
  });

  test("of a dead one ends in silence, with the verdict at its end", () => {
    const verdict = { at: 10 * MINUTE, code: "heartbeat_lost" };
    const shape = pulseShape({
      beganAt: 0,
      until: 10 * MINUTE,
      phases,
      beats: minutes(0, 1, 2, 3, 4),
      verdict,
      alive: false,
    });
    expect(shape.gaps).toEqual([{ x: 400, width: 600, ms: 6 * MINUTE }]);
    expect(shape.verdictX).toBe(1_000);
    expect(shape.line).not.toMatch(/H1000$/);
  });

  test("shows a silence in the middle, which one missing minute is not", () => {
    const shape = pulseShape({
      beganAt: 0,
      until: 10 * MINUTE,
      phases,
      beats: minutes(0, 1, 3, 8, 9),
      verdict: null,
      alive: true,
    });
    expect(shape.gaps).toEqual([{ x: 300, width: 500, ms: 5 * MINUTE }]);
  });

  test("stays within the strip, whatever the clocks said", () => {
    const shape = pulseShape({
      beganAt: 5 * MINUTE,
      until: 5 * MINUTE,
      phases,
      beats: minutes(1, 9),
      verdict: { at: 99 * MINUTE, code: "oom" },
      alive: false,
    });
    for (const { x, width } of [...shape.grounds, ...shape.gaps]) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(1_001);
    }
    expect(shape.verdictX).toBe(1_000);
  });
});

describe("pages a second", () => {
  const beat = (at: number, pagesCrawled: number) => ({ at, seq: 1, pagesCrawled });

  test("are those of about the last minute", () => {
    const beats = [beat(0, 0), beat(MINUTE, 6_000), beat(2 * MINUTE, 6_060)];
    expect(pagesPerSecond(beats, { at: 2 * MINUTE + 1_000, pagesCrawled: 6_061 })).toBeCloseTo(1, 1);
  });

  test("are not told of what has only begun, and never negative", () => {
    expect(pagesPerSecond([], { at: MINUTE, pagesCrawled: 5 })).toBeNull();
    expect(pagesPerSecond([beat(0, 0)], { at: 2_999, pagesCrawled: 50 })).toBeNull();
    expect(pagesPerSecond([beat(0, 100)], { at: 10_000, pagesCrawled: 50 })).toBe(0);
  });

  test("are as exact as they are worth", () => {
    expect([38.4, 10, 9.96, 1.44, 0.26].map(paceWords)).toEqual(["38", "10", "10.0", "1.4", "0.3"]);
  });
});

describe("the supervisor's strip", () => {
  const run = (minute: number, over: Partial<Parameters<typeof slotsOf>[0][number]> = {}) => ({
    slotAt: minute * MINUTE, startedAt: minute * MINUTE, endedAt: minute * MINUTE + 500, outcome: "done", startedBy: "cron", failed: 0, checked: 0, ...over,
  }); // prettier-ignore
  const last = (slots: ReturnType<typeof slotsOf>, count: number): string[] =>
    slots.slice(-count).map(({ state }) => state);
  const now = 21 * MINUTE;

  test("has one mark a slot, and a gap for each that is missing", () => {
    const slots = slotsOf([run(10), run(12), run(16, { outcome: "held" }), run(18)], now, 2 * MINUTE, 10 * MINUTE);
    expect(slots).toHaveLength(SLOTS);
    expect(last(slots, 7)).toEqual(["before", "done", "done", "missing", "held", "done", "before"]);
  });

  test("tells a run that is under way from one that never recorded its end", () => {
    const open = { endedAt: null, outcome: null };
    const slots = slotsOf([run(16, open), run(18), run(20, open)], now, 2 * MINUTE, 10 * MINUTE);
    expect(last(slots, 3)).toEqual(["failed", "done", "open"]);
  });

  test("counts a sweep by hand, or by the cron itself, for the slot in which it ran", () => {
    const slots = slotsOf(
      [run(18, { endedAt: null, outcome: null }), run(18.5, { failed: 3 })],
      now,
      2 * MINUTE,
      10 * MINUTE,
    );
    expect(slots.at(-2)).toMatchObject({ state: "done", ended: 3 });
  });
});

test("bounds are the published ones, from the last heartbeat", () => {
  const config = readConfig({});
  const sweep = config.SWEEP_BUDGET_MS;
  expect(boundMs("oom", config)).toBe(30_000 + 2 * MINUTE + sweep);
  expect(boundMs("instance_lost", config)).toBe(30_000 + 2 * MINUTE + 20_000 + sweep);
  expect(boundMs("heartbeat_lost", config)).toBe(30_000 + 5 * MINUTE + 2 * MINUTE + sweep);
});

test("very deep pages share one bar", () => {
  const rows = depthRows({ "10": 2, "0": 1, "9": 1, "2": 30 });
  expect(rows.map(({ label, value }) => [label, value])).toEqual([["Start page", 1], ["2 clicks", 30], ["More than 8 clicks", 3]]); // prettier-ignore
});
