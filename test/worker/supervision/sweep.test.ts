/** The supervisor's sweep: whom it reads, in which order, how far its budget goes, and what it leaves behind. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import {
  beat,
  decisionsOf,
  dump,
  endEverything,
  instanceIdOf,
  MINUTE,
  newAudit,
  newCaller,
  pass,
  rowOf,
  SECOND,
  select,
  serviceOf,
  silentFor,
  StandIn,
  sweep,
} from "./support.ts";

let platform: StandIn;
beforeEach(async () => {
  platform = new StandIn();
  await endEverything();
});

/** A quick second look: no test waits for 20 s. */
const QUICK = { INSTANCE_LOST_CONFIRM_MS: "50" };
const statusOf = async (ids: readonly string[]): Promise<string[]> =>
  Promise.all(ids.map(async (id) => (await rowOf(id)).status));
const auditsAsked = (): string[] => platform.asked.map((id) => id.slice("audit-".length, -2));

describe("a sweep", () => {
  test("asks about overdue audits only, the longest silent first, and fails the dead", async () => {
    const healthy = await newAudit();
    await beat(healthy);
    const silent = [await silentFor(3 * SECOND), await silentFor(9 * SECOND), await silentFor(6 * SECOND)];
    platform.says({ status: "terminated" });
    const report = await sweep(platform);
    const bySilence = [silent[1], silent[2], silent[0]];
    // (The instances of the dead are asked once more when they are ended.)
    expect(auditsAsked().slice(0, 3)).toEqual(bySilence);
    expect(report).toMatchObject({ outcome: "done", checked: 3, failedCount: 3, statusCalls: 3, lost: 0 });
    expect(report.failed).toEqual(bySilence.map((audit) => ({ audit, code: "workflow_terminated" })));
    expect(await statusOf([healthy])).toEqual(["running"]);
  });

  test("looks again after the quick limit at those that were not found, in the same run", async () => {
    const id = await silentFor(SECOND);
    const report = await sweep(platform.says("not_found"), { vars: QUICK });
    expect(report).toMatchObject({ checked: 1, statusCalls: 2, failed: [{ audit: id, code: "instance_lost" }] });
    expect(report.suspect).toBeUndefined();
    expect((await decisionsOf(id)).map(({ verdict }) => verdict)).toEqual(["suspect", "dead"]);
  });

  test("does not look again at a run that has beaten meanwhile", async () => {
    const id = await silentFor(SECOND);
    const sweeping = sweep(platform.says("not_found"), { vars: { INSTANCE_LOST_CONFIRM_MS: "1500" } });
    await expect.poll(async () => (await rowOf(id)).lastLookAt).not.toBeNull();
    await beat(id);
    expect(await sweeping).toMatchObject({ failed: [], alive: 1 });
    expect(await statusOf([id])).toEqual(["running"]);
  });

  test("reads page after page until nothing is left", async () => {
    const ids = await Promise.all(Array.from({ length: 7 }, (_, n) => silentFor((n + 1) * SECOND)));
    platform.says({ status: "terminated" });
    const report = await sweep(platform, { vars: { WATCHDOG_BATCH_LIMIT: "3" } });
    expect(report).toMatchObject({ outcome: "done", checked: 7, failedCount: 7 });
    expect(auditsAsked().slice(0, 7)).toEqual(ids.toReversed());
  });

  test("goes on where its budget of calls ended, and nobody starves", async () => {
    const ids = await Promise.all(Array.from({ length: 7 }, (_, n) => silentFor((10 - n) * SECOND)));
    platform.says({ status: "running" });
    const vars = { WATCHDOG_BATCH_LIMIT: "2", SWEEP_STATUS_CALLS: "4" };
    const first = await sweep(platform, { vars });
    expect(first).toMatchObject({ outcome: "out_of_budget", checked: 4, suspect: 4 });
    expect(auditsAsked().toSorted()).toEqual(ids.slice(0, 4).toSorted());
    platform.asked = [];
    // The rest, and then from the front again, up to where this one began.
    await sweep(platform, { vars });
    expect(auditsAsked().slice(0, 3).toSorted()).toEqual(ids.slice(4).toSorted());
    for (let run = 0; run < 3; run += 1) await sweep(platform, { vars });
    for (const id of ids) expect(auditsAsked()).toContain(id);
  });

  test("comes back first to those that lacked only the chain, so that their chain is never broken", async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => silentFor(10 * MINUTE - n * SECOND)));
    platform.says({ status: "running" });
    const vars = { WATCHDOG_BATCH_LIMIT: "2", SWEEP_STATUS_CALLS: "4", BREAKER_MIN: "100" };
    const runs: string[][] = [];
    while ((await statusOf(ids)).includes("running") && runs.length < 10) {
      const { failed } = await sweep(platform, { vars });
      runs.push(failed.map(({ audit }) => audit));
      for (const id of ids) await pass(id, 2 * MINUTE);
      await env.DB.prepare("update supervisor_state set cursor_due_at = cursor_due_at - ?")
        .bind(2 * MINUTE)
        .run();
    }
    expect(runs).toEqual([[], ids.slice(0, 4), [], ids.slice(4)]);
  });

  test("leaves what cannot be decided alone for longer and longer, and never the newly silent", async () => {
    const id = await silentFor(MINUTE);
    platform.says({ status: "paused" });
    const pauses: number[] = [];
    for (let look = 0; look < 6; look += 1) {
      await sweep(platform);
      const { nextLookAt, lastLookAt, lookDelayMs } = await rowOf(id);
      expect(nextLookAt - lastLookAt!).toBe(lookDelayMs);
      pauses.push(lookDelayMs / MINUTE);
      await pass(id, lookDelayMs - 5 * SECOND);
      expect((await sweep(platform)).checked).toBe(0);
      await pass(id, 6 * SECOND);
    }
    expect(pauses).toEqual([2, 4, 8, 16, 30, 30]);
    // It goes on, beats, and dies: the pause was for the silence before.
    await sweep(platform);
    await beat(id);
    await pass(id, 31 * SECOND);
    platform.says({ status: "errored" });
    expect(await sweep(platform)).toMatchObject({ checked: 1, failedCount: 1 });
  });

  test("is not stopped by rows that are broken in whatever way", async () => {
    const broken = await Promise.all(Array.from({ length: 6 }, () => silentFor(9 * SECOND)));
    const sound = await silentFor(SECOND);
    const spoil = [
      "last_verdict = '{'",
      "last_evidence = 'x', last_verdict = '7'",
      "options = 'not json'",
      "last_look_at = 'yesterday', seen_seq = 'seven'",
      "phase = 'resting', url = char(0)",
      "heartbeat_at = 'never', attempt_started_at = 'never'",
    ];
    for (const [n, change] of spoil.entries())
      await env.DB.prepare(`update audits set ${change} where id = ?`).bind(broken[n]).run();
    platform.says({ status: "terminated" });
    expect(await sweep(platform, { vars: { BREAKER_MIN: "100" } })).toMatchObject({ outcome: "done", checked: 7 });
    expect(await statusOf([sound, ...broken])).toEqual(Array.from({ length: 7 }, () => "failed"));
  });

  test("keeps its look at a row whose stored verdict is broken, so that its chain can grow", async () => {
    const id = await silentFor(9 * MINUTE);
    await env.DB.prepare("update audits set last_verdict = '{' where id = ?").bind(id).run();
    platform.says({ status: "running" });
    await sweep(platform);
    expect((await rowOf(id)).lastLookAt).not.toBeNull();
    await pass(id, 2 * MINUTE);
    expect(await sweep(platform)).toMatchObject({ failed: [{ audit: id, code: "heartbeat_lost" }] });
  });

  test("is not stopped by a platform that throws for one of many", async () => {
    const [bad, good] = [await silentFor(9 * SECOND), await silentFor(SECOND)];
    platform.says({ status: "terminated" }).says({ throws: "boom" }, instanceIdOf(bad, 1));
    expect(await sweep(platform)).toMatchObject({ checked: 2, unknown: 1, failed: [{ audit: good }] });
  });

  test("is not held up by status calls that hang: what its budget leaves, the next one takes", async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => silentFor((40 - n) * SECOND)));
    const vars = { STATUS_TIMEOUT_MS: "300", SWEEP_BUDGET_MS: "400" };
    const started = Date.now();
    const { outcome, checked, unknown } = await sweep(platform.says("hangs"), { vars });
    expect({ outcome, unknown }).toEqual({ outcome: "out_of_budget", unknown: checked });
    expect(checked).toBeLessThan(ids.length);
    expect(Date.now() - started).toBeLessThan(10 * SECOND);
    platform.asked = [];
    await sweep(platform, { vars });
    expect(ids.slice(checked)).toContain(auditsAsked()[0]);
    expect(ids.slice(0, checked)).not.toContain(auditsAsked()[0]);
  });
});

describe("a dry run", () => {
  test("says what would happen, and neither records nor ends anything", async () => {
    const dead = await silentFor(SECOND);
    await silentFor(SECOND);
    platform.says({ status: "running" }).says({ status: "errored" }, instanceIdOf(dead, 1));
    await sweep(platform.says("not_found", instanceIdOf(await silentFor(SECOND), 1)), { vars: QUICK });
    const again = await silentFor(SECOND);
    platform.says({ status: "errored" }, instanceIdOf(again, 1));
    const before = await dump();
    const report = await sweep(platform, { dryRun: true, vars: QUICK });
    expect(report).toMatchObject({
      failed: [{ audit: again, code: "unknown" }],
      suspect: 1,
      delivered: 0,
      terminated: 0,
    });
    expect(await dump()).toBe(before);
    expect(platform.terminated).toEqual([]);
  });
});

describe("what endings leave behind", () => {
  test("an instance that would not end is tried again, later and later, until it is gone", async () => {
    const id = await silentFor(SECOND);
    platform.says({ status: "running" });
    platform.says({ throws: "internal error" }, instanceIdOf(id, 1));
    await serviceOf(platform).cancel(id);
    const attempt = async () =>
      (
        await select<{ terminate_pending: number; terminate_next_at: number; terminate_tries: number }>(
          "select * from audit_attempts where audit_id = ?",
          id,
        )
      )[0]!;
    expect((await attempt()).terminate_pending).toBe(1);
    expect(await sweep(platform)).toMatchObject({ terminating: 1, terminated: 0 });
    const { terminate_next_at, terminate_tries } = await attempt();
    expect(terminate_tries).toBe(1);
    expect(terminate_next_at).toBeGreaterThan(Date.now() + 25 * SECOND);
    expect(await sweep(platform)).toMatchObject({ terminating: 0, terminated: 0 });
    await env.DB.prepare("update audit_attempts set terminate_next_at = 0 where audit_id = ?").bind(id).run();
    platform.says({ status: "running" }, instanceIdOf(id, 1));
    expect(await sweep(platform)).toMatchObject({ terminated: 1 });
    expect(platform.terminated).toEqual([instanceIdOf(id, 1)]);
    expect((await attempt()).terminate_pending).toBe(0);
  });

  test("the instance of a run that was failed is ended in the same sweep", async () => {
    const caller = newCaller();
    const id = await silentFor(10 * MINUTE, caller);
    platform.says({ status: "running" });
    await sweep(platform);
    await pass(id, 2 * MINUTE);
    expect(await sweep(platform)).toMatchObject({ failed: [{ audit: id, code: "heartbeat_lost" }], terminated: 1 });
    expect(platform.terminated).toEqual([instanceIdOf(id, 1)]);
  });
});
