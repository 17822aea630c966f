import { type SQL, sql } from "drizzle-orm";
import type { SiteCheck, SiteContext } from "../check.ts";
import { counted, evidence, finding, hasFailed, isBlocked, isError, MEMBERS, ofThisAudit, shown } from "./sql.ts";

const LOCALIZED = "https://developers.google.com/search/docs/specialty/international/localized-versions";

/**
 * `edges`: which indexable page names which address as its version in which language, itself left out. A page that names
 * another one as canonical takes no part: its set is not the one that counts.
 */
const edges = (context: SiteContext): SQL => sql`
  edges as materialized (
    select p.url_id as source, h.value ->> 0 as lang, h.value ->> 1 as target
    from audit_pages p cross join json_each(p.hreflang) h
    where ${ofThisAudit(context)} and p.hreflang is not null and p.indexability = 'indexable'
      and h.value ->> 1 is not null and h.value ->> 1 <> p.url_id
  )`;

export const hreflangChecks: SiteCheck[] = [
  {
    id: "hreflang.return",
    severity: "error",
    title: "The language version does not point back",
    why: "Search engines ignore a pair of language versions unless both name each other.",
    fix: "List the same set of versions, the page itself included, on every page of the set.",
    source: LOCALIZED,
    site: (context) => sql`
      with ${edges(context)}, missing as (
        select e.source, e.lang, e.target, row_number() over (partition by e.source order by e.target) as place
        from (select source, target, min(lang) as lang from edges group by source, target) e
        cross join audit_pages t on t.audit_id = ${context.auditId} and t.url_id = e.target
        where t.status = 200 and t.failure is null and t.truncated = 0 and t.indexability = 'indexable'
          and not exists (select 1 from edges b where b.source = e.target and b.target = e.source)
      )
      select ${finding({
        urlId: sql`m.source`,
        severity: "error",
        evidence: evidence({
          message: sql`${shown(context, "u.url")} || ' lists ' || group_concat(${shown(context, "tu.url")} || ' as "' || substr(m.lang, 1, 20) || '"', ', ') filter (where m.place <= 3)
            || iif(count(*) > 3, ' and ' || (count(*) - 3) || ' more', '') || iif(count(*) = 1, ', which does not list it back', ', which do not list it back')`,
          measured: sql`count(*)`,
          limit: 0,
          members: sql`json_group_array(m.target) filter (where m.place <= ${sql.raw(String(MEMBERS))})`,
          memberCount: sql`1`,
        }),
      })}
      from missing m
      cross join audit_urls u on u.audit_id = ${context.auditId} and u.id = m.source
      cross join audit_urls tu on tu.audit_id = ${context.auditId} and tu.id = m.target
      group by m.source`,
  },
  {
    id: "hreflang.target",
    severity: "error",
    title: "A language version cannot be shown",
    why: "Search engines drop it from the set, and visitors get the wrong language.",
    fix: "Name the final, canonical, indexable address of each version, or take it out of the set.",
    source: LOCALIZED,
    // At the address that is named: one broken version of a template is one finding, however many pages name it.
    site: (context) => sql`
      with ${edges(context)}, named as (
        select target, min(lang) as lang, source, row_number() over (partition by target order by source) as place
        from edges group by target, source
      ), bad as (
        select p.url_id as target, ${shown(context, "u.url")} as path,
          case when p.status between 300 and 399 then 'redirects (' || p.status || ')'
            when ${isError("p")} then 'answers ' || p.final_status
            when ${hasFailed("p")} then 'could not be fetched'
            when p.noindex = 1 then 'says noindex' else 'names another address as canonical' end as fault
        from (select distinct target from edges) d
        cross join audit_pages p on p.audit_id = ${context.auditId} and p.url_id = d.target
        cross join audit_urls u on u.audit_id = ${context.auditId} and u.id = d.target
        where not ${isBlocked("p")} and (p.status between 300 and 399 or ${isError("p")} or ${hasFailed("p")} or p.noindex = 1
          or p.indexability = 'canonicalised')
        union all
        select t.url_id, ${shown(context, "u.url")}, 'answers ' || t.status
        from (select distinct target from edges) d
        cross join audit_targets t on t.audit_id = ${context.auditId} and t.url_id = d.target
        cross join audit_urls u on u.audit_id = ${context.auditId} and u.id = d.target
        where t.outcome = 'broken' and t.status in (404, 410)
      )
      select ${finding({
        urlId: sql`b.target`,
        severity: "error",
        evidence: evidence({
          message: sql`${counted(sql`count(*)`, "page lists", "pages list")} || ' ' || b.path || ' as the version in "' || substr(min(n.lang), 1, 20) || '", but it ' || b.fault`,
          measured: sql`count(*)`,
        }),
        sources: sql`json_group_array(json_array(n.source, '')) filter (where n.place <= ${sql.raw(String(MEMBERS))})`,
        sourceCount: sql`count(*)`,
      })}
      from bad b join named n on n.target = b.target group by b.target`,
  },
];
