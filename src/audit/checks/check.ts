/**
 * What a check is. Adding one means adding one entry to one file of this folder; catalogue.ts only lists the files.
 */
import type { SQL } from "drizzle-orm";
import type { Severity } from "../../storage/schema.ts";
import type { FetchedPage } from "../crawl/fetched.ts";
import type { HtmlFacts } from "../crawl/html-facts.ts";
import type { LastmodFacts } from "../crawl/sitemap-collector.ts";
import type { Indexability } from "./indexability.ts";
import type { RobotsDirectives } from "../crawl/robots-directives.ts";

interface Entry {
  /** Stable, as in the catalogue: "title.missing". */
  id: string;
  severity: Severity;
  title: string;
  /** Why it matters to visitors or in search. */
  why: string;
  /** How to mend it. */
  fix: string;
  /** Address of the document that defines the rule; null where it is our judgement. */
  source: string | null;
}

/** Evidence of one finding. Values come from hostile pages: bounded in length, never trusted as markup. */
export interface Evidence {
  /** One sentence: the measured value against the limit. */
  message: string;
  measured?: number | string;
  limit?: number | string;
  /** The tag, header or hop, as found. */
  found?: string;
  /** Members of a cluster: url ids. */
  members?: number[];
  /** How many there are when `members` is only a sample. */
  memberCount?: number;
  /** The address that the finding points at, when it is not the page itself. */
  target?: string;
}

export interface Finding {
  evidence: Evidence;
  /** When it differs from the check's own. */
  severity?: Severity;
}

/** One fetched page with what is known of it alone. */
export interface PageView {
  url: string;
  depth: number;
  inSitemap: boolean;
  fetched: FetchedPage;
  html: HtmlFacts | null;
  robots: RobotsDirectives;
  indexability: Indexability;
  /** The origin that is audited. */
  siteOrigin: string;
  isStart: boolean;
}

/** Judged while crawling, from one page alone; pure. At most one finding a page. */
export interface PageCheck extends Entry {
  page: (page: PageView) => Finding | null;
}

/** What a whole-site check may ask for besides the stored rows. */
export interface SiteContext {
  auditId: string;
  siteOrigin: string;
  startUrl: string;
  /** The frontier is empty: nothing was left out by a budget of pages or time. */
  crawlCompleted: boolean;
  /** Facts of the discovery: robots.txt and sitemaps. */
  discovery: DiscoveryFacts;
  /** The previous completed audit of the same site, for checks that compare two crawls. */
  previousAuditId?: string | null;
}

export interface DiscoveryFacts {
  robots: { url: string; status: number | null; unreachable: boolean; problems: { line: number; message: string }[] };
  sitemaps: {
    url: string;
    status: number | null;
    urls: number;
    problems: string[];
    /** What its lastmod dates look like; absent when it could not be read. */
    lastmod?: LastmodFacts;
  }[];
  /** The answer to a random address that cannot exist; absent: it was not asked. */
  probe?: SoftNotFoundProbe | null;
}

export interface SoftNotFoundProbe {
  url: string;
  status: number | null;
  finalUrl: string | null;
  finalStatus: number | null;
  /** Signature and hash of its main text, as HtmlFacts has them. */
  minhash: string | null;
  textKey: string | null;
}

/**
 * Judged over the stored rows once the crawl is over. The function is pure: it builds a query over audit_pages (p),
 * audit_urls (u), audit_targets and audit_issues, that selects
 * `url_id, severity, evidence (json), sources (json or null), source_count (or null)`, one row a finding.
 * Analyzing runs it as `insert ... select` under the fence, so that nothing passes through memory.
 */
export interface SiteCheck extends Entry {
  site: (context: SiteContext) => SQL | null;
}

/** Judged from the discovery facts alone; pure. The finding is about the site as a whole. */
export interface DiscoveryCheck extends Entry {
  discovery: (context: SiteContext) => (Finding & { url?: string })[];
}

/** Words only: findings of this id are made by another module, named in its entry (crawl traps, blocked crawls). */
export interface CrawlCheck extends Entry {
  foundBy: string;
}

export type Check = PageCheck | SiteCheck | DiscoveryCheck | CrawlCheck;
