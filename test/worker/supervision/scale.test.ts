/** Many zombies behind many healthy audits, in small; `npm run scale` does it with 9,000 behind 10,000. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { failAllZombies } from "../../scale/zombies-behind-healthy.ts";

test("300 zombies behind 1,000 healthy audits are failed within the runs that the budget allows, by their silence", async () => {
  const vars = { SWEEP_STATUS_CALLS: "100", WATCHDOG_BATCH_LIMIT: "20" };
  const result = await failAllZombies({ zombies: 300, healthy: 1_000 }, vars);
  const { runs, order, askedAboutHealthy, changedHealthy, endedOnce } = result;
  expect(order).toHaveLength(300);
  expect(order.findIndex((place, index) => place !== index)).toBe(-1);
  expect({ askedAboutHealthy, changedHealthy, endedOnce }).toEqual({
    askedAboutHealthy: 0,
    changedHealthy: 0,
    endedOnce: true,
  });
  // Two looks at each, 100 status calls a run.
  expect(runs.map(({ failed }) => failed)).toEqual([0, 100, 0, 100, 0, 100]);
  for (const run of runs) expect(run.statusCalls).toBeLessThanOrEqual(100);
});

test("a sweep reads no row of a healthy audit, but to count those that run", async () => {
  const plan = await env.DB.prepare(
    `explain query plan select * from audits where status = 'running' and heartbeat_due_at < 5
       and (heartbeat_due_at, id) > (1, 'a') and (next_look_at <= 5 or seen_seq is not heartbeat_seq)
     order by heartbeat_due_at, id limit 100`,
  ).all<{ detail: string }>();
  expect(plan.results.map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^SEARCH audits USING INDEX audits_overdue/),
  ]);
});
