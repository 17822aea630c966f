import { sql } from "drizzle-orm";
import type { SiteCheck } from "../check.ts";
import { counted, evidence, finding, hasFailed, isError, ofThisAudit, pageAnswer, pages, shown } from "./sql.ts";
import { isBroken, isImage, isLinked, isOnSite, targetAnswer, targets } from "./targets.ts";

export const brokenLinkChecks: SiteCheck[] = [
  {
    id: "link.broken-internal",
    severity: "error",
    title: "Links lead to a page that does not work",
    why: "Visitors who follow them see an error, and search engines lose the way.",
    fix: "Remove the links, correct their address, or redirect the missing page.",
    source: "https://developers.google.com/search/docs/crawling-indexing/links-crawlable",
    // Pages, and whatever else of the site's own is linked or loaded; images are left to img.broken.
    site: (context) => sql`
      select ${finding({
        urlId: sql`p.url_id`,
        severity: "error",
        evidence: evidence({
          message: sql`${counted(sql`p.inlinks`, "page links", "pages link")} || ' to ' || ${shown(context, "u.url")} || ', which ' || ${pageAnswer(context, "p")}`,
          measured: sql`ifnull(p.final_status, p.failure)`,
        }),
        sources: sql`p.inlink_sample`,
        sourceCount: sql`p.inlinks`,
      })}
      from ${pages(context)}
      where ${ofThisAudit(context)} and p.inlinks > 0 and (${isError("p")} or ${hasFailed("p")})
      union all
      select ${finding({
        urlId: sql`i.url_id`,
        severity: "error",
        evidence: evidence({
          message: sql`${counted(sql`i.inlinks`, "page leads", "pages lead")} || ' to ' || ${shown(context, "u.url")} || ', which ' || ${targetAnswer}`,
          measured: sql`ifnull(t.status, t.failure)`,
        }),
        sources: sql`i.sample`,
        sourceCount: sql`i.inlinks`,
      })}
      from ${targets(context)}
      where i.audit_id = ${context.auditId} and ${isOnSite(context)} and ${isBroken}
        and i.inlinks > 0 and (${isLinked} or not ${isImage})`,
  },
  {
    id: "link.broken-external",
    severity: "warning",
    title: "Links to other sites that do not work",
    why: "Visitors who follow them see an error, and the page looks abandoned.",
    fix: "Update or remove the link. What could not be verified may work in a browser: try it there first.",
    source: null,
    // Only what was confirmed is called broken: a site that turns crawlers away, or stumbles, may work for people.
    site: (context) => {
      const isSure = sql.raw(`(t.outcome in ('broken', 'failed')
        and (t.status in (404, 410) or (t.status is null and t.failure in ('dns', 'tls'))))`);
      return sql`
        select ${finding({
          urlId: sql`i.url_id`,
          severity: sql`iif(${isSure}, 'warning', 'notice')`,
          evidence: evidence({
            message: sql`iif(${isSure}, ${counted(sql`i.inlinks`, "page links", "pages link")} || ' to ' || substr(u.url, 1, 200) || ', which ' || ${targetAnswer},
              'Could not verify ' || substr(u.url, 1, 200) || ': it ' || ${targetAnswer} || ' to our crawler; it may work in a browser')`,
            measured: sql`ifnull(t.status, t.failure)`,
          }),
          sources: sql`i.sample`,
          sourceCount: sql`i.inlinks`,
        })}
        from ${targets(context)}
        where i.audit_id = ${context.auditId} and ${isLinked} and i.inlinks > 0 and not ${isOnSite(context)} and t.outcome <> 'ok'`;
    },
  },
];
