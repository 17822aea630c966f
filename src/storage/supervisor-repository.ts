/** Where the supervisor stands, and what it did: supervisor_state, supervisor_runs, supervisor_decisions. */
import { desc, lt, sql } from "drizzle-orm";
import { dbNow } from "./clock.ts";
import { changes, type Database, runBatch } from "./database.ts";
import { supervisorDecisions, supervisorRuns, supervisorState } from "./schema.ts";

export type SupervisorState = typeof supervisorState.$inferSelect;
export type SupervisorRun = typeof supervisorRuns.$inferSelect;
export type SupervisorDecision = typeof supervisorDecisions.$inferSelect;

const EMPTY: SupervisorState = {
  id: 1,
  cursorDueAt: null,
  cursorId: null,
  leaseOwner: null,
  leaseUntil: 0,
  heldSweeps: 0,
  heldSince: null,
  heldCount: null,
  lastFinishedAt: null,
  lastCronAt: null,
};

export interface RunEnd {
  outcome: string;
  checked: number;
  failed: number;
  statusCalls: number;
  /** JSON. */
  report: string;
  /** Where the next run goes on; null: from the beginning. */
  cursor: { dueAt: number; id: string } | null;
  /** Sweeps in a row that would have exceeded the breaker's limit; 0: none. */
  heldSweeps: number;
  heldCount: number | null;
}

/** How long the history of runs and decisions is kept. */
const KEPT_MS = 30 * 24 * 3_600_000;

const ensureState = sql`insert or ignore into supervisor_state (id) values (1)`;

export class SupervisorRepository {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async state(): Promise<{ state: SupervisorState; now: number }> {
    const [row] = await this.#db.select({ state: supervisorState, now: dbNow }).from(supervisorState);
    if (row !== undefined) return row;
    const clock = await this.#db.get<{ now: number }>(sql`select ${dbNow} as now`);
    return { state: EMPTY, now: clock?.now ?? Date.now() };
  }

  /**
   * Notes that the cron has fired and that a run is under way. False: that run was noted before; a second delivery of the
   * same slot changes nothing.
   */
  async began(runId: string, startedBy: "cron" | "scheduled" | "manual", slotAt: number): Promise<boolean> {
    const results = await runBatch(this.#db, [
      ensureState,
      sql`insert or ignore into supervisor_runs (id, started_by, slot_at, started_at) values (${runId}, ${startedBy}, ${slotAt}, ${dbNow})`,
      ...(startedBy === "manual" ? [] : [sql`update supervisor_state set last_cron_at = ${dbNow} where id = 1`]),
    ]);
    return changes(results, 1) > 0;
  }

  /** The slot of the newest sweep that would have exceeded the breaker's limit since the hold began; null: none. */
  async lastHeldSlot(): Promise<number | null> {
    const row = await this.#db.get<{ slot: number | null }>(sql`
      select max(r.slot_at) as slot from supervisor_runs r join supervisor_state s on s.id = 1
      where s.held_since is not null and r.ended_at >= s.held_since and r.report ->> '$.breaker.tripped' = 1`);
    return row?.slot ?? null;
  }

  /** True: this run may sweep until the lease ends. Taking it again prolongs it. */
  async takeLease(owner: string, forMs: number): Promise<boolean> {
    const results = await runBatch(this.#db, [
      ensureState,
      sql`
        update supervisor_state set lease_owner = ${owner}, lease_until = ${dbNow} + ${forMs}
        where id = 1 and (lease_until < ${dbNow} or lease_owner = ${owner})`,
    ]);
    return changes(results, 1) > 0;
  }

  /** The end of a run: its record, and the state that the next one starts from. Only the lease's owner moves the state. */
  async ended(runId: string, end: RunEnd): Promise<void> {
    await runBatch(this.#db, [
      sql`
        update supervisor_runs set ended_at = ${dbNow}, outcome = ${end.outcome}, checked = ${end.checked}, failed = ${end.failed},
          status_calls = ${end.statusCalls}, report = ${end.report}
        where id = ${runId} and ended_at is null`,
      sql`
        update supervisor_state set lease_until = 0, lease_owner = null, last_finished_at = ${dbNow},
          cursor_due_at = ${end.cursor?.dueAt ?? null}, cursor_id = ${end.cursor?.id ?? null},
          held_sweeps = ${end.heldSweeps}, held_count = ${end.heldCount},
          held_since = case when ${end.heldSweeps} = 0 then null
            else coalesce(held_since, (select ended_at from supervisor_runs where id = ${runId})) end
        where id = 1 and lease_owner = ${runId}`,
      sql`delete from supervisor_runs where started_at < ${dbNow} - ${KEPT_MS}`,
      sql`delete from supervisor_decisions where at < ${dbNow} - ${KEPT_MS}`,
    ]);
  }

  /** A run that found somebody else sweeping ends without touching the state. */
  async skipped(runId: string, outcome: string, report: string): Promise<void> {
    await runBatch(this.#db, [
      sql`update supervisor_runs set ended_at = ${dbNow}, outcome = ${outcome}, report = ${report} where id = ${runId} and ended_at is null`,
    ]);
  }

  /** The newest run of the supervisor Workflow before `slotAt`, to see whether it came to an end. */
  async lastCronRun(beforeSlotAt: number): Promise<SupervisorRun | null> {
    const [run] = await this.#db
      .select()
      .from(supervisorRuns)
      .where(sql`slot_at < ${beforeSlotAt} and started_by = 'cron'`)
      .orderBy(desc(supervisorRuns.startedAt))
      .limit(1);
    return run ?? null;
  }

  runs(limit: number, before?: number): Promise<SupervisorRun[]> {
    return this.#db
      .select()
      .from(supervisorRuns)
      .where(before === undefined ? undefined : lt(supervisorRuns.startedAt, before))
      .orderBy(desc(supervisorRuns.startedAt))
      .limit(limit);
  }

  /** `organizationId`: only those about its audits. */
  decisions(
    limit: number,
    filter: { before?: number; auditId?: string; organizationId?: string } = {},
  ): Promise<SupervisorDecision[]> {
    const { before, auditId, organizationId } = filter;
    const isTheirs =
      organizationId === undefined
        ? sql`1`
        : sql`exists (select 1 from audits a where a.id = audit_id and a.organization_id = ${organizationId})`;
    return this.#db
      .select()
      .from(supervisorDecisions)
      .where(
        sql`${before === undefined ? sql`1` : sql`id < ${before}`} and ${auditId === undefined ? sql`1` : sql`audit_id = ${auditId}`} and ${isTheirs}`,
      )
      .orderBy(desc(supervisorDecisions.id))
      .limit(limit);
  }
}
