/** What an audit has found, read page by page: its pages and its issues. */
import { sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import type { Severity } from "./schema.ts";

export interface PageRow {
  urlId: number;
  url: string;
  status: number | null;
  hops: string | null;
  title: string | null;
  description: string | null;
  indexability: string;
  indexabilityDetail: string | null;
  depth: number | null;
  inlinks: number | null;
  wordCount: number | null;
  contentType: string | null;
  bytes: number | null;
  ttfbMs: number | null;
  truncated: number;
  failure: string | null;
  canonical: string | null;
  finalUrl: string | null;
}

export interface IssueRow {
  checkId: string;
  urlId: number;
  url: string | null;
  severity: Severity;
  evidence: string;
  sources: string | null;
  sourceCount: number | null;
}

export interface IssueFilter {
  check?: string;
  severity?: Severity;
}

export class ResultRepository {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  pages(auditId: string, afterId: number, limit: number): Promise<PageRow[]> {
    return this.#db.all<PageRow>(sql`
      select p.url_id as urlId, u.url, p.status, p.hops, p.title, p.description, p.indexability,
        p.indexability_detail as indexabilityDetail, p.depth, p.inlinks, p.word_count as wordCount,
        p.content_type as contentType, p.bytes, p.ttfb_ms as ttfbMs, p.truncated, p.failure, p.canonical, t.url as finalUrl
      from audit_pages p
      cross join audit_urls u on u.audit_id = p.audit_id and u.id = p.url_id
      left join audit_urls t on t.audit_id = p.audit_id and t.id = p.target_id
      where p.audit_id = ${auditId} and p.url_id > ${afterId} order by p.url_id limit ${limit}`);
  }

  /** In the order of checks, then addresses. */
  issues(
    auditId: string,
    after: { check: string; urlId: number },
    limit: number,
    filter: IssueFilter = {},
  ): Promise<IssueRow[]> {
    const { check, severity } = filter;
    return this.#db.all<IssueRow>(sql`
      select i.check_id as checkId, i.url_id as urlId, u.url, i.severity, i.evidence,
        coalesce(i.sources, l.sample, p.inlink_sample) as sources, coalesce(i.source_count, l.inlinks, p.inlinks) as sourceCount
      from audit_issues i
      left join audit_urls u on u.audit_id = i.audit_id and u.id = i.url_id
      left join audit_pages p on p.audit_id = i.audit_id and p.url_id = i.url_id
      left join audit_inlinks l on l.audit_id = i.audit_id and l.url_id = i.url_id
      where i.audit_id = ${auditId} and (i.check_id, i.url_id) > (${after.check}, ${after.urlId})
        ${check === undefined ? sql`` : sql`and i.check_id = ${check}`}
        ${severity === undefined ? sql`` : sql`and i.severity = ${severity}`}
      order by i.check_id, i.url_id limit ${limit}`);
  }

  /** Addresses by their numbers. */
  async urls(auditId: string, ids: Iterable<number>): Promise<Map<number, string>> {
    const list = JSON.stringify([...new Set(ids)]);
    const rows = await this.#db.all<{ id: number; url: string }>(sql`
      select u.id, u.url from json_each(${list}) j cross join audit_urls u on u.audit_id = ${auditId} and u.id = j.value`);
    return new Map(rows.map(({ id, url }) => [id, url]));
  }
}
