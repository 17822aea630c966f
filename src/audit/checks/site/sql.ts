/**
 * Pieces of the site checks' queries. Each query is about the rows of one audit: `p` is audit_pages, `u` audit_urls of
 * the same address. Findings are built in SQL, so that they go from table to table and never through memory.
 */
import { type SQL, sql } from "drizzle-orm";
import { SOURCE } from "../../../storage/schema.ts";
import type { SiteContext } from "../check.ts";

/** Members that a cluster's issue names. */
export const MEMBERS = 20;
/** Characters of foreign text in a message. */
const QUOTED = 200;

/** Pages with their addresses. */
export const pages = ({ auditId }: SiteContext): SQL =>
  sql`audit_pages p cross join audit_urls u on u.audit_id = ${auditId} and u.id = p.url_id`;

/** The condition that goes with `pages`: this audit's, and not kept out by the site: nothing else is known of those. */
export const ofThisAudit = ({ auditId }: SiteContext): SQL => sql`p.audit_id = ${auditId} and not ${isBlocked("p")}`;

/** The site kept the crawler out: its answer says nothing about the page. */
export const isBlocked = (alias: string): SQL => {
  const p = sql.raw(alias);
  return sql`(${p}.indexability = 'blocked-by-bot-protection' or ifnull(${p}.final_status, 0) in (401, 403, 429, 451, 999))`;
};

/** The answer after all redirects is an error. */
export const isError = (alias: string): SQL => sql.raw(`ifnull(${alias}.final_status, 0) between 400 and 599`);

/** No answer came although it was asked: a visitor would not get one either. */
export const hasFailed = (alias: string): SQL =>
  sql.raw(`(${alias}.failure is not null and ${alias}.failure <> 'robots_disallowed')`);

export const inSitemap = (alias: string): SQL =>
  sql`(${sql.raw(alias)}.source & ${sql.raw(String(SOURCE.sitemap))}) <> 0`;

/** "/path?query" on the audited site, the whole address elsewhere. */
export function shown({ siteOrigin }: SiteContext, url: string): SQL {
  const column = sql.raw(url);
  const length = sql.raw(String(siteOrigin.length));
  return sql`substr(iif(substr(${column}, 1, ${length} + 1) = ${`${siteOrigin}/`}, substr(${column}, ${length} + 1), ${column}), 1, ${sql.raw(String(QUOTED))})`;
}

export const quoted = (text: SQL): SQL => sql`substr(${text}, 1, ${sql.raw(String(QUOTED))})`;

/** Words of ours as a literal: a query takes 100 parameters only. Never for foreign text. */
const literal = (words: string): SQL => sql.raw(`'${words.replaceAll("'", "''")}'`);

/** "1 page links" or "12 pages link". */
export const counted = (count: SQL, one: string, many: string): SQL =>
  sql`(${count} || ' ' || iif(${count} = 1, ${literal(one)}, ${literal(many)}))`;

const FAILURES: Record<string, string> = {
  dns: "has a host name that does not resolve",
  tls: "has no valid TLS certificate",
  connection: "refuses the connection",
  timeout_headers: "did not begin to answer in time",
  timeout_body: "did not finish its answer in time",
  address_not_allowed: "leads to an address inside a network",
  unsupported_scheme: "leads to a scheme that no browser opens",
  redirect_loop: "redirects in a circle",
  too_many_redirects: "redirects too often",
  invalid_location: "redirects to no valid address",
};

/** "answers 404", "redirects in a circle": what came of asking for an address. */
export function answered(status: SQL, failure: SQL): SQL {
  const words = Object.entries(FAILURES).map(([code, text]) => sql`when ${literal(code)} then ${literal(text)}`);
  return sql`case when ${failure} is null then 'answers ' || ${status} else case ${failure} ${sql.join(words, sql` `)} else 'could not be fetched' end end`;
}

/** What an audited page answers, its redirects followed: "answers 404", "redirects to /gone, which answers 404". */
export function pageAnswer(context: SiteContext, page: string): SQL {
  const p = (column: string) => sql.raw(`${page}.${column}`);
  const end = sql`(select ${shown(context, "e.url")} from audit_urls e where e.audit_id = ${context.auditId} and e.id = ${p("target_id")} and e.id <> ${p("url_id")})`;
  return sql`(iif(${p("status")} between 300 and 399 and ${p("failure")} is null, 'redirects' || ifnull(' to ' || ${end}, '') || ', which ', '')
    || ${answered(p("final_status"), p("failure"))})`;
}

/** The evidence object; parts that are null are left out. */
export function evidence(parts: {
  message: SQL;
  measured?: SQL;
  limit?: number;
  found?: SQL;
  target?: SQL;
  members?: SQL;
  memberCount?: SQL;
}): SQL {
  const pairs: SQL[] = [sql`'message', ${parts.message}`];
  if (parts.measured !== undefined) pairs.push(sql`'measured', ${parts.measured}`);
  if (parts.limit !== undefined) pairs.push(sql`'limit', ${sql.raw(String(parts.limit))}`);
  if (parts.found !== undefined) pairs.push(sql`'found', ${quoted(parts.found)}`);
  if (parts.target !== undefined) pairs.push(sql`'target', substr(${parts.target}, 1, 2048)`);
  if (parts.members !== undefined) pairs.push(sql`'members', json(${parts.members})`);
  if (parts.memberCount !== undefined) pairs.push(sql`'memberCount', ${parts.memberCount}`);
  return sql`json_object(${sql.join(pairs, sql`, `)})`;
}

/** A finding's columns in the order that the runner inserts them. */
export function finding(columns: {
  urlId: SQL;
  severity: SQL | "error" | "warning" | "notice";
  evidence: SQL;
  sources?: SQL;
  sourceCount?: SQL;
}): SQL {
  const severity = typeof columns.severity === "string" ? sql`${columns.severity}` : columns.severity;
  return sql`${columns.urlId} as url_id, ${severity} as severity, ${columns.evidence} as evidence,
    ${columns.sources ?? sql`null`} as sources, ${columns.sourceCount ?? sql`null`} as source_count`;
}

/** The page is drawn by script: what its HTML says about texts is nothing. */
export const isAppShell = ({ auditId }: SiteContext): SQL =>
  sql`exists (select 1 from audit_issues s where s.audit_id = ${auditId} and s.check_id = 'content.js-shell' and s.url_id = p.url_id)`;
