import { sql } from "drizzle-orm";
import type { SiteCheck } from "../check.ts";
import { evidence, finding, inSitemap, ofThisAudit, pages, shown } from "./sql.ts";

const NOINDEX = "https://developers.google.com/search/docs/crawling-indexing/block-indexing";

/** Share of the site's pages. */
const SITEWIDE = 0.8;

export const indexingChecks: SiteCheck[] = [
  {
    id: "index.noindex-in-sitemap",
    severity: "error",
    title: "The sitemap lists a page that asks not to be indexed",
    why: "The sitemap says that the page matters, the page says that it must not be shown: one of them is wrong.",
    fix: "Take the page out of the sitemap, or remove its noindex.",
    source: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
    site: (context) => sql`
      select ${finding({
        urlId: sql`p.url_id`,
        severity: "error",
        evidence: evidence({
          message: sql`'A sitemap lists ' || ${shown(context, "u.url")} || ', which says noindex'`,
          found: sql`iif(p.indexability = 'noindex', p.indexability_detail, null)`,
        }),
      })}
      from ${pages(context)}
      where ${ofThisAudit(context)} and ${inSitemap("u")} and p.noindex = 1 and p.status between 200 and 299`,
  },
  {
    id: "index.noindex-sitewide",
    severity: "error",
    title: "Almost the whole site asks not to be indexed",
    why: "Search engines drop these pages. Most often a setting of the test system went live.",
    fix: "Remove noindex from the template or the server's headers.",
    source: NOINDEX,
    site: (context) => sql`
      select ${finding({
        urlId: sql`0`,
        severity: "error",
        evidence: evidence({
          message: sql`hidden || ' of ' || pages || ' pages say noindex (limit ${sql.raw(String(SITEWIDE * 100))} %)'`,
          measured: sql`round(1.0 * hidden / pages, 3)`,
          limit: SITEWIDE,
          memberCount: sql`hidden`,
        }),
      })}
      from (select count(*) as pages, sum(p.noindex) as hidden from audit_pages p
        where ${ofThisAudit(context)} and p.status = 200 and p.failure is null
          and p.indexability in ('noindex', 'canonicalised', 'soft-404', 'indexable'))
      where pages > 0 and hidden >= ${sql.raw(String(SITEWIDE))} * pages`,
  },
];
