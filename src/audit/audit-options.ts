/** What somebody may ask of an audit, as it is kept in audits.options (JSON). */
export interface AuditOptions {
  /** Pages to crawl at most. */
  maxPages: number;
  /** Path patterns with `*`; a page must match one of them. Empty: every page. */
  include: string[];
  /** Path patterns with `*`; a page that matches one is not crawled. */
  exclude: string[];
  /** Hosts below the site's own belong to it. */
  subdomains: boolean;
  /** Clicks from the start page at most; null: no limit. */
  maxDepth: number | null;
  /** Only these addresses, no links followed. Empty: crawl. */
  list: string[];
  /** Only what the sitemaps list, no links followed. */
  sitemapOnly: boolean;
  /** Query parameters that do not tell pages apart. */
  ignoreParameters: string[];
  /** Null: the product's own. */
  userAgent: string | null;
  /** Between the starts of two requests. Milliseconds. */
  requestDelayMs: number;
  /** Encrypted custom headers and basic auth; see audit/secrets.ts. Null: none. */
  secrets: string | null;
  /** Not asked for but noted by the door: the host that the start was sent to, which the audit must not reach. */
  ownHost?: string;
}

export const DEFAULT_OPTIONS: AuditOptions = {
  maxPages: 500,
  include: [],
  exclude: [],
  subdomains: false,
  maxDepth: null,
  list: [],
  sitemapOnly: false,
  ignoreParameters: [],
  userAgent: null,
  requestDelayMs: 0,
  secrets: null,
};

export const parseOptions = (json: string): AuditOptions => ({
  ...DEFAULT_OPTIONS,
  ...(JSON.parse(json) as Partial<AuditOptions>),
});
