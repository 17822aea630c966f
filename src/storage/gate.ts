/**
 * The one gate through which attempts end, whoever ends them: the Workflow itself, the supervisor, a look at the status,
 * or a person. One batch: each row gets its final status by compare-and-set, its attempt an end, its phases theirs, the
 * platform's instance a pending termination, and analytics one event. Everything hangs on the first update; several
 * endings go through it together, each by its own condition.
 *
 * Known hole, closed by `verdictId`: the batch may win while its response is lost. Then the rows are read back.
 */
import { type SQL, sql } from "drizzle-orm";
import { dbNow } from "./clock.ts";
import { type Database, type DatabaseCost, runBatch } from "./database.ts";
import type { AuditStatus, EndedBy } from "./schema.ts";

export interface Ending {
  auditId: string;
  attempt: number;
  status: Exclude<AuditStatus, "running">;
  by: EndedBy;
  code: string | null;
  detail: string | null;
  /** What the verdict rests on; kept as JSON. */
  evidence: unknown;
  /** Identifies this ending; random. */
  verdictId: string;
  /** The heartbeat that was judged: a run that has beaten since is not ended. Null: whatever it has done since. */
  seq: number | null;
  /** The execution of a step that ends itself: nobody else may have taken over. Null: not a step. */
  stepRun: string | null;
  /** Somebody found the run dead: the time from its last heartbeat to the verdict is recorded. */
  detected: boolean;
  /** How long the platform's instance is left to end by itself before it is terminated. Milliseconds. */
  terminateAfterMs: number;
}

export interface GateOptions {
  /** False: events are stored as skipped, since there is nobody to send them to. */
  analyticsOn: boolean;
  cost?: DatabaseCost;
}

/** True, in a statement over `audits a`, once the row carries the verdict of one of the endings `e`. */
const won = sql.raw("a.id = e.value ->> 'auditId' and a.verdict_id = e.value ->> 'verdictId'");

/**
 * The ids of the audits that these endings ended; all others had moved on, and nothing was written for them. Sending the
 * same endings again ends nothing twice and brings the same answer, even when the audit has been resumed meanwhile.
 */
export async function endAttempts(
  db: Database,
  endings: readonly Ending[],
  options: GateOptions,
): Promise<Set<string>> {
  if (endings.length === 0) return new Set();
  const list = JSON.stringify(
    endings.map((ending) => ({ ...ending, evidence: JSON.stringify(ending.evidence ?? null) })),
  );
  try {
    const results = await runBatch(db, gateStatements(endings, list, options.analyticsOn), options.cost);
    return idsOf(results.at(-1)?.results ?? []);
  } catch (error) {
    const recorded = await readBack(db, list);
    if (recorded !== null && recorded.size > 0) return recorded;
    throw error;
  }
}

function gateStatements(endings: readonly Ending[], list: string, analyticsOn: boolean): SQL[] {
  const uuids = JSON.stringify(Object.fromEntries(endings.map(({ verdictId }) => [verdictId, crypto.randomUUID()])));
  return [
    sql`
      update audits set status = e.value ->> 'status', ended_at = ${dbNow}, ended_by = e.value ->> 'by',
        error_code = e.value ->> 'code', error_detail = e.value ->> 'detail',
        failed_phase = case when e.value ->> 'status' = 'completed' then null else phase end,
        verdict_id = e.value ->> 'verdictId', step_run = null
      from json_each(${list}) e
      where audits.id = e.value ->> 'auditId' and attempt = e.value ->> 'attempt' and status = 'running'
        and (e.value ->> 'seq' is null or heartbeat_seq = e.value ->> 'seq')
        and (e.value ->> 'stepRun' is null or step_run = e.value ->> 'stepRun')`,
    sql`
      update audit_attempts set ended_at = a.ended_at, ended_by = a.ended_by, code = a.error_code, detail = a.error_detail,
        evidence = e.value ->> 'evidence', verdict_id = a.verdict_id, phase = a.phase, terminate_pending = 1,
        terminate_next_at = a.ended_at + (e.value ->> 'terminateAfterMs'),
        detection_ms = case when e.value ->> 'detected' then a.ended_at - a.heartbeat_at end
      from json_each(${list}) e join audits a on ${won}
      where audit_attempts.audit_id = a.id and audit_attempts.attempt = a.attempt`,
    sql`
      update audit_phases set ended_at = a.ended_at
      from json_each(${list}) e join audits a on ${won}
      where audit_phases.audit_id = a.id and audit_phases.attempt = a.attempt and audit_phases.ended_at is null`,
    sql`
      insert or ignore into analytics_outbox (uuid, audit_id, attempt, event, at, payload, state, next_try_at)
      select json_extract(${uuids}, '$.' || json_quote(a.verdict_id)), a.id, a.attempt, 'site_audit:complete', a.ended_at,
        json_object('distinctId', a.started_by, 'organization', a.organization_id, 'properties', json_patch(
          json_object('project_id', a.project_id, 'status', a.status, 'error_code', a.error_code, 'failed_phase', a.failed_phase,
            'pages_crawled', a.pages_crawled, 'pages_total', a.pages_total, 'attempt', a.attempt, 'detection_ms', t.detection_ms),
          case when a.ended_by = 'workflow' then '{}' else json_object('reconciled_by', a.ended_by) end)),
        ${analyticsOn ? "pending" : "skipped"}, a.ended_at
      from json_each(${list}) e join audits a on ${won}
      join audit_attempts t on t.audit_id = a.id and t.attempt = a.attempt`,
    winners(list),
  ];
}

/** The attempts keep who ended them; the audit's own row forgets it with a resume. */
const winners = (list: string): SQL => sql`
  select t.audit_id as id from json_each(${list}) e
  join audit_attempts t on t.audit_id = e.value ->> 'auditId' and t.attempt = e.value ->> 'attempt' and t.verdict_id = e.value ->> 'verdictId'`;

const idsOf = (rows: readonly unknown[]): Set<string> => new Set(rows.map((row) => (row as { id: string }).id));

async function readBack(db: Database, list: string): Promise<Set<string> | null> {
  try {
    return idsOf(await db.all(winners(list)));
  } catch {
    return null;
  }
}
