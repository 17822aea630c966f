import { type SQL, sql } from "drizzle-orm";
import type { SiteCheck, SiteContext } from "../check.ts";
import { evidence, finding, isBlocked, isError, ofThisAudit, pages, shown } from "./sql.ts";
import { targetAnswer } from "./targets.ts";

const CANONICAL = "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls";

/** Pages that name another address as their canonical one, with that address `cu`. */
const canonicalised = (context: SiteContext): SQL => sql`
  ${pages(context)} cross join audit_urls cu on cu.audit_id = ${context.auditId} and cu.id = p.canonical_id`;

const namesAnother = (context: SiteContext): SQL =>
  sql`${ofThisAudit(context)} and p.status between 200 and 299 and p.canonical_id <> p.url_id`;

const message = (context: SiteContext, fault: SQL): SQL =>
  sql`${shown(context, "u.url")} || ' names ' || ${shown(context, "cu.url")} || ' as canonical, which ' || ${fault}`;

export const canonicalChecks: SiteCheck[] = [
  {
    id: "canon.to-bad",
    severity: "error",
    title: "The canonical address cannot be indexed",
    why: "The page asks to be replaced by one that search engines cannot show: it may vanish from search altogether.",
    fix: "Name an address that answers 200 and may be indexed, usually the page's own.",
    source: CANONICAL,
    site: (context) => sql`
      select ${finding({
        urlId: sql`p.url_id`,
        severity: "error",
        evidence: evidence({
          message: message(
            context,
            sql`case when c.status between 300 and 399 then 'redirects (' || c.status || ')'
              when ${isError("c")} then 'answers ' || c.final_status when c.noindex = 1 then 'says noindex'
              when c.url_id is not null then 'cannot be fetched'
              when t.url_id is not null then ${targetAnswer} else 'robots.txt refuses' end`,
          ),
          target: sql`cu.url`,
        }),
      })}
      from ${canonicalised(context)}
      left join audit_pages c on c.audit_id = ${context.auditId} and c.url_id = p.canonical_id
      left join audit_targets t on t.audit_id = ${context.auditId} and t.url_id = p.canonical_id
      where ${namesAnother(context)} and (
        (c.url_id is not null and not ${isBlocked("c")} and (c.status between 300 and 399 or ${isError("c")} or c.noindex = 1))
        or (c.url_id is null and t.outcome = 'broken' and t.status between 400 and 599)
        or (c.url_id is null and cu.refusal like 'robots%'))`,
  },
  {
    id: "canon.chain",
    severity: "warning",
    title: "The canonical address names yet another one",
    why: "Search engines may follow neither of them and choose by themselves.",
    fix: "Name the last address of the chain on every page of it.",
    source: CANONICAL,
    site: (context) => sql`
      select ${finding({
        urlId: sql`p.url_id`,
        severity: "warning",
        evidence: evidence({
          message: message(
            context,
            sql`'names ' || iif(c.canonical_id = p.url_id, 'the first one again', ${shown(context, "nu.url")})`,
          ),
          target: sql`cu.url`,
        }),
      })}
      from ${canonicalised(context)}
      cross join audit_pages c on c.audit_id = ${context.auditId} and c.url_id = p.canonical_id
      cross join audit_urls nu on nu.audit_id = ${context.auditId} and nu.id = c.canonical_id
      where ${namesAnother(context)} and c.status between 200 and 299 and c.noindex = 0 and c.canonical_id <> c.url_id`,
  },
];
