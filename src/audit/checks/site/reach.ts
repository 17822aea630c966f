import { sql } from "drizzle-orm";
import { SOURCE } from "../../../storage/schema.ts";
import type { SiteCheck } from "../check.ts";
import { counted, evidence, finding, inSitemap, ofThisAudit, pages, shown } from "./sql.ts";

/** Clicks from the start page. */
const DEEP = 4;
const VERY_DEEP = 6;

const bits = (mask: number) => sql.raw(String(mask));

export const reachChecks: SiteCheck[] = [
  {
    id: "link.orphan",
    severity: "warning",
    title: "Page in the sitemap that no page links to",
    why: "Visitors cannot reach it, and search engines take it for unimportant.",
    fix: "Link to it from a page where its readers are, or take it out of the sitemap.",
    source: "https://developers.google.com/search/docs/crawling-indexing/links-crawlable",
    // A crawl that was cut has not seen every link: silence would prove nothing.
    site: (context) =>
      context.crawlCompleted
        ? sql`
          select ${finding({
            urlId: sql`p.url_id`,
            severity: "warning",
            evidence: evidence({
              message: sql`'A sitemap lists ' || ${shown(context, "u.url")} || ', but no page links to it' || iif(p.inlinks > 0, ' without nofollow', '')`,
              measured: sql`p.follow_inlinks`,
              limit: 1,
            }),
            sources: sql`p.inlink_sample`,
            sourceCount: sql`p.inlinks`,
          })}
          from ${pages(context)}
          where ${ofThisAudit(context)} and ${inSitemap("u")} and (u.source & ${bits(SOURCE.start | SOURCE.list)}) = 0
            and p.indexability = 'indexable' and p.follow_inlinks = 0 and ifnull(p.depth, 1) <> 0`
        : null,
  },
  {
    id: "link.depth",
    severity: "notice",
    title: "Page is many clicks away from the start page",
    why: "Few visitors get that far, and search engines visit such pages rarely.",
    fix: "Link to it from a page that is nearer to the start page, such as its category.",
    source: null,
    site: (context) => sql`
      select ${finding({
        urlId: sql`p.url_id`,
        severity: sql`iif(p.depth >= ${bits(VERY_DEEP)}, 'warning', 'notice')`,
        evidence: evidence({
          message: sql`${shown(context, "u.url")} || ' is ' || p.depth || ' clicks away from the start page (limit ${bits(DEEP - 1)})'`,
          measured: sql`p.depth`,
          limit: DEEP - 1,
        }),
        sources: sql`p.inlink_sample`,
        sourceCount: sql`p.inlinks`,
      })}
      from ${pages(context)}
      where ${ofThisAudit(context)} and p.depth >= ${bits(DEEP)} and p.indexability = 'indexable'`,
  },
  {
    id: "redir.temp-internal",
    severity: "notice",
    title: "Links lead through a lasting temporary redirect",
    why: "The redirect has been the same for two audits, so it is not temporary, and every visit pays for it.",
    fix: "Link to the final address, and make the redirect permanent (301 or 308).",
    source: "https://developers.google.com/search/docs/crawling-indexing/301-redirects",
    site: (context) =>
      context.previousAuditId == null
        ? null
        : sql`
          select ${finding({
            urlId: sql`p.url_id`,
            severity: "notice",
            evidence: evidence({
              message: sql`${counted(sql`p.inlinks`, "page links", "pages link")} || ' to ' || ${shown(context, "u.url")} || ', which redirects with ' || p.status || ' to the same page as in the audit before'`,
              measured: sql`p.status`,
              target: sql`e.url`,
            }),
            sources: sql`p.inlink_sample`,
            sourceCount: sql`p.inlinks`,
          })}
          from ${pages(context)}
          cross join audit_urls e on e.audit_id = ${context.auditId} and e.id = p.target_id
          cross join audit_urls bu on bu.audit_id = ${context.previousAuditId} and bu.key = u.key
          cross join audit_pages b on b.audit_id = ${context.previousAuditId} and b.url_id = bu.id
          cross join audit_urls be on be.audit_id = ${context.previousAuditId} and be.id = b.target_id
          where ${ofThisAudit(context)} and p.inlinks > 0 and p.status in (302, 303, 307) and b.status in (302, 303, 307)
            and be.key = e.key`,
  },
];
