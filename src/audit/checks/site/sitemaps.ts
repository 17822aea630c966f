import { sql } from "drizzle-orm";
import { SOURCE } from "../../../storage/schema.ts";
import type { SiteCheck } from "../check.ts";
import { evidence, finding, inSitemap, isError, ofThisAudit, pageAnswer, pages, shown } from "./sql.ts";

const SITEMAPS = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap";

export const sitemapChecks: SiteCheck[] = [
  {
    id: "sitemap.bad-url",
    severity: "error",
    title: "The sitemap lists an address that does not belong there",
    why: "A sitemap is for pages that answer 200 and may be shown; others waste visits and make search engines doubt the rest.",
    fix: "List the final, canonical address, or take the entry out.",
    source: SITEMAPS,
    site: (context) => sql`
      select ${finding({
        urlId: sql`p.url_id`,
        severity: sql`iif(${isError("p")}, 'error', 'warning')`,
        evidence: evidence({
          message: sql`'A sitemap lists ' || ${shown(context, "u.url")} || ', which '
            || case when ${isError("p")} then ${pageAnswer(context, "p")}
              when p.status between 300 and 399 then 'redirects (' || p.status || ')' || ifnull(' to ' || ${shown(context, "e.url")}, '')
              else 'names ' || ${shown(context, "e.url")} || ' as canonical' end`,
          measured: sql`p.final_status`,
          target: sql`e.url`,
        }),
      })}
      from ${pages(context)}
      left join audit_urls e on e.audit_id = ${context.auditId}
        and e.id = iif(p.status between 300 and 399, p.target_id, p.canonical_id)
      where ${ofThisAudit(context)} and ${inSitemap("u")}
        and (${isError("p")} or p.status between 300 and 399 or p.indexability = 'canonicalised')
      union all
      select ${finding({
        urlId: sql`u.id`,
        severity: "error",
        evidence: evidence({
          message: sql`'A sitemap lists ' || ${shown(context, "u.url")} || ', which robots.txt refuses'`,
        }),
      })}
      from audit_urls u where u.audit_id = ${context.auditId} and ${inSitemap("u")} and u.refusal like 'robots%'`,
  },
  {
    id: "sitemap.not-listed",
    severity: "notice",
    title: "Page is in no sitemap",
    why: "Search engines find it only by its links, and learn of changes later.",
    fix: "Add it to the sitemap; best is a sitemap that the site makes by itself.",
    source: SITEMAPS,
    // Only a site that has a sitemap can forget a page in it, and only a whole crawl knows the pages.
    site: (context) =>
      context.crawlCompleted && context.discovery.sitemaps.some((sitemap) => sitemap.urls > 0)
        ? sql`
          select ${finding({
            urlId: sql`p.url_id`,
            severity: "notice",
            evidence: evidence({ message: sql`${shown(context, "u.url")} || ' can be indexed but is in no sitemap'` }),
          })}
          from ${pages(context)}
          where ${ofThisAudit(context)} and p.indexability = 'indexable' and p.status = 200
            and (u.source & ${sql.raw(String(SOURCE.sitemap | SOURCE.list))}) = 0`
        : null,
  },
];
