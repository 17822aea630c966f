/** Makes of a fetched page what is kept of it: what robots may do, whether it can be indexed, what the checks found. */
import type { FrontierUrl } from "../../storage/frontier-repository.ts";
import { SOURCE } from "../../storage/schema.ts";
import { judgePage } from "../checks/catalogue.ts";
import { effectiveCanonical, judgeIndexability } from "../checks/indexability.ts";
import type { PageResult } from "./fetch-page.ts";
import { hashKey } from "./hash-key.ts";
import { readLinkHeader } from "./link-header.ts";
import type { CrawledPage } from "./page-rows.ts";
import type { HtmlFacts } from "./html-facts.ts";
import type { CrawlTools } from "./prepare-crawl.ts";
import { readRobotsDirectives } from "./robots-directives.ts";

export function judgeCrawledPage(
  next: FrontierUrl,
  result: PageResult,
  tools: Pick<CrawlTools, "siteOrigin" | "startUrl">,
): CrawledPage {
  const { fetched } = result;
  const html = result.html === null ? null : withLinkHeader(result.html, fetched.headers.link, fetched.url);
  const robots = readRobotsDirectives({
    metas: html?.robotsMetas ?? [],
    header: fetched.headers["x-robots-tag"] ?? null,
    now: Date.now(),
  });
  const canonical = html === null ? null : effectiveCanonical(html, fetched.url);
  const indexability = judgeIndexability(fetched, html, robots, { canonical });
  const findings = judgePage({
    url: fetched.url,
    depth: next.depth,
    inSitemap: (next.source & SOURCE.sitemap) !== 0,
    fetched,
    html,
    robots,
    indexability,
    siteOrigin: tools.siteOrigin,
    isStart: (next.source & SOURCE.start) !== 0,
  });
  return {
    id: next.id,
    depth: next.depth,
    fetched,
    html,
    robots,
    indexability,
    canonical,
    findings,
    titleKey: hashKey(html?.titles[0], html?.lang),
    descriptionKey: hashKey(html?.descriptions[0], html?.lang),
  };
}

/** What the Link header declares counts like the tags in the head. */
function withLinkHeader(html: HtmlFacts, header: string | undefined, url: string): HtmlFacts {
  if (header === undefined) return html;
  const { canonicals, hreflangs } = readLinkHeader(header, url);
  return {
    ...html,
    canonicals: [...html.canonicals, ...canonicals],
    hreflangs: [...html.hreflangs, ...hreflangs.map((link) => ({ ...link, inHead: true }))],
  };
}
