/**
 * Every condition of the fence, of the gate and of the look record, one at a time: against a row that differs from the
 * right one in just that. `npm run mutants` removes the conditions one by one and expects these tests to fail.
 */
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { AuditRepository } from "../../../src/storage/audit-repository.ts";
import { type Fence, fencedBatch, fenceHolds, SupersededError } from "../../../src/storage/fence.ts";
import type { Ending } from "../../../src/storage/gate.ts";
import { LookRepository, type LookRecord } from "../../../src/storage/look-repository.ts";
import { openStep } from "../../../src/supervision/heartbeat.ts";
import { beat, config, db, endEverything, eventsOf, newAudit, rowOf, select } from "./support.ts";

let id: string;
let fence: Fence;

beforeEach(async () => {
  await endEverything();
  id = await newAudit();
  ({ fence } = await beat(id));
});

const change = (assignments: string): Promise<unknown> =>
  env.DB.prepare(`update audits set ${assignments} where id = ?`).bind(id).run();

/** What makes the row another one than the writer believes, in one respect only. */
const CHANGES = [
  ["another attempt", "attempt = 2"],
  ["another execution of the step", "step_run = 'another'"],
  ["an audit that has ended", "status = 'failed'"],
] as const;

describe("the fence", () => {
  const write = () => {
    const row = sql`insert into audit_beats (audit_id, attempt, minute, at, seq, pages_crawled)
      select ${id}, 1, 1, 1, 1, 1 where ${fenceHolds(fence)}`;
    return fencedBatch(db, fence, sql`pages_total = 77`, [row]);
  };
  const written = async () => ({
    pagesTotal: (await select<{ n: number }>("select pages_total as n from audits where id = ?", id))[0]!.n,
    rows: (await select("select * from audit_beats where audit_id = ? and minute = 1", id)).length,
  });

  test("lets the current execution write", async () => {
    await write();
    expect(await written()).toEqual({ pagesTotal: 77, rows: 1 });
  });

  test.each(CHANGES)("refuses to write for %s, and nothing of the batch is written", async (_what, assignments) => {
    await change(assignments);
    await expect(write()).rejects.toThrow(SupersededError);
    expect(await written()).toEqual({ pagesTotal: 0, rows: 0 });
  });

  test("writes to no audit but its own", async () => {
    const other = await newAudit();
    await env.DB.prepare("update audits set step_run = ? where id = ?").bind(fence.stepRun, other).run();
    await write();
    expect((await rowOf(other)).pagesTotal).toBe(0);
    await change("step_run = 'another'");
    await expect(write()).rejects.toThrow(SupersededError);
  });
});

describe("the opening of a step", () => {
  const open = (stepIndex: number, stepTry: number) =>
    openStep(
      db,
      config,
      { auditId: id, attempt: 1, stepIndex, stepTry, phase: "crawling" },
      {
        batches: 0,
        queries: 0,
        rowsRead: 0,
        rowsWritten: 0,
      },
    ).then((pulse) => pulse.close());

  test("takes the fence from an earlier step and an earlier try", async () => {
    await open(2, 1);
    await open(2, 2);
    await open(3, 1);
    expect((await rowOf(id)).heartbeatSeq).toBe(4);
  });

  test.each([
    ["an earlier step", 2, 9],
    ["an earlier try of the same step", 3, 1],
  ])("never gives it back to %s", async (_what, stepIndex, stepTry) => {
    await open(3, 2);
    const before = await rowOf(id);
    await expect(open(stepIndex, stepTry)).rejects.toThrow(SupersededError);
    expect(await rowOf(id)).toEqual(before);
  });

  test.each([
    ["another attempt", "attempt = 2"],
    ["an audit that has ended", "status = 'canceled'"],
  ])("does not take it for %s", async (_what, assignments) => {
    await change(assignments);
    const before = await rowOf(id);
    await expect(open(9, 1)).rejects.toThrow(SupersededError);
    expect(await rowOf(id)).toEqual(before);
  });
});

describe("the gate", () => {
  const audits = new AuditRepository(db, true);
  const end = (ending: Partial<Ending> = {}) =>
    audits.end({
      auditId: id,
      attempt: 1,
      status: "failed",
      by: "watchdog",
      code: "heartbeat_lost",
      detail: null,
      evidence: null,
      verdictId: crypto.randomUUID(),
      seq: 1,
      stepRun: fence.stepRun,
      detected: true,
      terminateAfterMs: 0,
      ...ending,
    });

  test("ends what is as it was judged: row, attempt, phase, event and pending termination at once", async () => {
    expect(await end()).toBe(true);
    const { status, verdictId, stepRun } = await rowOf(id);
    expect({ status, stepRun }).toEqual({ status: "failed", stepRun: null });
    expect(
      await select("select verdict_id, terminate_pending, code from audit_attempts where audit_id = ?", id),
    ).toEqual([{ verdict_id: verdictId, terminate_pending: 1, code: "heartbeat_lost" }]);
    expect(await select("select ended_at from audit_phases where audit_id = ? and ended_at is null", id)).toEqual([]);
    expect(await eventsOf(id)).toEqual(["site_audit:start 1", "site_audit:complete 1"]);
  });

  test.each([...CHANGES, ["a run that has beaten since", "heartbeat_seq = 2"] as const])(
    "does not end %s, and writes nothing",
    async (_what, assignments) => {
      await change(assignments);
      const before = await rowOf(id);
      expect(await end()).toBe(false);
      expect(await rowOf(id)).toEqual(before);
      expect(await eventsOf(id)).toEqual(["site_audit:start 1"]);
      expect(await select("select * from audit_attempts where audit_id = ? and ended_at is not null", id)).toEqual([]);
    },
  );

  test("ends no audit but its own", async () => {
    const other = await newAudit();
    await env.DB.prepare("update audits set step_run = ?, heartbeat_seq = 1 where id = ?")
      .bind(fence.stepRun, other)
      .run();
    await end();
    expect((await rowOf(other)).status).toBe("running");
  });

  test("tells of an attempt that was ended twice only once", async () => {
    await end();
    await change(`status = 'running', step_run = '${fence.stepRun}'`);
    await end();
    expect(await eventsOf(id)).toEqual(["site_audit:start 1", "site_audit:complete 1"]);
  });
});

describe("a resume", () => {
  const resume = (attempt: number) =>
    new AuditRepository(db, true).resume(id, { attempt, limit: 1_000_000, firstPromiseMs: 30_000 });

  test.each([
    ["of an attempt that has been resumed already", "status = 'failed', attempt = 2"],
    ["of an audit that runs", "status = 'running'"],
    ["of an audit that has completed", "status = 'completed'"],
    ["of an audit that is being deleted", "status = 'failed', deleted_at = 1"],
  ])("%s does nothing", async (_what, assignments) => {
    await change(assignments);
    const before = await select("select * from audits where id = ?", id);
    expect(await resume(2)).toBe(false);
    expect(await select("select * from audits where id = ?", id)).toEqual(before);
  });
});

describe("a look", () => {
  const looks = new LookRepository(db);
  const look = (): LookRecord => ({
    auditId: id,
    attempt: 1,
    seq: 1,
    previousLookAt: null,
    seenSince: 5,
    lookAt: 5,
    queuedAt: null,
    heldAt: null,
    nextLookAt: null,
    lookDelayMs: null,
    evidence: "{}",
    verdict: "{}",
  });

  test("is kept when the row is as it was read", async () => {
    await looks.record([look()], []);
    expect(await rowOf(id)).toMatchObject({ seenSeq: 1, seenSince: 5, lastLookAt: 5 });
  });

  test.each([
    ["of another attempt", "attempt = 2"],
    ["at an audit that has ended", "status = 'failed'"],
    ["at a heartbeat that is not the last any more", "heartbeat_seq = 2"],
    ["that another look came before", "last_look_at = 4"],
  ])("%s is not kept", async (_what, assignments) => {
    await change(assignments);
    const before = await rowOf(id);
    await looks.record([look()], []);
    expect(await rowOf(id)).toEqual(before);
  });
});
