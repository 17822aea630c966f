/** How the analysis writes: findings made in memory, findings made in SQL, and what the link graph knows of pages. */
import { type SQL, sql } from "drizzle-orm";
import { jsonChunks } from "../../storage/database.ts";
import { insertRows } from "../../storage/insert-rows.ts";
import type { FoundIssue } from "./found-issue.ts";
import type { SitePass } from "./site-pass.ts";

const ISSUE_COLUMNS = ["audit_id", "check_id", "url_id", "severity", "evidence", "sources", "source_count"] as const;

/** Removes what an earlier analysis of the audit found: a resumed crawl may have mended it. */
export const forgetIssues = (auditId: string, checkIds: readonly string[], holds: SQL): SQL => sql`
  delete from audit_issues where audit_id = ${auditId}
    and check_id in (select value from json_each(${JSON.stringify(checkIds)})) and ${holds}`;

export const saveFound = (auditId: string, issues: readonly FoundIssue[], holds: SQL): SQL[] =>
  insertRows(
    "audit_issues",
    ISSUE_COLUMNS,
    issues.map((issue) => [
      auditId,
      issue.checkId,
      issue.urlId,
      issue.severity,
      JSON.stringify(issue.evidence),
      issue.sources === undefined ? null : JSON.stringify(issue.sources),
      issue.sourceCount ?? null,
    ]),
    holds,
  );

/** Runs a site check's query where its findings are to go. */
export const saveSelected = (
  auditId: string,
  checkId: string,
  query: SQL,
  holds: SQL,
  conflict: "replace" | "ignore" = "replace",
): SQL => sql`
  insert or ${sql.raw(conflict)} into audit_issues (audit_id, check_id, url_id, severity, evidence, sources, source_count)
  select ${auditId}, ${checkId}, url_id, severity, evidence, sources, source_count from (${query}) where ${holds}`;

/** Pages whose rows are made at a time: their samples take a kilobyte each. */
const PAGES_AT_ONCE = 500;

/** One update a page, and none where nothing has changed: a repeated step costs nothing. */
export function* savePages(auditId: string, pass: SitePass, holds: SQL): Generator<SQL> {
  for (let at = 0; at < pass.pageIds.length; at += PAGES_AT_ONCE) {
    const rows = pass.pageIds.slice(at, at + PAGES_AT_ONCE).map((urlId) => pageCells(urlId, pass));
    for (const chunk of jsonChunks(rows)) yield updatePages(auditId, chunk, holds);
  }
}

function pageCells(urlId: number, { graph, depths, softNotFound }: SitePass): (string | number | null)[] {
  const { inlinks, followInlinks, sample } = graph.target(urlId);
  const depth = depths[urlId] ?? -1;
  const soft = softNotFound.has(urlId) ? "soft-404" : null;
  return [urlId, depth === -1 ? null : depth, inlinks, followInlinks, JSON.stringify(sample), soft];
}

/** Unless the rows stand in a table of their own first, SQLite reads the whole JSON again for every page. */
const updatePages = (auditId: string, chunk: string, holds: SQL): SQL => sql`
  with known as materialized (
    select value ->> 0 as id, value ->> 1 as depth, value ->> 2 as inlinks, value ->> 3 as follow, value ->> 4 as sample,
      value ->> 5 as soft
    from json_each(${chunk})
  )
  update audit_pages set depth = k.depth, inlinks = k.inlinks, follow_inlinks = k.follow, inlink_sample = k.sample,
    indexability = ifnull(k.soft, indexability),
    indexability_detail = iif(k.soft is null, indexability_detail, 'reads like the answer to an address that cannot exist')
  from known k
  where audit_id = ${auditId} and url_id = k.id and ${holds}
    and (audit_pages.depth is not k.depth or audit_pages.inlinks is not k.inlinks or follow_inlinks is not k.follow
      or inlink_sample is not k.sample or k.soft <> indexability)`;

const INLINK_COLUMNS = ["audit_id", "url_id", "uses", "inlinks", "follow_inlinks", "sample"] as const;

export function saveInlinks(auditId: string, pass: SitePass, holds: SQL): SQL[] {
  const targets = pass.wanted.map((urlId) => pass.graph.target(urlId)).filter(({ inlinks }) => inlinks > 0);
  return [
    sql`delete from audit_inlinks where audit_id = ${auditId} and ${holds}`,
    ...insertRows(
      "audit_inlinks",
      INLINK_COLUMNS,
      targets.map((t) => [auditId, t.urlId, t.uses, t.inlinks, t.followInlinks, JSON.stringify(t.sample)]),
      holds,
    ),
  ];
}
