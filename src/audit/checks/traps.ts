import type { CrawlCheck } from "./check.ts";

export const trapChecks: CrawlCheck[] = [
  {
    id: "crawl.trap",
    severity: "warning",
    title: "Endless addresses",
    why: "Calendars, filters and links that grow keep search engines busy with the same content for ever.",
    fix: "Link only to what has content of its own; keep the pattern out with robots.txt; mend links that lack their leading slash.",
    source: "https://developers.google.com/search/docs/crawling-indexing/url-structure",
    foundBy: "audit/analysis/trap-issues.ts",
  },
];
