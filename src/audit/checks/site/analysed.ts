/** Words of findings that the analysis makes in memory: see audit/analysis/. */
import { NEAR_DUPLICATE_FROM } from "../../analysis/near-duplicates.ts";
import type { CrawlCheck } from "../check.ts";

const ROBOTS = "https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt";

export const analysedChecks: CrawlCheck[] = [
  {
    id: "content.near-dup",
    severity: "notice",
    title: "Pages have nearly the same main text",
    why: `Their texts are at least ${NEAR_DUPLICATE_FROM * 100} % alike, so search engines may show only one of them.`,
    fix: "Join them into one page, name the one that counts with rel=canonical, or give each a text of its own.",
    source: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    foundBy: "audit/analysis/near-duplicates.ts",
  },
  {
    id: "perf.ttfb",
    severity: "notice",
    title: "Pages are slow to answer",
    why: "Nothing can be shown before the first byte has come, and a slow server also slows search engines down.",
    fix: "Cache the page, or find out what its server waits for.",
    source: "https://web.dev/articles/ttfb",
    foundBy: "audit/analysis/response-times.ts",
  },
  {
    id: "link.nofollow-internal",
    severity: "notice",
    title: "Links inside the site carry nofollow",
    why: "It tells search engines not to count the link, although the page behind it may be indexed.",
    fix: "Remove nofollow from links to pages that matter.",
    source: "https://developers.google.com/search/docs/crawling-indexing/qualify-outbound-links",
    foundBy: "audit/analysis/site-pass.ts",
  },
  {
    id: "link.fragment",
    severity: "notice",
    title: "Links to a place in a page that is not there",
    why: "The page opens at its top instead of at the place that the link promises.",
    fix: "Correct the part after #, or give the element that id.",
    source: "https://html.spec.whatwg.org/multipage/browsing-the-web.html#scrolling-to-a-fragment",
    foundBy: "audit/analysis/fragments.ts",
  },
  {
    id: "robots.blocks-linked",
    severity: "warning",
    title: "robots.txt keeps Googlebot from pages that the site leads to",
    why: "Their content cannot be seen, and they may still be shown in search without a text.",
    fix: "Allow them in robots.txt; or keep them out, and remove them from the sitemap and the links.",
    source: ROBOTS,
    foundBy: "audit/analysis/robots-blocks.ts",
  },
  {
    id: "robots.blocks-assets",
    severity: "warning",
    title: "robots.txt keeps Googlebot from styles or scripts",
    why: "Google draws pages as a browser does; without these files it may see an empty or broken page.",
    fix: "Allow the styles and scripts of indexable pages in robots.txt.",
    source: "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
    foundBy: "audit/analysis/robots-blocks.ts",
  },
  {
    id: "robots.noindex-unseen",
    severity: "error",
    title: "robots.txt hides a noindex",
    why: "A search engine that may not open the page never learns that it must not be shown.",
    fix: "Allow the page in robots.txt until it has left the index.",
    source: "https://developers.google.com/search/docs/crawling-indexing/block-indexing",
    foundBy: "audit/analysis/robots-blocks.ts",
  },
  {
    id: "url.quality",
    severity: "notice",
    title: "Addresses are hard to handle",
    why: "Odd addresses are copied wrongly, crawled twice under several spellings, and cut off in mails and messages.",
    fix: "Keep addresses short, in lower case, with hyphens, and with few parameters in one fixed order.",
    source: "https://developers.google.com/search/docs/crawling-indexing/url-structure",
    foundBy: "audit/analysis/url-quality.ts",
  },
];
