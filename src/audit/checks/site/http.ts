import { sql } from "drizzle-orm";
import type { SiteCheck } from "../check.ts";
import { counted, evidence, finding, inSitemap, isBlocked, ofThisAudit, pageAnswer, pages, shown } from "./sql.ts";

const ERRORS = "https://developers.google.com/search/docs/crawling-indexing/http-network-errors";

/** From this share of 403 answers on, it is the crawler that is turned away. */
const BLOCKED_SHARE = 0.3;

export const httpChecks: SiteCheck[] = [
  {
    id: "http.4xx",
    severity: "error",
    title: "Page is missing",
    why: "Visitors and search engines that follow the link or the sitemap get an error, and the page drops out of search.",
    fix: "Bring the page back, redirect it to its successor, or remove the links and the sitemap entry.",
    source: ERRORS,
    site: (context) => {
      const isKnown = sql`(ifnull(p.inlinks, 0) > 0 or ifnull(p.follow_inlinks, 0) > 0 or ${inSitemap("u")})`;
      const led = sql`case when ifnull(p.inlinks, 0) > 0 then ${counted(sql`p.inlinks`, "page links to it", "pages link to it")}
        when ${inSitemap("u")} then 'a sitemap lists it' when p.follow_inlinks > 0 then 'links lead here through a redirect'
        else 'nothing on the site leads to it' end`;
      return sql`
        select ${finding({
          urlId: sql`p.url_id`,
          severity: sql`iif(${isKnown}, 'error', 'notice')`,
          evidence: evidence({
            message: sql`${shown(context, "u.url")} || ' ' || ${pageAnswer(context, "p")} || '; ' || ${led}`,
            measured: sql`p.final_status`,
          }),
          sources: sql`p.inlink_sample`,
          sourceCount: sql`p.inlinks`,
        })}
        from ${pages(context)}
        where ${ofThisAudit(context)} and p.final_status between 400 and 499
          -- A redirect to a missing page is that page's finding, and redir.broken-target's.
          and (ifnull(p.target_id, p.url_id) = p.url_id or not exists (
            select 1 from audit_pages e where e.audit_id = ${context.auditId} and e.url_id = p.target_id))`;
    },
  },
  {
    id: "http.blocked",
    severity: "notice",
    title: "The site turned the crawler away",
    why: "What these pages hold could not be seen, so nothing is said about them. They may work in a browser.",
    fix: "Allow the crawler's user agent in the firewall or bot protection and audit again.",
    source: null,
    site: (context) => sql`
      select ${finding({
        urlId: sql`p.url_id`,
        severity: "notice",
        evidence: evidence({
          message: sql`'Could not verify ' || ${shown(context, "u.url")} || ': it answered ' || ifnull(p.final_status, 'nothing') || ' to our crawler'`,
          measured: sql`p.final_status`,
          found: sql`ifnull(p.indexability_detail, p.failure_detail)`,
        }),
        sources: sql`p.inlink_sample`,
        sourceCount: sql`p.inlinks`,
      })}
      from ${pages(context)} where p.audit_id = ${context.auditId} and ${isBlocked("p")}
      union all
      select ${finding({
        urlId: sql`0`,
        severity: "notice",
        evidence: evidence({
          message: sql`'We were blocked: ' || refused || ' of ' || answers || ' answers were 403, so this audit shows only part of the site'`,
          measured: sql`round(1.0 * refused / answers, 3)`,
          limit: BLOCKED_SHARE,
          memberCount: sql`refused`,
        }),
      })}
      from (select count(*) as answers, sum(p.final_status = 403) as refused from audit_pages p
        where p.audit_id = ${context.auditId} and p.final_status is not null)
      where answers > 0 and refused >= ${sql.raw(String(BLOCKED_SHARE))} * answers`,
  },
  {
    id: "http.soft404-site",
    severity: "error",
    title: "The site has no 404",
    why: "Addresses that do not exist answer as if they did: search engines waste their visits on them, and mistakes in links stay unseen.",
    fix: "Answer 404 or 410 for addresses that do not exist, with a helpful page if you like.",
    source: `${ERRORS}#soft-404-errors`,
    site: ({ discovery: { probe }, siteOrigin, startUrl }) => {
      if (probe == null) return null;
      const isHome = probe.finalUrl === startUrl || probe.finalUrl === `${siteOrigin}/`;
      const isRedirected = probe.status !== null && probe.status >= 300 && probe.status < 400;
      const isFault = probe.status === 200 || (isRedirected && isHome && probe.finalStatus === 200);
      const message = `A random address that cannot exist answered ${isRedirected ? `${probe.status} and led to the start page` : "200"} instead of 404: ${probe.url}`;
      return sql`
        select ${finding({
          urlId: sql`0`,
          severity: "error",
          evidence: evidence({ message: sql`${message}`, measured: sql`${probe.status}`, target: sql`${probe.url}` }),
        })} where ${isFault ? 1 : 0} = 1`;
    },
  },
  {
    id: "http.soft404",
    severity: "warning",
    title: "Page says that it does not exist, but answers 200",
    why: "Search engines treat it as missing all the same, after they have wasted visits on it.",
    fix: "Answer 404 or 410 for what does not exist; redirect what has moved.",
    source: `${ERRORS}#soft-404-errors`,
    site: (context) => sql`
      select ${finding({
        urlId: sql`p.url_id`,
        severity: "warning",
        evidence: evidence({
          message: sql`${shown(context, "u.url")} || ' answers 200 but reads like a page that does not exist'`,
          measured: sql`p.status`,
          found: sql`ifnull(p.indexability_detail, p.title)`,
        }),
        sources: sql`p.inlink_sample`,
        sourceCount: sql`p.inlinks`,
      })}
      from ${pages(context)} where ${ofThisAudit(context)} and p.indexability = 'soft-404'`,
  },
];
