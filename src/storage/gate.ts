/**
 * The one gate through which an attempt ends, whoever ends it: the Workflow itself, the supervisor, a look at the
 * status, or a person. One batch: the row gets its final status by compare-and-set, the attempt its end, the phases
 * theirs, the platform's instance a pending termination, and analytics one event. Everything hangs on the first update.
 *
 * Known hole, closed by `verdictId`: the batch may win while its response is lost. Then the row is read back.
 */
import { type SQL, sql } from "drizzle-orm";
import { dbNow } from "./clock.ts";
import { changes, type Database, type DatabaseCost, runBatch } from "./database.ts";
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
  /** What else must hold of the row: the fence's step_run, or the heartbeat that was judged. */
  onlyIf: SQL;
  /** Milliseconds from the last heartbeat to the verdict are recorded when somebody found the run dead. */
  detected: boolean;
  /** How long the platform's instance is left to end by itself before it is terminated. Milliseconds. */
  terminateAfterMs: number;
  /** Written with the ending, each under `endingWon`. */
  alongside?: readonly SQL[];
  /** False: the event is stored as skipped, since there is nobody to send it to. */
  analyticsOn: boolean;
}

/** True in the same batch once the ending has won. */
export const endingWon = (ending: Pick<Ending, "auditId" | "verdictId">): SQL =>
  sql`exists (select 1 from audits where id = ${ending.auditId} and verdict_id = ${ending.verdictId})`;

/** True: this ending is the one that is recorded. False: the row had moved on, nothing was written. */
export async function endAttempt(db: Database, ending: Ending, cost?: DatabaseCost): Promise<boolean> {
  try {
    return changes(await runBatch(db, endingStatements(ending), cost)) > 0;
  } catch (error) {
    if (await wasRecorded(db, ending)) return true;
    throw error;
  }
}

function endingStatements(ending: Ending): SQL[] {
  const { auditId, attempt, status, by, code, detail, verdictId } = ending;
  const won = endingWon(ending);
  const evidence = JSON.stringify(ending.evidence ?? null);
  return [
    sql`
      update audits set status = ${status}, ended_at = ${dbNow}, ended_by = ${by}, error_code = ${code}, error_detail = ${detail},
        failed_phase = case when ${status} = 'completed' then null else phase end, verdict_id = ${verdictId}, step_run = null
      where id = ${auditId} and attempt = ${attempt} and status = 'running' and ${ending.onlyIf}`,
    sql`
      update audit_attempts set ended_at = ${dbNow}, ended_by = ${by}, code = ${code}, detail = ${detail}, evidence = ${evidence},
        verdict_id = ${verdictId}, terminate_pending = 1, terminate_next_at = ${dbNow} + ${ending.terminateAfterMs},
        phase = (select phase from audits where id = ${auditId}),
        detection_ms = case when ${ending.detected ? 1 : 0} = 1
          then (select ${dbNow} - heartbeat_at from audits where id = ${auditId}) end
      where audit_id = ${auditId} and attempt = ${attempt} and ${won}`,
    sql`
      update audit_phases set ended_at = ${dbNow}
      where audit_id = ${auditId} and attempt = ${attempt} and ended_at is null and ${won}`,
    sql`
      insert or ignore into analytics_outbox (uuid, audit_id, attempt, event, at, payload, state, next_try_at)
      select ${crypto.randomUUID()}, a.id, a.attempt, 'site_audit:complete', ${dbNow},
        json_object('distinctId', a.started_by, 'organization', a.organization_id, 'properties', json_patch(json_object(
          'project_id', a.project_id, 'status', a.status, 'error_code', a.error_code, 'failed_phase', a.failed_phase,
          'pages_crawled', a.pages_crawled, 'pages_total', a.pages_total, 'attempt', a.attempt,
          'detection_ms', (select detection_ms from audit_attempts t where t.audit_id = a.id and t.attempt = a.attempt)),
          ${JSON.stringify(by === "workflow" ? {} : { reconciled_by: by })})),
        ${ending.analyticsOn ? "pending" : "skipped"}, ${dbNow}
      from audits a where a.id = ${auditId} and a.verdict_id = ${verdictId}`,
    ...(ending.alongside ?? []),
  ];
}

async function wasRecorded(db: Database, ending: Ending): Promise<boolean> {
  const row = await db.get<{ won: number }>(sql`select ${endingWon(ending)} as won`).catch(() => undefined);
  return row?.won === 1;
}
