/** What is known of overdue audits from looking at them: the chain of looks, the last evidence, decisions. */
import { type SQL, sql } from "drizzle-orm";
import { dbNow } from "./clock.ts";
import { changes, type Database, runBatch } from "./database.ts";
import { type AuditReading, type AuditRow, FIRST_PROMISE_MS } from "./audit-repository.ts";
import { audits } from "./schema.ts";

/** One look at one audit, to be kept. It counts only if the row is still as it was read. */
export interface LookRecord {
  auditId: string;
  attempt: number;
  seq: number;
  /** The row's last_look_at when it was read: a look in between makes this one void. */
  previousLookAt: number | null;
  seenSince: number | null;
  lookAt: number;
  queuedAt: number | null;
  heldAt: number | null;
  /** Null: left as it is (a poll's look does not change the supervisor's pace). It holds for this heartbeat only. */
  nextLookAt: number | null;
  lookDelayMs: number | null;
  evidence: string;
  verdict: string;
}

export interface DecisionRecord {
  auditId: string;
  attempt: number;
  by: string;
  runId: string | null;
  verdict: string;
  code: string | null;
  reason: string;
  /** JSON. */
  evidence: string;
  acted: "won" | "lost" | "none";
  /** When it was looked, by the database's clock. */
  lookAt: number;
}

const recordLooks = (looks: readonly LookRecord[]): SQL => sql`
  update audits set seen_seq = l.value ->> 'seq', seen_since = l.value ->> 'seenSince', last_look_at = l.value ->> 'lookAt',
    queued_at = l.value ->> 'queuedAt', held_at = l.value ->> 'heldAt',
    next_look_at = coalesce(l.value ->> 'nextLookAt', next_look_at), look_delay_ms = coalesce(l.value ->> 'lookDelayMs', look_delay_ms),
    last_evidence = l.value ->> 'evidence', last_verdict = l.value ->> 'verdict'
  from json_each(${JSON.stringify(looks)}) l
  where audits.id = l.value ->> 'auditId' and attempt = l.value ->> 'attempt' and status = 'running'
    and heartbeat_seq = l.value ->> 'seq' and last_look_at is (l.value ->> 'previousLookAt')`;

/**
 * A decision that only looked counts if its look was kept; one that acted is written once, however often its step runs:
 * an attempt is won by one verdict only, and lost once by each run.
 */
const recordDecisions = (decisions: readonly DecisionRecord[]): SQL => sql`
  insert into supervisor_decisions (audit_id, attempt, at, by, run_id, verdict, code, reason, evidence, acted, detection_ms)
  select d.value ->> 'auditId', d.value ->> 'attempt', ${dbNow}, d.value ->> 'by', d.value ->> 'runId', d.value ->> 'verdict',
    d.value ->> 'code', d.value ->> 'reason', d.value ->> 'evidence', d.value ->> 'acted',
    case when d.value ->> 'acted' = 'won' then t.detection_ms end
  from json_each(${JSON.stringify(decisions)}) d
  left join audit_attempts t on t.audit_id = d.value ->> 'auditId' and t.attempt = d.value ->> 'attempt'
  where case d.value ->> 'acted'
    when 'none' then exists (select 1 from audits a where a.id = d.value ->> 'auditId' and a.attempt = d.value ->> 'attempt'
      and a.status = 'running' and a.last_look_at = d.value ->> 'lookAt')
    else not exists (select 1 from supervisor_decisions x where x.audit_id = d.value ->> 'auditId'
      and x.attempt = d.value ->> 'attempt' and x.acted = d.value ->> 'acted'
      and (x.acted = 'won' or (x.by = d.value ->> 'by' and x.run_id is (d.value ->> 'runId'))))
    end`;

/**
 * `create()` made an instance that had been missing: it has a new promise for its first beat, and looks begin anew. Only
 * while it has never beaten.
 */
const promiseAnew = (recreated: readonly { auditId: string; attempt: number }[]): SQL => sql`
  update audits set heartbeat_due_at = ${dbNow} + ${FIRST_PROMISE_MS}, seen_seq = null, seen_since = null, last_look_at = null,
    queued_at = null, held_at = null, next_look_at = 0, look_delay_ms = 0
  from json_each(${JSON.stringify(recreated)}) r
  where audits.id = r.value ->> 'auditId' and attempt = r.value ->> 'attempt' and status = 'running' and heartbeat_seq = 0`;

/** Rows are silent longest first; `after` goes on where a page ended. */
export interface OverdueCursor {
  dueAt: number;
  id: string;
}

export class LookRepository {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async record(
    looks: readonly LookRecord[],
    decisions: readonly DecisionRecord[],
    recreated: readonly { auditId: string; attempt: number }[] = [],
  ): Promise<void> {
    const statements: SQL[] = [];
    if (looks.length > 0) statements.push(recordLooks(looks));
    if (decisions.length > 0) statements.push(recordDecisions(decisions));
    if (recreated.length > 0) statements.push(promiseAnew(recreated));
    await runBatch(this.#db, statements);
  }

  /** True: this poll may ask the platform now; at most one in `everyMs` gets a yes, whoever polls. */
  async claimProbe(auditId: string, attempt: number, everyMs: number): Promise<boolean> {
    const results = await runBatch(this.#db, [
      sql`
        update audits set probed_at = ${dbNow}
        where id = ${auditId} and attempt = ${attempt} and status = 'running' and (probed_at is null or probed_at <= ${dbNow} - ${everyMs})`,
    ]);
    return changes(results) > 0;
  }

  /**
   * Overdue audits whose next look has come. A pause between looks holds for the heartbeat that was seen: a run that has
   * beaten since, and fell silent again, is looked at at once. Healthy ones are not even read.
   */
  async overdue(after: OverdueCursor | null, limit: number): Promise<AuditReading[]> {
    const from = after ?? { dueAt: -1, id: "" };
    const rows = await this.#db
      .select({ audit: audits, now: dbNow })
      .from(audits)
      .where(
        sql`status = 'running' and heartbeat_due_at < ${dbNow} and (heartbeat_due_at, id) > (${from.dueAt}, ${from.id})
          and (next_look_at <= ${dbNow} or seen_seq is not heartbeat_seq)`,
      )
      .orderBy(audits.heartbeatDueAt, audits.id)
      .limit(limit);
    return rows;
  }

  /** Audits of an organization that are overdue, or whose last beat is older than `earlyAfterMs`. */
  overdueOf(organizationId: string, earlyAfterMs: number): Promise<AuditReading[]> {
    return this.#db
      .select({ audit: audits, now: dbNow })
      .from(audits)
      .where(
        sql`status = 'running' and organization_id = ${organizationId}
          and (heartbeat_due_at < ${dbNow} or heartbeat_at < ${dbNow} - ${earlyAfterMs})`,
      );
  }

  async counts(): Promise<{ running: number; overdue: number }> {
    const row = await this.#db.get<{ running: number; overdue: number }>(sql`
      select count(*) as running, coalesce(sum(heartbeat_due_at < ${dbNow}), 0) as overdue from audits where status = 'running'`);
    return row ?? { running: 0, overdue: 0 };
  }

  /** In the order of their silence. */
  find(ids: readonly string[]): Promise<AuditReading[]> {
    return this.#db
      .select({ audit: audits, now: dbNow })
      .from(audits)
      .where(sql`id in (select value from json_each(${JSON.stringify(ids)}))`)
      .orderBy(audits.heartbeatDueAt, audits.id);
  }
}

export type { AuditReading, AuditRow };
