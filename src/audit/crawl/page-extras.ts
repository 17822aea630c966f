/** What few checks read of a page, kept as JSON in audit_pages.extras. Absent fields mean "no". */
export interface PageExtras {
  /** Number of non-empty h1 elements and of titles in the head. */
  h1s?: number;
  titles?: number;
  /** Canonical as declared, when it differs from what counts: the values found. */
  canonicals?: string[];
  /** Values of id and a[name], for fragment checks. */
  anchors?: string[];
  /** Fragments that links of this page point at: [url id, fragment]. */
  fragments?: [number, string][];
  /** url id of og:image. */
  ogImage?: number;
  /** Which security headers the response carried: "hsts", "csp", "xcto", "rp". */
  securityHeaders?: string[];
  /** Evidence of a bot wall. */
  botWall?: string;
  /** A client-rendered shell: nothing is known of its text. */
  jsShell?: true;
  /** First 200 characters of the main text. */
  textStart?: string;
  /** Reported with robots: where noindex came from. */
  noindexFrom?: string;
  /** Parameters that only track. */
  trackingParameters?: string[];
}
