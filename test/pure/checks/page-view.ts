import type { PageView } from "../../../src/audit/checks/check.ts";
import { judgePage, type PageFinding } from "../../../src/audit/checks/catalogue.ts";
import { effectiveCanonical, judgeIndexability } from "../../../src/audit/checks/indexability.ts";
import type { FetchedPage } from "../../../src/audit/crawl/fetched.ts";
import { readLinkHeader } from "../../../src/audit/crawl/link-header.ts";
import { readRobotsDirectives } from "../../../src/audit/crawl/robots-directives.ts";
import { readHtml, words } from "../html/read-html.ts";

export interface Page extends Partial<Pick<PageView, "depth" | "inSitemap" | "siteOrigin" | "isStart">> {
  url?: string;
  /** The document; a page without one is not HTML. */
  html?: string;
  headers?: Record<string, string>;
  fetched?: Partial<FetchedPage>;
  now?: number;
}

export const NOW = Date.UTC(2026, 10, 30);

/** A page as the crawl hands it to the checks, its document read by the real reader. */
export function pageView(page: Page = {}): PageView {
  const url = page.url ?? "https://shop.example/dir/page";
  const headers: Record<string, string> = { "content-type": "text/html; charset=utf-8", ...page.headers };
  const fetched: FetchedPage = {
    url,
    hops: [],
    finalUrl: url,
    status: 200,
    finalStatus: 200,
    failure: null,
    headers,
    ttfbMs: 50,
    totalMs: 60,
    bytes: page.html?.length ?? 0,
    truncated: false,
    charset: "utf-8",
    botWall: null,
    ...page.fetched,
  };
  const html = page.html === undefined ? null : readHtml(page.html, url);
  if (html !== null) {
    const header = readLinkHeader(headers.link, url);
    html.canonicals.push(...header.canonicals);
    html.hreflangs.push(...header.hreflangs.map((alternate) => ({ ...alternate, inHead: true })));
  }
  const robots = readRobotsDirectives({
    metas: html?.robotsMetas ?? [],
    header: headers["x-robots-tag"] ?? null,
    now: page.now ?? NOW,
  });
  const canonical = html === null ? null : effectiveCanonical(html, url);
  return {
    url,
    depth: page.depth ?? 1,
    inSitemap: page.inSitemap ?? false,
    fetched,
    html,
    robots,
    indexability: judgeIndexability(fetched, html, robots, { canonical }),
    siteOrigin: page.siteOrigin ?? "https://shop.example",
    isStart: page.isStart ?? false,
  };
}

/** The finding of one check about the page, or undefined. */
export function finding(check: string, page: Page): PageFinding | undefined {
  return judgePage(pageView(page)).find((found) => found.check === check);
}

export const checksOf = (page: Page): string[] => judgePage(pageView(page)).map(({ check }) => check);

export const GOOD_DESCRIPTION =
  "Spades, rakes and hoes for small and large gardens, made by hand and sent within two days of your order.";

/** A document without any fault, with room for one in the head and one in the body. */
export function goodPage(head = "", body = "", options: { title?: string; text?: string } = {}): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>${options.title ?? "Garden tools made by hand"}</title>
<meta name="description" content="${GOOD_DESCRIPTION}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="og:title" content="Tools"><meta property="og:type" content="website">
<meta property="og:image" content="https://shop.example/og.png"><meta property="og:url" content="https://shop.example/dir/page">
${head}</head><body><main><h1>Garden tools</h1><p>${options.text ?? words(200)}</p>${body}</main></body></html>`;
}
