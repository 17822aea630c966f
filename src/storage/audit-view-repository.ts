/**
 * What the list of audits and the head of one audit show. Every query reads a number of rows that does not grow with the
 * pages and issues of an audit; its cost stands beside it.
 */
import { sql } from "drizzle-orm";
import { dbNow } from "./clock.ts";
import type { Database } from "./database.ts";
import type { AuditStatus, Severity } from "./schema.ts";

export interface ListedAudit {
  id: string;
  url: string;
  siteOrigin: string | null;
  status: AuditStatus;
  phase: string;
  attempt: number;
  createdAt: number;
  attemptStartedAt: number;
  endedAt: number | null;
  heartbeatAt: number;
  heartbeatSeq: number;
  heartbeatDueAt: number;
  errorCode: string | null;
  failedPhase: string | null;
  pagesCrawled: number;
  pagesTotal: number;
  score: number | null;
  errors: number | null;
  warnings: number | null;
  notices: number | null;
}

export interface Alarms {
  running: number;
  overdue: number;
  /** Audits that failed within the last day and have not been resumed since. */
  failed: number;
  /** The newest of them. */
  failedId: string | null;
  any: boolean;
}

export interface Beat {
  at: number;
  seq: number;
  pagesCrawled: number;
}

export interface CheckCount {
  check: string;
  severity: Severity;
  count: number;
}

const DAY_MS = 24 * 3_600_000;
/** Six hours of beats, one a minute, and as much again for waits that ran over. */
const MAX_BEATS = 720;
/** Issues of one check and severity that are counted while there is no summary yet. */
export const COUNT_LIMIT = 200;

export class AuditViewRepository {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Newest first, by index audits_by_organization. Unfiltered it reads `limit` rows; a filter reads on until it has found
   * as many, at worst every audit of the organization (some hundred bytes each).
   */
  async list(
    organizationId: string,
    filter: {
      status?: AuditStatus | null;
      q?: string;
      before?: { createdAt: number; id: string } | null;
      limit: number;
    },
  ): Promise<{ audits: ListedAudit[]; now: number }> {
    const { status = null, q = "", before = null, limit } = filter;
    const rows = await this.#db.all<ListedAudit & { now: number }>(sql`
      select id, url, site_origin as siteOrigin, status, phase, attempt, created_at as createdAt,
        attempt_started_at as attemptStartedAt, ended_at as endedAt, heartbeat_at as heartbeatAt,
        heartbeat_seq as heartbeatSeq, heartbeat_due_at as heartbeatDueAt, error_code as errorCode,
        failed_phase as failedPhase, pages_crawled as pagesCrawled, pages_total as pagesTotal,
        summary ->> '$.score' as score, summary ->> '$.issues.error' as errors,
        summary ->> '$.issues.warning' as warnings, summary ->> '$.issues.notice' as notices, ${dbNow} as now
      from audits
      where organization_id = ${organizationId} and deleted_at is null
        ${status === null ? sql`` : sql`and status = ${status}`}
        ${q === "" ? sql`` : sql`and instr(lower(url), ${q.toLowerCase()}) > 0`}
        ${before === null ? sql`` : sql`and (created_at, id) < (${before.createdAt}, ${before.id})`}
      order by created_at desc, id desc limit ${limit}`);
    return { audits: rows, now: rows[0]?.now ?? (await this.now()) };
  }

  async now(): Promise<number> {
    const row = await this.#db.get<{ now: number }>(sql`select ${dbNow} as now`);
    return row?.now ?? Date.now();
  }

  /** Reads the running audits of the organization (at most its capacity) and all attempts that ended within a day. */
  async alarms(organizationId: string): Promise<Alarms> {
    const row = await this.#db.get<Omit<Alarms, "any"> & { any: number }>(sql`
      with failed as (
        select a.id, a.ended_at from audit_attempts t cross join audits a on a.id = t.audit_id and a.attempt = t.attempt
        where t.ended_at > ${dbNow} - ${DAY_MS} and a.organization_id = ${organizationId} and a.status = 'failed'
          and a.deleted_at is null)
      select
        (select count(*) from audits where organization_id = ${organizationId} and status = 'running') as running,
        (select count(*) from audits where organization_id = ${organizationId} and status = 'running'
          and heartbeat_due_at < ${dbNow}) as overdue,
        (select count(*) from failed) as failed,
        (select id from failed order by ended_at desc limit 1) as failedId,
        exists (select 1 from audits where organization_id = ${organizationId} and deleted_at is null) as "any"`);
    const none = { running: 0, overdue: 0, failed: 0, failedId: null, any: 0 };
    const { any, ...alarms } = row ?? none;
    return { ...alarms, any: any === 1 };
  }

  /** The pulse of one attempt, oldest first: at most one row a minute, by primary key. */
  async beats(auditId: string, attempt: number): Promise<Beat[]> {
    const rows = await this.#db.all<Beat>(sql`
      select at, seq, pages_crawled as pagesCrawled from audit_beats
      where audit_id = ${auditId} and attempt = ${attempt} order by minute desc limit ${MAX_BEATS}`);
    return rows.toReversed();
  }

  /**
   * Issues by check and severity of an audit that has no summary yet, each counted up to COUNT_LIMIT: reads at most that
   * many rows a check, by primary key, whatever the audit has found.
   */
  async issueCounts(auditId: string, checkIds: readonly string[]): Promise<CheckCount[]> {
    return this.#db.all<CheckCount>(sql`
      select c.value as "check", i.severity, count(*) as count from json_each(${JSON.stringify(checkIds)}) c
      cross join audit_issues i on i.audit_id = ${auditId} and i.check_id = c.value and i.url_id <= ifnull((
        select l.url_id from audit_issues l where l.audit_id = ${auditId} and l.check_id = c.value
        order by l.url_id limit 1 offset ${COUNT_LIMIT - 1}), ${Number.MAX_SAFE_INTEGER})
      group by 1, 2 order by 1`);
  }

  /** What the discovering phase learnt: JSON of DiscoveryFacts, and why the crawl was cut. Null: it has not come so far. */
  async discovery(auditId: string): Promise<{ facts: string; cutBy: string | null } | null> {
    const row = await this.#db.get<{ facts: string; cutBy: string | null } | undefined>(
      sql`select facts, cut_by as cutBy from audit_discoveries where audit_id = ${auditId}`,
    );
    return row ?? null;
  }
}
