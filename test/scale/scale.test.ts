/** `npm run scale`: 9,000 zombies behind 10,000 healthy audits. */
import { expect, test } from "vitest";
import { failAllZombies, tableOf } from "./zombies-behind-healthy.ts";

test("the supervisor fails 9,000 zombies behind 10,000 healthy audits, the longest silent first", async () => {
  const result = await failAllZombies({ zombies: 9_000, healthy: 10_000 });
  const { runs, order, askedAboutHealthy, changedHealthy, endedOnce } = result;
  console.log(`\n${tableOf(result)}\n\nasked about healthy audits: ${askedAboutHealthy}\n`);
  expect(order).toHaveLength(9_000);
  expect(order.findIndex((place, index) => place !== index)).toBe(-1);
  expect({ askedAboutHealthy, changedHealthy, endedOnce }).toEqual({
    askedAboutHealthy: 0,
    changedHealthy: 0,
    endedOnce: true,
  });
  // Two looks at each, 4,000 status calls a run.
  expect(runs.length).toBeLessThanOrEqual(5);
});
