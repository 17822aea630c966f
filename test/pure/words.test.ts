import * as fc from "fast-check";
import { expect, it } from "vitest";
import { formatDuration } from "../../src/words.ts";

const S = 1_000;
const MIN = 60 * S;
const HOUR = 60 * MIN;

it.each([
  [-5, "0 s"],
  [0, "0 s"],
  [0.4, "1 ms"],
  [412, "412 ms"],
  [999, "999 ms"],
  [S, "1 s"],
  [48 * S + 999, "48 s"],
  [MIN, "60 s"],
  [62 * S, "62 s"],
  [119 * S, "119 s"],
  [2 * MIN, "2 min"],
  [5 * MIN - 1, "4 min 59 s"],
  [6 * MIN + 12 * S, "6 min 12 s"],
  [HOUR, "1 h"],
  [3 * HOUR + 5 * MIN + 59 * S, "3 h 5 min"],
  [24 * HOUR, "1 d"],
  [52 * HOUR, "2 d 4 h"],
  [Number.NaN, "an unknown time"],
])("says of %d ms: %s", (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});

it("always says a number and a unit", () => {
  fc.assert(
    fc.property(fc.integer(), (ms) => {
      expect(formatDuration(ms)).toMatch(/^\d+ (ms|s|min|h|d)( \d+ (s|min|h))?$/);
    }),
  );
});
