/** What the supervisor's page shows of its past. Reads grow with what was decided in the time shown, not with audits. */
import { sql } from "drizzle-orm";
import { dbNow } from "./clock.ts";
import type { Database } from "./database.ts";
import type { SupervisorDecision, SupervisorRun } from "./supervisor-repository.ts";

export interface Detection {
  auditId: string;
  attempt: number;
  url: string;
  code: string;
  endedAt: number;
  /** From the last heartbeat to the verdict. Milliseconds. */
  detectionMs: number;
  /** Heartbeats that came after the verdict: a false alarm, where the code is heartbeat_lost. */
  lateBeats: number;
  by: string;
}

export type OwnDecision = SupervisorDecision & { url: string };

export class SupervisionViewRepository {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Runs that began since then, oldest first, by index supervisor_runs_by_start. */
  runsSince(since: number, limit: number): Promise<Omit<SupervisorRun, "report">[]> {
    return this.#db.all(sql`
      select id, started_by as startedBy, slot_at as slotAt, started_at as startedAt, ended_at as endedAt, outcome, checked,
        failed, status_calls as statusCalls
      from supervisor_runs where started_at >= ${since} order by started_at limit ${limit}`);
  }

  /**
   * Deaths that somebody other than the run itself found in the last `days`, newest first, by index attempts_by_end: reads
   * every attempt that ended since then.
   */
  detections(organizationId: string, days: number, limit: number): Promise<Detection[]> {
    return this.#db.all(sql`
      select t.audit_id as auditId, t.attempt, a.url, t.code, t.ended_at as endedAt, t.detection_ms as detectionMs,
        t.late_beats as lateBeats, t.ended_by as "by"
      from audit_attempts t cross join audits a on a.id = t.audit_id
      where t.ended_at > ${dbNow} - ${days * 24 * 3_600_000} and t.detection_ms is not null and t.code is not null
        and a.organization_id = ${organizationId} and a.deleted_at is null
      order by t.ended_at desc limit ${limit}`);
  }

  /** Decisions about the organization's audits, newest first; reads past those about others. */
  decisions(organizationId: string, before: number | null, limit: number): Promise<OwnDecision[]> {
    return this.#db.all(sql`
      select d.id, d.audit_id as auditId, d.attempt, d.at, d.by, d.run_id as runId, d.verdict, d.code, d.reason, d.evidence,
        d.acted, d.detection_ms as detectionMs, a.url
      from supervisor_decisions d cross join audits a on a.id = d.audit_id
      where a.organization_id = ${organizationId} and a.deleted_at is null ${before === null ? sql`` : sql`and d.id < ${before}`}
      order by d.id desc limit ${limit}`);
  }
}
