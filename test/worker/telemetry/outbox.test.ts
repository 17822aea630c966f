/** Analytics against a real collector that answers, refuses, hangs and dies: told once, late if need be, harmless always. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, inject, test } from "vitest";
import { AuditRepository } from "../../../src/storage/audit-repository.ts";
import { deliverOutbox } from "../../../src/telemetry/outbox.ts";
import type { CollectorMode, ReceivedEvent } from "../../support/collector.ts";
import {
  db,
  endEverything,
  envWith,
  newAudit,
  newCaller,
  rowOf,
  SECOND,
  select,
  serviceOf,
  silentFor,
  StandIn,
  sweep,
  watchWith,
} from "../supervision/support.ts";

let key: string;
let vars: Record<string, string>;
beforeEach(async () => {
  key = `phc_${crypto.randomUUID().replaceAll("-", "")}`;
  vars = { POSTHOG_API_KEY: key, POSTHOG_HOST: inject("collector") };
  await endEverything();
});

async function collectorIs(mode: CollectorMode, times?: number): Promise<void> {
  const body = JSON.stringify({ mode, ...(times === undefined ? {} : { times }) });
  await (await fetch(`${inject("collector")}/behaviour/${key}`, { method: "PUT", body })).text();
}

const received = async (): Promise<ReceivedEvent[]> => (await fetch(`${inject("collector")}/received/${key}`)).json();
const deliver = () => deliverOutbox(envWith(null, vars), db);
const mine = async (id: string) =>
  select<{ state: string; tries: number; uuid: string; last_error: string | null; next_try_at: number }>(
    "select * from analytics_outbox where audit_id = ? order by attempt, event desc",
    id,
  );
const dueNow = () => env.DB.prepare("update analytics_outbox set next_try_at = 0 where state = 'pending'").run();

describe("with a collector that answers", () => {
  test("a start and an end arrive with who, for whom and what became of it", async () => {
    const caller = newCaller();
    const id = await silentFor(SECOND, caller);
    const platform = new StandIn().says({
      status: "errored",
      error: { name: "Error", message: "Worker exceeded memory limit." },
    });
    const report = await sweep(platform, { vars });
    expect(report).toMatchObject({ failedCount: 1, delivered: 2, problems: [] });
    const [start, complete] = await received();
    expect(start).toMatchObject({ event: "site_audit:start", distinct_id: "user-1" });
    expect(complete).toMatchObject({
      event: "site_audit:complete",
      distinct_id: "user-1",
      properties: {
        $groups: { organization: caller.organizationId },
        project_id: caller.projectId,
        status: "failed",
        reconciled_by: "watchdog",
        error_code: "oom",
        failed_phase: "crawling",
        pages_crawled: 0,
        pages_total: 0,
        attempt: 1,
        detection_ms: expect.any(Number),
      },
    });
    const { endedAt } = await rowOf(id);
    expect(Date.parse(complete!.timestamp)).toBe(endedAt);
    expect((await mine(id)).map(({ uuid, state }) => [uuid, state])).toEqual([
      [start!.uuid, "delivered"],
      [complete!.uuid, "delivered"],
    ]);
    await sweep(platform, { vars });
    expect(await received()).toHaveLength(2);
  });

  test("who ended it is told: a person, a look at the status, nobody but the run itself", async () => {
    const platform = new StandIn().says({ status: "terminated" });
    const canceled = await newAudit();
    await serviceOf(platform, vars).cancel(canceled);
    const polled = await silentFor(SECOND);
    await serviceOf(platform, vars).getStatus(polled);
    const finished = await newAudit();
    await new AuditRepository(db, true).end({
      auditId: finished,
      attempt: 1,
      status: "completed",
      by: "workflow",
      code: null,
      detail: null,
      evidence: null,
      verdictId: crypto.randomUUID(),
      seq: null,
      stepRun: null,
      detected: false,
      terminateAfterMs: 0,
    });
    await deliver();
    const ends = (await received()).filter(({ event }) => event === "site_audit:complete");
    expect(ends.map(({ properties }) => [properties.status, properties.reconciled_by])).toEqual([
      ["canceled", "manual"],
      ["failed", "status_check"],
      ["completed", undefined],
    ]);
    expect(ends[2]!.properties).not.toHaveProperty("error_code");
    expect(ends[2]!.properties).not.toHaveProperty("detection_ms");
  });
});

describe("with a collector that", () => {
  test.each(["refuses", "dies"] as const)("%s, events wait, and arrive under the same uuid later", async (mode) => {
    const id = await newAudit();
    await collectorIs(mode);
    expect(await deliver()).toEqual({ delivered: 0, failed: 1 });
    const [waiting] = await mine(id);
    expect(waiting).toMatchObject({ state: "pending", tries: 1, last_error: expect.stringMatching(/./) });
    expect(waiting!.next_try_at).toBeGreaterThan(Date.now() + 50 * SECOND);
    expect(await deliver()).toEqual({ delivered: 0, failed: 0 });
    await collectorIs("answers");
    await dueNow();
    expect(await deliver()).toEqual({ delivered: 1, failed: 0 });
    const events = await received();
    expect(new Set(events.map(({ uuid }) => uuid))).toEqual(new Set([waiting!.uuid]));
    expect((await mine(id))[0]).toMatchObject({ state: "delivered", tries: 2, last_error: null });
  });

  test("hangs, a sweep is held up for seconds at most, and has failed its dead before", async () => {
    const id = await silentFor(SECOND);
    await collectorIs("hangs");
    const started = Date.now();
    const report = await sweep(new StandIn().says({ status: "terminated" }), { vars });
    expect(report).toMatchObject({ outcome: "done", failedCount: 1, delivered: 0 });
    expect(Date.now() - started).toBeLessThan(20 * SECOND);
    expect((await rowOf(id)).status).toBe("failed");
    expect((await mine(id)).map(({ state }) => state)).toEqual(["pending", "pending"]);
  });

  test("says yes and never ends its answer has taken the event, and holds up nobody", async () => {
    await newAudit();
    await collectorIs("hangs in the answer");
    const started = Date.now();
    expect(await deliver()).toEqual({ delivered: 1, failed: 0 });
    expect(Date.now() - started).toBeLessThan(5 * SECOND);
  });

  test("is not there at all, nothing breaks", async () => {
    const id = await newAudit();
    vars.POSTHOG_HOST = "http://127.0.0.1:1";
    expect(await deliver()).toEqual({ delivered: 0, failed: 1 });
    expect((await mine(id))[0]!.state).toBe("pending");
  });

  test("refuses again and again is asked less and less often, and given up at last", async () => {
    const id = await newAudit();
    await collectorIs("refuses");
    const pauses: number[] = [];
    for (let tries = 0; tries < 3; tries += 1) {
      await dueNow();
      await deliver();
      pauses.push(Math.round(((await mine(id))[0]!.next_try_at - Date.now()) / (60 * SECOND)));
    }
    expect(pauses).toEqual([1, 2, 4]);
    await env.DB.prepare("update analytics_outbox set tries = 39 where audit_id = ?").bind(id).run();
    await dueNow();
    await deliver();
    expect((await mine(id))[0]).toMatchObject({ state: "given_up", tries: 40 });
  });

  test("refuses the first is not asked about all the others", async () => {
    for (let n = 0; n < 8; n += 1) await newAudit();
    await collectorIs("refuses");
    expect(await deliver()).toEqual({ delivered: 0, failed: 3 });
    expect(await received()).toHaveLength(3);
  });
});

test("an event that cannot be read keeps no other from being delivered, and no sweep from its end", async () => {
  const [broken, sound] = [await newAudit(), await newAudit()];
  await env.DB.prepare("update analytics_outbox set payload = '{', next_try_at = 0 where audit_id = ?")
    .bind(broken)
    .run();
  expect(await sweep(new StandIn(), { vars })).toMatchObject({ outcome: "done", delivered: 1, problems: [] });
  expect((await mine(sound))[0]!.state).toBe("delivered");
  expect((await mine(broken))[0]).toMatchObject({
    state: "pending",
    last_error: expect.stringContaining("cannot be read"),
  });
});

test("an outbox that cannot be read at all is told in the sweep's report", async () => {
  const id = await silentFor(SECOND);
  const DB = {
    prepare: (query: string) => {
      if (query.includes("from analytics_outbox")) throw new Error("D1_ERROR: broken");
      return env.DB.prepare(query);
    },
    batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements),
  };
  const report = await sweep(new StandIn().says({ status: "terminated" }), { vars: { ...vars, DB } });
  expect(report).toMatchObject({ failed: [{ audit: id }], problems: [expect.stringContaining("deliver analytics")] });
  expect(await select("select outcome from supervisor_runs")).toEqual([{ outcome: "done" }]);
});

test("without a key, events are kept as skipped and nobody is called", async () => {
  for (const none of [undefined, "", "  "]) {
    const platform = new StandIn();
    const service = serviceOf(platform, { POSTHOG_API_KEY: none });
    const caller = newCaller();
    const id = await newAudit(caller, watchWith(platform, { POSTHOG_API_KEY: none }).audits);
    await service.cancel(id);
    expect((await mine(id)).map(({ state }) => state)).toEqual(["skipped", "skipped"]);
    expect(await deliverOutbox(envWith(platform, { POSTHOG_API_KEY: none }), db)).toEqual({ delivered: 0, failed: 0 });
  }
  expect(await received()).toEqual([]);
});

test("one attempt has one event of each kind, whatever is inserted again", async () => {
  const id = await newAudit();
  await serviceOf(new StandIn()).cancel(id);
  await expect(
    env.DB.prepare(
      "insert into analytics_outbox select 'another', audit_id, attempt, event, at, payload, state, tries, next_try_at, last_error from analytics_outbox where audit_id = ?",
    )
      .bind(id)
      .run(),
  ).rejects.toThrow("UNIQUE");
});
