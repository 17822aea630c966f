/** What came of one request to one address, redirects followed by hand. */

/** Why no usable response came. Closed: every code has its words in crawl/failures.ts. */
export const FETCH_FAILURES = [
  "dns",
  "tls",
  "connection",
  "timeout_headers",
  "timeout_body",
  "address_not_allowed",
  "unsupported_scheme",
  "redirect_loop",
  "too_many_redirects",
  "invalid_location",
  "robots_disallowed",
  "network",
] as const;
export type FetchFailure = (typeof FETCH_FAILURES)[number];

export interface Hop {
  url: string;
  status: number;
  /** The Location header as received. */
  location: string | null;
}

export interface FetchedPage {
  url: string;
  /** The redirects on the way, the requested address first; empty without one. */
  hops: Hop[];
  finalUrl: string;
  /** Status of the address itself; null when no response came at all. */
  status: number | null;
  finalStatus: number | null;
  failure: { code: FetchFailure; detail: string } | null;
  /** Header names in lower case; repeated headers joined with ", " as the runtime does. */
  headers: Record<string, string>;
  /** Milliseconds from the request of the final address to its headers. */
  ttfbMs: number | null;
  totalMs: number | null;
  /** Decoded bytes read. */
  bytes: number | null;
  truncated: boolean;
  charset: string | null;
  /** Evidence of a bot wall (header, challenge text, status), or null. */
  botWall: string | null;
}
