/** Too many lost at once: the breaker, the polls that obey it, and the lease that keeps sweeps apart. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { holdsLease } from "../../../src/supervision/sweep.ts";
import {
  decisionsOf,
  endEverything,
  instanceIdOf,
  MINUTE,
  newAudit,
  pass,
  reconcile,
  rowOf,
  SECOND,
  select,
  serviceOf,
  silentFor,
  StandIn,
  sweep,
  watchWith,
} from "./support.ts";

let platform: StandIn;
beforeEach(async () => {
  platform = new StandIn();
  await endEverything();
});

const QUICK = { INSTANCE_LOST_CONFIRM_MS: "30" };
const zombies = (count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => silentFor(2 * MINUTE)));
const stateOf = async () => (await select<{ held_sweeps: number }>("select * from supervisor_state"))[0];
const statuses = async (ids: readonly string[]): Promise<string[]> => [
  ...new Set(await Promise.all(ids.map(async (id) => (await rowOf(id)).status))),
];

describe("the breaker", () => {
  test("lets five lost audits be failed", async () => {
    const ids = await zombies(5);
    expect(await sweep(platform, { vars: QUICK })).toMatchObject({ outcome: "done", failedCount: 5 });
    expect(await statuses(ids)).toEqual(["failed"]);
  });

  test("holds six, fails what is dead beyond doubt, and believes the third sweep in a row", async () => {
    const ids = await zombies(6);
    const errored = await silentFor(MINUTE);
    platform.says({ status: "errored" }, instanceIdOf(errored, 1));
    const first = await sweep(platform, { vars: QUICK });
    expect(first).toMatchObject({ outcome: "held", heldBack: 6, failed: [{ audit: errored }] });
    expect(first.breaker).toMatchObject({ lost: 6, tripped: true, holds: true, heldSweeps: 1 });
    expect(await sweep(platform, { vars: QUICK })).toMatchObject({ outcome: "held", failedCount: 0 });
    expect(await statuses(ids)).toEqual(["running"]);
    expect(await sweep(platform, { vars: QUICK })).toMatchObject({ outcome: "done", failedCount: 6 });
    expect(await statuses(ids)).toEqual(["failed"]);
    expect((await decisionsOf(ids[0]!)).map(({ verdict, acted }) => `${verdict} ${acted}`)).toEqual([
      "suspect none",
      "dead none",
      "dead won",
    ]);
  });

  test("counts half of the running audits as too many only beyond five", async () => {
    await Promise.all(Array.from({ length: 9 }, () => newAudit()));
    const ids = await zombies(9);
    expect(await sweep(platform, { vars: QUICK })).toMatchObject({ outcome: "done", failedCount: 9 });
    expect(await statuses(ids)).toEqual(["failed"]);
  });

  test("forgets its hold once a sweep is within the limit again", async () => {
    const ids = await zombies(6);
    await sweep(platform, { vars: QUICK });
    // The platform was at fault: all of them are found again.
    platform.says({ status: "running" });
    await sweep(platform, { vars: QUICK });
    expect((await stateOf())!.held_sweeps).toBe(0);
    platform.says("not_found");
    await sweep(platform, { vars: QUICK });
    await sweep(platform, { vars: QUICK });
    expect(await statuses(ids)).toEqual(["running"]);
  });

  test("counts one sweep a slot: neither a second one in the same slot nor haste by hand releases it", async () => {
    const ids = await zombies(6);
    const slotAt = Date.now() + 24 * 60 * MINUTE;
    for (let n = 0; n < 4; n += 1) {
      const report = await sweep(platform, { vars: QUICK, slotAt: slotAt + n * 10 * SECOND, startedBy: "manual" });
      expect(report.breaker).toMatchObject({ holds: true, heldSweeps: 1 });
    }
    expect(await statuses(ids)).toEqual(["running"]);
  });

  test("is overridden by force, and then holds nobody", async () => {
    const ids = await zombies(6);
    await sweep(platform, { vars: QUICK });
    expect(await sweep(platform, { vars: QUICK, force: true })).toMatchObject({ outcome: "done", failedCount: 6 });
    expect(await statuses(ids)).toEqual(["failed"]);
    expect((await stateOf())!.held_sweeps).toBe(0);
  });

  test("tells a dry run, which changes nothing of it", async () => {
    await zombies(6);
    await sweep(platform, { vars: QUICK });
    const before = await stateOf();
    const report = await sweep(platform, { vars: { INSTANCE_LOST_CONFIRM_MS: "0" }, dryRun: true });
    expect(report).toMatchObject({ outcome: "held", heldBack: 6 });
    expect(await stateOf()).toEqual(before);
  });
});

describe("polls under the breaker", () => {
  const poll = async (id: string) => {
    await serviceOf(platform, { ...QUICK, PROBE_EVERY_MS: "0" }).getStatus(id);
    return (await rowOf(id)).status;
  };

  test("leave losses to the supervisor while many are overdue, and end what is dead beyond doubt", async () => {
    const [first, ...others] = await zombies(6);
    await poll(first!);
    await pass(first!, 21 * SECOND);
    expect(await poll(first!)).toBe("running");
    expect((await rowOf(first!)).lastVerdict).toContain('"dead"');
    platform.says({ status: "terminated" }, instanceIdOf(others[0]!, 1));
    expect(await poll(others[0]!)).toBe("failed");
  });

  test("obey a hold even when few are overdue, and act again when it is over", async () => {
    const [first, ...others] = await zombies(6);
    await sweep(platform, { vars: QUICK });
    await Promise.all(others.map((id) => serviceOf(platform).cancel(id)));
    await pass(first!, 21 * SECOND);
    expect(await poll(first!)).toBe("running");
    await env.DB.prepare("update supervisor_state set held_sweeps = 0").run();
    expect(await poll(first!)).toBe("failed");
  });

  test("do not bind a person who commands", async () => {
    const [first] = await zombies(6);
    const watch = watchWith(platform, QUICK);
    await reconcile(watch, first!);
    await pass(first!, 21 * SECOND);
    expect((await reconcile(watch, first!)).acted).toBe("won");
  });
});

describe("the lease", () => {
  test("keeps a second sweep away while the first one works, and is free again afterwards", async () => {
    const id = await silentFor(SECOND);
    const vars = { INSTANCE_LOST_CONFIRM_MS: "2000" };
    const first = sweep(platform, { vars });
    await expect.poll(() => platform.asked.length).toBe(1);
    expect(await sweep(platform)).toMatchObject({ outcome: "lease_taken", checked: 0 });
    expect(await first).toMatchObject({ outcome: "done", failed: [{ audit: id }] });
    expect(await sweep(platform)).toMatchObject({ outcome: "done" });
    const runs = await select<{ outcome: string }>("select outcome from supervisor_runs order by slot_at");
    expect(runs.map(({ outcome }) => outcome)).toEqual(["done", "lease_taken", "done"]);
  });

  test("of a sweep that died expires before the next slot", async () => {
    const id = await silentFor(SECOND);
    platform.says({ status: "terminated" });
    const watch = watchWith(platform);
    await watch.supervisor.began("died", "cron", 1);
    await holdsLease(watch, { runId: "died", startedBy: "cron", slotAt: 1 });
    expect(await sweep(platform)).toMatchObject({ outcome: "lease_taken" });
    await env.DB.prepare("update supervisor_state set lease_until = lease_until - 120000").run();
    expect(await sweep(platform)).toMatchObject({ failed: [{ audit: id }] });
  });

  test("lost between two stages: the sweep gives up, says so, and acts on nobody", async () => {
    const id = await silentFor(SECOND);
    const sweeping = sweep(platform, { vars: { INSTANCE_LOST_CONFIRM_MS: "2000" } });
    await expect.poll(() => platform.asked.length).toBe(1);
    await env.DB.prepare("update supervisor_state set lease_owner = 'another', lease_until = 9999999999999").run();
    expect(await sweeping).toMatchObject({ outcome: "lease_taken" });
    expect((await rowOf(id)).status).toBe("running");
    expect(await select("select id from supervisor_runs where ended_at is null")).toEqual([]);
  });
});
