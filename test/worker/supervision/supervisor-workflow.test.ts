/** The supervisor as cron starts it: one instance a slot, a history that reads well, and what happens when it is not to be had. */
import { introspectWorkflow, introspectWorkflowInstance } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { reconcileStaleAudits, type Stages } from "../../../src/supervision/run-sweep.ts";
import { onCron, slotId } from "../../../src/supervision/schedule.ts";
import { setVars, waitUntil } from "../support/audits.ts";
import {
  endEverything,
  envWith,
  MINUTE,
  newAudit,
  pass,
  rowOf,
  SECOND,
  select,
  silentFor,
  StandIn,
  watchWith,
} from "./support.ts";

/** The story of five deaths in pages of two. */
const STEPS_OF_FIVE = [
  "find overdue audits 1",
  "judge audits 3-4",
  "judge audits 5-6",
  "weigh 5 deaths",
  "fail audits 1-2",
  "fail audits 3-4",
  "fail audits 5-5",
  "end what is left behind",
  "deliver analytics",
  "record run",
];

let slot = Date.parse("2026-11-30T16:24:00Z");
let platform: StandIn;

beforeEach(async () => {
  slot += 2 * MINUTE;
  platform = new StandIn().says({ status: "terminated" });
  await endEverything();
});

/** The supervisor runs in the Worker, which has the bindings of `env`: the stand-in goes there. */
function usePlatform(): void {
  const bindings = env as unknown as Record<string, unknown>;
  const real = bindings.SITE_AUDIT;
  bindings.SITE_AUDIT = platform.binding;
  onTestFinished(() => void (bindings.SITE_AUDIT = real));
}

const runOf = async (id: string) =>
  (
    await select<{ outcome: string | null; ended_at: number | null; report: string }>(
      "select * from supervisor_runs where id = ?",
      id,
    )
  )[0];
const runIds = async () =>
  (await select<{ id: string }>("select id from supervisor_runs order by id")).map(({ id }) => id);
const ended = (id: string) =>
  waitUntil(
    () => runOf(id),
    (run) => run?.ended_at != null,
  );

test("a slot has one name, to the minute as crons go, and more exactly only below", () => {
  expect(slotId(Date.parse("2026-11-30T16:24:31.5Z"), 200)).toBe("supervise-2026-11-30T16-24-31-500");
  expect(slotId(Date.parse("2026-11-30T16:24:31.5Z"), 2 * MINUTE)).toBe("supervise-2026-11-30T16-24");
  expect(slotId(Date.parse("2026-11-30T16:24:31.5Z"))).toBe("supervise-2026-11-30T16-24");
});

describe("the supervisor Workflow", () => {
  test("with nothing to judge is one step", async () => {
    usePlatform();
    await using workflows = await introspectWorkflow(env.AUDIT_SUPERVISOR);
    await onCron(env, slot);
    const [instance] = await workflows.get();
    await instance!.waitForStatus("complete");
    expect(await instance!.waitForStepResult({ name: "find overdue audits 1" })).toMatchObject({
      outcome: "done",
      checked: 0,
      failed: [],
    });
    expect(await stepOutputs(slotId(slot))).toHaveLength(1);
    expect(await runOf(slotId(slot))).toMatchObject({ outcome: "done" });
  });

  test("with one page to judge is one step, whose output tells the story", async () => {
    usePlatform();
    const dead = await silentFor(9 * SECOND);
    const paused = await silentFor(SECOND);
    platform.says({ status: "paused" }, `audit-${paused}-1`);
    await using workflows = await introspectWorkflow(env.AUDIT_SUPERVISOR);
    await onCron(env, slot);
    const [instance] = await workflows.get();
    await instance!.waitForStatus("complete");
    const story = await instance!.waitForStepResult({ name: "find overdue audits 1" });
    expect(story).toMatchObject({
      checked: 2,
      held: 1,
      failed: [{ audit: dead, code: "workflow_terminated" }],
      statusCalls: 2,
    });
    expect(story).not.toHaveProperty("suspect");
    expect(await stepOutputs(slotId(slot))).toHaveLength(1);
    expect(JSON.parse((await runOf(slotId(slot)))!.report)).toMatchObject({ checked: 2, held: 1 });
    expect(await select("select run_id, by, acted from supervisor_decisions where audit_id = ?", dead)).toEqual([
      { run_id: slotId(slot), by: "watchdog", acted: "won" },
    ]);
  });

  test("with several pages has a step for each page, and for each page of endings", async () => {
    usePlatform();
    setVars({ WATCHDOG_BATCH_LIMIT: "2" });
    const ids = await Promise.all(Array.from({ length: 5 }, (_, n) => silentFor((9 - n) * SECOND)));
    await using workflows = await introspectWorkflow(env.AUDIT_SUPERVISOR);
    await onCron(env, slot);
    const [instance] = await workflows.get();
    await instance!.waitForStatus("complete");
    expect(await stepOutputs(slotId(slot))).toHaveLength(STEPS_OF_FIVE.length);
    for (const name of STEPS_OF_FIVE) await instance!.waitForStepResult({ name });
    expect(await instance!.waitForStepResult({ name: "fail audits 1-2" })).toEqual({
      failed: ids.slice(0, 2).map((audit) => ({ audit, code: "workflow_terminated" })),
      lost: 0,
      heldBack: 0,
    });
    expect(await instance!.waitForStepResult({ name: "weigh 5 deaths" })).toMatchObject({ lost: 0, tripped: false });
    expect(await instance!.waitForStepResult({ name: "record run" })).toEqual({
      outcome: "done",
      checked: 5,
      failed: 5,
    });
  });

  test("judges everybody before it fails anybody", async () => {
    await Promise.all(Array.from({ length: 5 }, (_, n) => silentFor((9 - n) * SECOND)));
    const names: string[] = [];
    const stages: Stages = {
      run: (name, work) => {
        names.push(name);
        return work();
      },
      pause: async () => {},
    };
    const vars = { WATCHDOG_BATCH_LIMIT: "2" };
    const options = { runId: "by-hand", startedBy: "manual", slotAt: slot } as const;
    await reconcileStaleAudits(envWith(platform, vars), watchWith(platform, vars), options, stages);
    expect(names).toEqual(STEPS_OF_FIVE);
  });

  test("waits for its second look in a sleep of its own, when it has several pages", async () => {
    usePlatform();
    setVars({ WATCHDOG_BATCH_LIMIT: "2", INSTANCE_LOST_CONFIRM_MS: "100" });
    platform.says("not_found");
    await Promise.all(Array.from({ length: 3 }, () => silentFor(9 * SECOND)));
    await using workflows = await introspectWorkflow(env.AUDIT_SUPERVISOR);
    await onCron(env, slot);
    const [instance] = await workflows.get();
    await instance!.waitForStatus("complete");
    for (const name of ["judge again 1-2", "judge again 3-3", "fail audits 1-2", "fail audits 3-3"])
      await instance!.waitForStepResult({ name });
    expect(await instance!.getOutput()).toMatchObject({ failedCount: 3, statusCalls: 6 });
  });

  test("that was interrupted after it had failed an audit says so when its step is run again", async () => {
    usePlatform();
    setVars({ WATCHDOG_BATCH_LIMIT: "1" });
    const [first, second] = [await silentFor(9 * SECOND), await silentFor(SECOND)];
    await using instance = await introspectWorkflowInstance(env.AUDIT_SUPERVISOR, slotId(slot));
    await instance.modify(async (m) => {
      await m.disableRetryDelays();
      await m.mockStepError({ name: "fail audits 1-1" }, new Error("interrupted"), 1);
    });
    await onCron(env, slot);
    await instance.waitForStatus("complete");
    expect(await instance.getOutput()).toMatchObject({ failedCount: 2 });
    for (const id of [first, second]) {
      expect(await select("select acted from supervisor_decisions where audit_id = ?", id)).toEqual([{ acted: "won" }]);
    }
  });
});

/** What the steps of an instance returned, in their order; the local engine tells it. */
async function stepOutputs(id: string): Promise<Record<string, unknown>[]> {
  const instance = await env.AUDIT_SUPERVISOR.get(id);
  const status = (await instance.status()) as unknown as { __LOCAL_DEV_STEP_OUTPUTS: Record<string, unknown>[] };
  return status.__LOCAL_DEV_STEP_OUTPUTS;
}

describe("cron", () => {
  test("delivered twice makes one run", async () => {
    usePlatform();
    await Promise.all([onCron(env, slot), onCron(env, slot)]);
    await ended(slotId(slot));
    await onCron(env, slot);
    expect(await runIds()).toEqual([slotId(slot)]);
  });

  test("sweeps by itself when the Workflow cannot be created", async () => {
    const id = await silentFor(SECOND);
    const broken = { create: () => Promise.reject(new Error("workflow.not_found")) } as never;
    await onCron(envWith(platform, { AUDIT_SUPERVISOR: broken }), slot);
    expect((await rowOf(id)).status).toBe("failed");
    expect(await runIds()).toEqual([slotId(slot), `${slotId(slot)}-by-cron`]);
    expect(await runOf(`${slotId(slot)}-by-cron`)).toMatchObject({ outcome: "done" });
    // The same slot again: it has been swept.
    const asked = platform.asked.length;
    await onCron(envWith(platform, { AUDIT_SUPERVISOR: broken }), slot);
    expect(platform.asked).toHaveLength(asked);
  });

  test("sweeps by itself when creating the Workflow hangs", async () => {
    const id = await silentFor(SECOND);
    const hanging = { create: () => new Promise(() => {}) } as never;
    await onCron(envWith(platform, { AUDIT_SUPERVISOR: hanging, STATUS_TIMEOUT_MS: "100" }), slot);
    expect((await rowOf(id)).status).toBe("failed");
  });

  test("sweeps by itself when the last run has recorded no end", async () => {
    const silent = { create: async () => ({}) } as never;
    await onCron(envWith(platform, { AUDIT_SUPERVISOR: silent }), slot);
    expect((await runOf(slotId(slot)))!.ended_at).toBeNull();
    const id = await silentFor(SECOND);
    slot += 2 * MINUTE;
    await onCron(envWith(platform, { AUDIT_SUPERVISOR: silent }), slot);
    expect((await rowOf(id)).status).toBe("failed");
  });

  test("leaves the sweep to the Workflow when all is well", async () => {
    const silent = { create: async () => ({}) } as never;
    await watchWith(platform).supervisor.began(slotId(slot - 2 * MINUTE), "cron", slot - 2 * MINUTE);
    await watchWith(platform).supervisor.skipped(slotId(slot - 2 * MINUTE), "done", "{}");
    const id = await silentFor(SECOND);
    await onCron(envWith(platform, { AUDIT_SUPERVISOR: silent }), slot);
    expect((await rowOf(id)).status).toBe("running");
    expect(platform.asked).toEqual([]);
  });

  test("starts the supervisor although the run cannot be noted", async () => {
    let created = 0;
    const supervisor = { create: async () => void (created += 1) } as never;
    const DB = {
      prepare: () => {
        throw new Error("D1_ERROR: down");
      },
      batch: () => Promise.reject(new Error("D1_ERROR: down")),
    };
    await onCron(envWith(platform, { AUDIT_SUPERVISOR: supervisor, DB }), slot);
    expect(created).toBe(1);
  });
});

test("a zombie that nobody polls is failed within one interval and a sweep", async () => {
  usePlatform();
  const id = await newAudit();
  await pass(id, 31 * SECOND);
  await onCron(env, slot);
  await ended(slotId(slot));
  expect(await rowOf(id)).toMatchObject({ status: "failed", endedBy: "watchdog" });
});
