/** Two who want the same audit at the same moment, in every order: one winner, one event. */
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { AuditRepository } from "../../../src/storage/audit-repository.ts";
import { fenceHolds, SupersededError } from "../../../src/storage/fence.ts";
import type { Pulse } from "../../../src/supervision/heartbeat.ts";
import { act, type Judgement, lookAt, type ReconcileResult } from "../../../src/supervision/reconcile.ts";
import type { Watch } from "../../../src/supervision/supervision.ts";
import {
  beat,
  db,
  decisionsOf,
  endEverything,
  eventsOf,
  newCaller,
  pass,
  rowOf,
  SECOND,
  select,
  serviceOf,
  silentFor,
  StandIn,
  sweep,
  watchWith,
} from "./support.ts";

const ENDED_ONCE = ["site_audit:start 1", "site_audit:complete 1"];
const audits = new AuditRepository(db, true);

let platform: StandIn;
beforeEach(async () => {
  platform = new StandIn().says({ status: "terminated" });
  await endEverything();
});

async function look(watch: Watch, id: string): Promise<Judgement> {
  const reading = await watch.audits.find(id);
  return lookAt(watch, reading!);
}

const actOn = async (watch: Watch, judgement: Judgement, by: "watchdog" | "status_check"): Promise<ReconcileResult> =>
  (await act(watch, [judgement], by === "watchdog" ? { by, runId: "run" } : { by }))[0]!;

/** What the last step of a run does, from `finish.ts`. */
const finish = (id: string, pulse: Pulse): Promise<boolean> =>
  audits.end({
    auditId: id,
    attempt: pulse.fence.attempt,
    status: "completed",
    by: "workflow",
    code: null,
    detail: null,
    evidence: null,
    verdictId: crypto.randomUUID(),
    seq: null,
    stepRun: pulse.fence.stepRun,
    detected: false,
    terminateAfterMs: 0,
  });

describe("a beat and a verdict", () => {
  test("a beat that comes between look and verdict keeps the run alive", async () => {
    const id = await silentFor(SECOND);
    const watch = watchWith(platform);
    const judgement = await look(watch, id);
    await beat(id);
    expect((await actOn(watch, judgement, "watchdog")).acted).toBe("lost");
    expect(await rowOf(id)).toMatchObject({ status: "running", errorCode: null });
    expect(await eventsOf(id)).toEqual(["site_audit:start 1"]);
    expect(await select("select * from audit_attempts where audit_id = ? and ended_at is not null", id)).toEqual([]);
  });

  test("a beat that comes after the verdict is refused, and counted as late", async () => {
    const id = await silentFor(SECOND);
    const pulse = await beat(id);
    await pass(id, 31 * SECOND);
    const watch = watchWith(platform);
    expect((await actOn(watch, await look(watch, id), "watchdog")).acted).toBe("won");
    await expect(pulse.beat()).rejects.toThrow(SupersededError);
    await expect(beat(id)).rejects.toThrow(SupersededError);
    expect((await rowOf(id)).status).toBe("failed");
    expect(await select("select late_beats from audit_attempts where audit_id = ?", id)).toEqual([{ late_beats: 2 }]);
  });
});

describe("the end of a run and a verdict", () => {
  test("a run that finishes between look and verdict has completed", async () => {
    const id = await silentFor(SECOND);
    const watch = watchWith(platform);
    const pulse = await beat(id);
    await pass(id, 31 * SECOND);
    const judgement = await look(watch, id);
    expect(await finish(id, pulse)).toBe(true);
    expect((await actOn(watch, judgement, "watchdog")).acted).toBe("lost");
    expect(await rowOf(id)).toMatchObject({ status: "completed", endedBy: "workflow", errorCode: null });
    expect(await eventsOf(id)).toEqual(ENDED_ONCE);
  });

  test("a run that finishes after its verdict has failed, and cannot complete any more", async () => {
    const id = await silentFor(SECOND);
    const watch = watchWith(platform);
    const pulse = await beat(id);
    await pass(id, 31 * SECOND);
    await actOn(watch, await look(watch, id), "watchdog");
    expect(await finish(id, pulse)).toBe(false);
    expect(await rowOf(id)).toMatchObject({ status: "failed", endedBy: "watchdog" });
    expect(await eventsOf(id)).toEqual(ENDED_ONCE);
  });

  test("a step whose fence somebody else has taken cannot finish", async () => {
    const id = await silentFor(SECOND);
    const old = await beat(id);
    const current = await beat(id);
    expect(await finish(id, old)).toBe(false);
    expect((await rowOf(id)).status).toBe("running");
    expect(await finish(id, current)).toBe(true);
  });
});

describe("several who judge at once", () => {
  test("a poll and the supervisor: one wins, the other has lost, and neither has failed", async () => {
    const id = await silentFor(SECOND);
    const watch = watchWith(platform);
    const [first, second] = await Promise.all([look(watch, id), look(watch, id)]);
    const [one, other] = await Promise.all([actOn(watch, first, "watchdog"), actOn(watch, second, "status_check")]);
    expect([one.acted, other.acted].toSorted()).toEqual(["lost", "won"]);
    expect(await eventsOf(id)).toEqual(ENDED_ONCE);
    expect((await decisionsOf(id)).map(({ acted }) => acted).toSorted()).toEqual(["lost", "won"]);
    const { endedBy } = await rowOf(id);
    expect(endedBy).toBe(one.acted === "won" ? "watchdog" : "status_check");
  });

  test("two looks at once that find nothing leave one look and one decision", async () => {
    const id = await silentFor(SECOND);
    const watch = watchWith(platform.says({ status: "running" }));
    const [first, second] = await Promise.all([look(watch, id), look(watch, id)]);
    // Two moments of the database's clock.
    second.now += 1;
    await actOn(watch, first, "status_check");
    await actOn(watch, second, "status_check");
    expect(await decisionsOf(id)).toHaveLength(1);
    expect((await rowOf(id)).lastLookAt).toBe(first.now);
  });

  test("a look that was taken before a later one cannot overwrite it", async () => {
    const id = await silentFor(SECOND);
    const watch = watchWith(platform.says({ status: "running" }));
    const early = await look(watch, id);
    await pass(id, 30 * SECOND);
    await actOn(watch, await look(watch, id), "watchdog");
    const { seenSince, lastLookAt } = await rowOf(id);
    early.looks = { ...early.looks, seenSince: 1 };
    await actOn(watch, early, "status_check");
    expect(await rowOf(id)).toMatchObject({ seenSince, lastLookAt });
  });

  test("two supervisors: the lease lets one sweep, and the other says so", async () => {
    const ids = [await silentFor(SECOND), await silentFor(SECOND)];
    const reports = await Promise.all([sweep(platform), sweep(platform)]);
    expect(reports.map(({ outcome }) => outcome).toSorted()).toEqual(["done", "lease_taken"]);
    expect(reports.flatMap(({ failed }) => failed.map(({ audit }) => audit)).toSorted()).toEqual(ids.toSorted());
    for (const id of ids) expect(await eventsOf(id)).toEqual(ENDED_ONCE);
    expect(await select("select id from supervisor_runs where ended_at is null")).toEqual([]);
  });

  test("two supervisors whose lease has failed to part them still end each audit once", async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => silentFor(SECOND)));
    const watch = watchWith(platform);
    const judged = await Promise.all([0, 1].map(async () => Promise.all(ids.map((id) => look(watch, id)))));
    const results = await Promise.all(
      judged.map((page, run) => act(watch, page, { by: "watchdog", runId: `run-${run}` })),
    );
    for (const id of ids) {
      const acted = results.flat().filter(({ judgement }) => judgement.auditId === id);
      expect(acted.map((result) => result.acted).toSorted()).toEqual(["lost", "won"]);
      expect(await eventsOf(id)).toEqual(ENDED_ONCE);
    }
  });
});

describe("a resume and what the old attempt still does", () => {
  test("neither its beats, nor its rows, nor its end get through", async () => {
    const caller = newCaller();
    const id = await silentFor(SECOND, caller);
    const pulse = await beat(id);
    await pass(id, 31 * SECOND);
    const watch = watchWith(platform);
    const stale = await look(watch, id);
    await actOn(watch, stale, "watchdog");
    expect(await serviceOf(platform).resume(id, caller)).toEqual({ kind: "resumed", attempt: 2 });
    const before = await rowOf(id);

    const row = sql`insert into audit_beats (audit_id, attempt, minute, at, seq, pages_crawled)
      select ${id}, 9, 1, 1, 1, 1 where ${fenceHolds(pulse.fence)}`;
    await expect(pulse.save([row])).rejects.toThrow(SupersededError);
    expect(await finish(id, pulse)).toBe(false);
    expect(await rowOf(id)).toEqual(before);
    expect(await select("select * from audit_beats where audit_id = ? and attempt = 9", id)).toEqual([]);
    expect(await eventsOf(id)).toEqual([...ENDED_ONCE, "site_audit:start 2"]);
  });

  test("a verdict on the old attempt does not end the new one", async () => {
    const caller = newCaller();
    const id = await silentFor(SECOND, caller);
    const watch = watchWith(platform);
    const stale = await look(watch, id);
    await serviceOf(platform).cancel(id);
    await serviceOf(platform).resume(id, caller);
    expect((await actOn(watch, stale, "watchdog")).acted).toBe("lost");
    expect(await rowOf(id)).toMatchObject({ status: "running", attempt: 2, errorCode: null });
  });

  test("two resumes at once make one attempt", async () => {
    const caller = newCaller();
    const id = await silentFor(SECOND, caller);
    await serviceOf(platform).cancel(id);
    const results = await Promise.all([0, 1].map(() => serviceOf(platform).resume(id, caller)));
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(["not_final", "resumed"]);
    expect((await rowOf(id)).attempt).toBe(2);
  });
});

describe("a person who cancels and a run that finishes", () => {
  test("finished first: it has completed, and there is nothing to cancel", async () => {
    const id = await silentFor(SECOND);
    const pulse = await beat(id);
    expect(await finish(id, pulse)).toBe(true);
    expect(await serviceOf(platform).cancel(id)).toBe(false);
    expect(await rowOf(id)).toMatchObject({ status: "completed", endedBy: "workflow" });
    expect(await eventsOf(id)).toEqual(ENDED_ONCE);
  });

  test("canceled first: the run cannot complete it any more", async () => {
    const id = await silentFor(SECOND);
    const pulse = await beat(id);
    expect(await serviceOf(platform).cancel(id)).toBe(true);
    expect(await finish(id, pulse)).toBe(false);
    expect(await rowOf(id)).toMatchObject({ status: "canceled", endedBy: "manual" });
    expect(await eventsOf(id)).toEqual(ENDED_ONCE);
  });

  test("both at once: one of them", async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await silentFor(SECOND);
      const pulse = await beat(id);
      const [canceled, finished] = await Promise.all([serviceOf(platform).cancel(id), finish(id, pulse)]);
      expect(canceled).toBe(!finished);
      expect(await eventsOf(id)).toEqual(ENDED_ONCE);
    }
  });
});
