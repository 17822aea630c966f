/** Every check that needs more than one page's own facts. */
import type { CrawlCheck, SiteCheck } from "../check.ts";
import { analysedChecks } from "./analysed.ts";
import { brokenLinkChecks } from "./broken-links.ts";
import { canonicalChecks } from "./canonical.ts";
import { duplicateChecks } from "./duplicates.ts";
import { hreflangChecks } from "./hreflang.ts";
import { httpChecks } from "./http.ts";
import { imageChecks } from "./images.ts";
import { indexingChecks } from "./indexing.ts";
import { reachChecks } from "./reach.ts";
import { sitemapChecks } from "./sitemaps.ts";

/** Judged by a query each, after the link graph has been saved. */
export const SITE_CHECKS: readonly SiteCheck[] = [
  ...httpChecks,
  ...indexingChecks,
  ...canonicalChecks,
  ...hreflangChecks,
  ...sitemapChecks,
  ...brokenLinkChecks,
  ...reachChecks,
  ...duplicateChecks,
  ...imageChecks,
];

/** Judged in memory by the analysis. */
export const ANALYSED_CHECKS: readonly CrawlCheck[] = analysedChecks;
