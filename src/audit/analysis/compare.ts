/**
 * An audit beside the one before: issues that are new, fixed or still there, and pages that are new or gone. Issues are
 * the same when check and address are; a cluster whose first page has changed shows as fixed and new.
 *
 * Everything is SQL over both audits' rows. An address that a crawl which was cut did not get to proves nothing: an
 * issue there is neither fixed nor new but "not seen".
 */
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../storage/database.ts";
import type { Severity } from "../../storage/schema.ts";
import type { Change } from "./change-words.ts";

export { CHANGES, type Change } from "./change-words.ts";

export interface Comparison {
  previousAuditId: string;
  issues: Record<Change, number>;
  bySeverity: { change: Change; severity: Severity; count: number }[];
  pages: { new: number; gone: number; still: number };
}

export interface ChangedIssue {
  change: Change;
  check: string;
  severity: Severity;
  /** Empty: the site as a whole. */
  url: string;
  /** JSON of Evidence. */
  evidence: string;
}

export interface ChangedPage {
  change: "new" | "gone";
  url: string;
  status: number | null;
  title: string | null;
}

/** The last completed audit of the same site before this one; null: there is none. */
export async function previousAuditOf(db: Database, auditId: string): Promise<string | null> {
  const row = await db.get<{ id: string } | undefined>(sql`
    select b.id from audits a cross join audits b
      on b.organization_id = a.organization_id and b.created_at < a.created_at and b.id <> a.id
    where a.id = ${auditId} and b.project_id = a.project_id and b.status = 'completed' and b.deleted_at is null
      and b.site_origin = a.site_origin
    order by b.created_at desc limit 1`);
  return row?.id ?? null;
}

/** Issues of one audit, with the key that tells an address in every audit; empty for the site as a whole. */
const issuesOf = (auditId: string): SQL => sql`
  select i.check_id, i.severity, i.evidence, i.url_id, ifnull(u.url, '') as url, ifnull(u.key, '') as key
  from audit_issues i left join audit_urls u on u.audit_id = i.audit_id and u.id = i.url_id
  where i.audit_id = ${auditId}`;

/**
 * The audit can tell whether an issue is there: it has looked at the address, or its crawl was complete, so that what it
 * did not find does not exist.
 */
const canTell = (auditId: string, key: SQL): SQL => sql`(${key} = '' or exists (
    select 1 from audit_urls l where l.audit_id = ${auditId} and l.key = ${key} and l.state <> 0)
  or not exists (select 1 from audit_urls w where w.audit_id = ${auditId} and w.state = 0 and w.queue <= 1))`;

/**
 * The audit has the issue `i` of the other one: the same check at the same address. Findings about the site as a whole
 * are told apart by the file that they are about.
 */
const hasIssue = (auditId: string): SQL => sql`iif(i.key = '', exists (
    select 1 from audit_issues o where o.audit_id = ${auditId} and o.check_id = i.check_id and o.url_id <= 0
      and ifnull(o.evidence ->> 'target', '') = ifnull(i.evidence ->> 'target', '')),
  exists (select 1 from audit_urls m cross join audit_issues o on o.audit_id = ${auditId} and o.check_id = i.check_id and o.url_id = m.id
    where m.audit_id = ${auditId} and m.key = i.key))`;

/** All issues of both audits with what became of them; `side` is 1 for this audit's and 0 for those that only the one before has. */
const changedIssues = (auditId: string, previousId: string): SQL => sql`
  select 1 as side, i.check_id, i.severity, i.evidence, i.url, i.url_id,
    case when ${hasIssue(previousId)} then 'still' when ${canTell(previousId, sql`i.key`)} then 'new' else 'not_seen' end as change
  from (${issuesOf(auditId)}) i
  union all
  select 0, i.check_id, i.severity, i.evidence, i.url, i.url_id, iif(${canTell(auditId, sql`i.key`)}, 'fixed', 'not_seen')
  from (${issuesOf(previousId)}) i where not ${hasIssue(auditId)}`;

/** Pages of `one` whose address `other` has no page for. */
const pagesOnlyIn = (one: string, other: string): SQL => sql`
  from audit_pages p cross join audit_urls u on u.audit_id = ${one} and u.id = p.url_id
  where p.audit_id = ${one} and not exists (
    select 1 from audit_urls ou cross join audit_pages op on op.audit_id = ${other} and op.url_id = ou.id
    where ou.audit_id = ${other} and ou.key = u.key)`;

export async function compareAudits(db: Database, auditId: string, previousAuditId: string): Promise<Comparison> {
  const bySeverity = await db.all<{ change: Change; severity: Severity; count: number }>(sql`
    select change, severity, count(*) as count from (${changedIssues(auditId, previousAuditId)})
    group by change, severity order by change, severity`);
  const issues: Record<Change, number> = { new: 0, fixed: 0, still: 0, not_seen: 0 };
  for (const { change, count } of bySeverity) issues[change] += count;
  const pages = await db.get<{ all: number; new: number; gone: number }>(sql`
    select (select count(*) from audit_pages where audit_id = ${auditId}) as "all",
      (select count(*) ${pagesOnlyIn(auditId, previousAuditId)}) as "new",
      (select count(*) ${pagesOnlyIn(previousAuditId, auditId)}) as gone`);
  const { all, new: added, gone } = pages ?? { all: 0, new: 0, gone: 0 };
  return { previousAuditId, issues, bySeverity, pages: { new: added, gone, still: all - added } };
}

/** Where a list of changed issues goes on. */
export interface ChangeCursor {
  side: number;
  check: string;
  urlId: number;
}

/** Changed issues, `limit` at a time, ordered by side, check and address. The cursor is null after the last one. */
export async function listChangedIssues(
  db: Database,
  { auditId, previousAuditId }: { auditId: string; previousAuditId: string },
  { change, after, limit }: { change?: Change; after?: ChangeCursor | null; limit: number },
): Promise<{ items: ChangedIssue[]; next: ChangeCursor | null }> {
  const from = after ?? { side: -1, check: "", urlId: -1 };
  const rows = await db.all<ChangedIssue & { side: number; urlId: number }>(sql`
    select side, change, check_id as "check", severity, url, evidence, url_id as urlId
    from (${changedIssues(auditId, previousAuditId)})
    where (side, check_id, url_id) > (${from.side}, ${from.check}, ${from.urlId}) ${change === undefined ? sql`` : sql`and change = ${change}`}
    order by side, check_id, url_id limit ${limit + 1}`);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(({ change: kind, check, severity, url, evidence }) => ({
      change: kind,
      check,
      severity,
      url,
      evidence,
    })),
    next: rows.length > limit && last !== undefined ? { side: last.side, check: last.check, urlId: last.urlId } : null,
  };
}

/** Pages that are new, or gone, `limit` at a time, by id. */
export async function listChangedPages(
  db: Database,
  { auditId, previousAuditId }: { auditId: string; previousAuditId: string },
  { change, afterId, limit }: { change: "new" | "gone"; afterId?: number; limit: number },
): Promise<{ items: ChangedPage[]; nextId: number | null }> {
  const [one, other] = change === "new" ? [auditId, previousAuditId] : [previousAuditId, auditId];
  const rows = await db.all<{ urlId: number; url: string; status: number | null; title: string | null }>(sql`
    select p.url_id as urlId, u.url, p.status, p.title ${pagesOnlyIn(one, other)} and p.url_id > ${afterId ?? 0}
    order by p.url_id limit ${limit + 1}`);
  const page = rows.slice(0, limit);
  return {
    items: page.map(({ url, status, title }) => ({ change, url, status, title })),
    nextId: rows.length > limit ? (page.at(-1)?.urlId ?? null) : null,
  };
}
