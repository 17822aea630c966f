/**
 * What the tables and the single views of an audit's pages and issues read, page by page and by keyset. A search reads on
 * until it has found enough: at worst every page (at most 10,000) or every issue of one check.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import type { auditPages } from "./schema.ts";
import type { IssueRow } from "./result-repository.ts";
import type { Severity } from "./schema.ts";

export interface ListedPage {
  urlId: number;
  url: string;
  status: number | null;
  failure: string | null;
  title: string | null;
  indexability: string;
  indexabilityDetail: string | null;
  depth: number | null;
  inlinks: number | null;
  wordCount: number | null;
  bytes: number | null;
  ttfbMs: number | null;
}

/** The class of the address's own status; `none`: no response came. */
export const STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx", "none"] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

export interface PageFilter {
  reason?: string | null;
  status?: StatusClass | null;
  /** Part of the address or the title. */
  q?: string;
}

export interface PageCursor {
  /** The reason that the list has come to, where it is ordered by reason; else "". */
  reason: string;
  urlId: number;
}

export type PageDetail = typeof auditPages.$inferSelect & {
  url: string;
  source: number;
  targetUrl: string | null;
  crawlDepth: number;
};

export interface LinkedAddress {
  id: number;
  url: string;
  /** Set where the address is a page of the audit. */
  status: number | null;
  indexability: string | null;
  /** Set where it was verified as a link target: ok, broken, blocked, failed. */
  outcome: string | null;
  targetStatus: number | null;
  refusal: string | null;
}

const RANGES: Readonly<Record<StatusClass, SQL>> = {
  "2xx": sql`p.status < 300`,
  "3xx": sql`p.status between 300 and 399`,
  "4xx": sql`p.status between 400 and 499`,
  "5xx": sql`p.status >= 500`,
  none: sql`p.status is null`,
};

/** `instr` knows no wildcards, so nothing that is searched for can mean anything else. */
const contains = (column: SQL, q: string): SQL => sql`instr(lower(${column}), ${q.toLowerCase()}) > 0`;

export class PageViewRepository {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Pages that are not indexable come by index pages_by_reason, in the order of their reasons; all others by primary key.
   */
  async pages(auditId: string, filter: PageFilter, after: PageCursor | null, limit: number): Promise<ListedPage[]> {
    const { reason = null, status = null, q = "" } = filter;
    const byReason = (reason !== null && reason !== "indexable") || (status !== null && status !== "2xx");
    const from = after ?? { reason: "", urlId: 0 };
    const conditions = [
      byReason ? sql`p.indexability <> 'indexable'` : sql`1`,
      reason === null ? sql`1` : sql`p.indexability = ${reason}`,
      status === null ? sql`1` : RANGES[status],
      q === "" ? sql`1` : sql`(${contains(sql`u.url`, q)} or ${contains(sql`ifnull(p.title, '')`, q)})`,
      byReason ? sql`(p.indexability, p.url_id) > (${from.reason}, ${from.urlId})` : sql`p.url_id > ${from.urlId}`,
    ];
    return this.#db.all<ListedPage>(sql`
      select p.url_id as urlId, u.url, p.status, p.failure, p.title, p.indexability,
        p.indexability_detail as indexabilityDetail, p.depth, p.inlinks, p.word_count as wordCount, p.bytes,
        p.ttfb_ms as ttfbMs
      from audit_pages p ${byReason ? sql`indexed by pages_by_reason` : sql``}
      cross join audit_urls u on u.audit_id = p.audit_id and u.id = p.url_id
      where p.audit_id = ${auditId} and ${sql.join(conditions, sql` and `)}
      order by ${byReason ? sql`p.indexability, p.url_id` : sql`p.url_id`} limit ${limit}`);
  }

  /** One page with everything that is known of it; by primary key. */
  async page(auditId: string, urlId: number): Promise<PageDetail | null> {
    const row = await this.#db.get<PageDetail | undefined>(sql`
      select u.url, u.source, u.depth as crawlDepth, t.url as targetUrl, p.status, p.final_status as finalStatus, p.failure,
        p.failure_detail as failureDetail, p.hops, p.fetched_at as fetchedAt, p.content_type as contentType, p.charset,
        p.bytes, p.truncated, p.ttfb_ms as ttfbMs, p.total_ms as totalMs, p.indexability,
        p.indexability_detail as indexabilityDetail, p.noindex, p.nofollow, p.title, p.description, p.h1, p.lang,
        p.canonical, p.canonical_id as canonicalId, p.target_id as targetId, p.word_count as wordCount, p.links, p.resources,
        p.hreflang, p.extras, p.depth, p.inlinks, p.follow_inlinks as followInlinks, p.inlink_sample as inlinkSample,
        p.url_id as urlId
      from audit_pages p
      cross join audit_urls u on u.audit_id = p.audit_id and u.id = p.url_id
      left join audit_urls t on t.audit_id = p.audit_id and t.id = p.target_id
      where p.audit_id = ${auditId} and p.url_id = ${urlId}`);
    return row ?? null;
  }

  /** Everything found at one address: one look into the primary key for each check there is. */
  issuesOfPage(
    auditId: string,
    urlId: number,
    checkIds: readonly string[],
  ): Promise<{ check: string; severity: Severity; evidence: string }[]> {
    return this.#db.all(sql`
      select i.check_id as "check", i.severity, i.evidence from json_each(${JSON.stringify(checkIds)}) c
      cross join audit_issues i on i.audit_id = ${auditId} and i.check_id = c.value and i.url_id = ${urlId}`);
  }

  /** What is known of some addresses, by their numbers; three looks into primary keys for each. */
  async addresses(auditId: string, ids: Iterable<number>): Promise<Map<number, LinkedAddress>> {
    const list = JSON.stringify([...new Set(ids)]);
    const rows = await this.#db.all<LinkedAddress>(sql`
      select u.id, u.url, u.refusal, p.status, p.indexability, t.outcome, t.status as targetStatus
      from json_each(${list}) j
      cross join audit_urls u on u.audit_id = ${auditId} and u.id = j.value
      left join audit_pages p on p.audit_id = ${auditId} and p.url_id = u.id
      left join audit_targets t on t.audit_id = ${auditId} and t.url_id = u.id`);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Findings of one check, in the order of their addresses; by primary key from the cursor on. */
  issues(
    auditId: string,
    check: string,
    filter: { q?: string; afterUrlId: number; limit: number },
  ): Promise<(IssueRow & { isPage: number })[]> {
    const { q = "", afterUrlId, limit } = filter;
    return this.#db.all(sql`
      select i.check_id as checkId, i.url_id as urlId, u.url, i.severity, i.evidence, p.url_id is not null as isPage,
        coalesce(i.sources, l.sample, p.inlink_sample) as sources, coalesce(i.source_count, l.inlinks, p.inlinks) as sourceCount
      from audit_issues i
      left join audit_urls u on u.audit_id = i.audit_id and u.id = i.url_id
      left join audit_pages p on p.audit_id = i.audit_id and p.url_id = i.url_id
      left join audit_inlinks l on l.audit_id = i.audit_id and l.url_id = i.url_id
      where i.audit_id = ${auditId} and i.check_id = ${check} and i.url_id > ${afterUrlId}
        ${q === "" ? sql`` : sql`and (${contains(sql`ifnull(u.url, '')`, q)} or ${contains(sql`i.evidence`, q)})`}
      order by i.url_id limit ${limit}`);
  }
}
