/**
 * What a test says about a site that it wants served. No imports here: these shapes travel as JSON between workerd and
 * the process that serves the sites.
 */

/**
 * One answer. In `body`, `redirect` and header values, `{{origin}}` stands for the site's own origin, so that a spec can
 * be written before the port is known.
 */
export interface Route {
  status?: number;
  /** A list sends the header once for each value. Without a content-type, bodies are text/html; charset=utf-8. */
  headers?: Record<string, string | string[]>;
  body?: string;
  /** Bytes as they are, for charsets and binary files; wins over `body`. */
  bodyBase64?: string;
  /** Sends the body that many times, streamed: large bodies without a large spec. */
  repeat?: number;
  /** Compresses the body and says so in content-encoding. */
  gzip?: boolean;
  /** Waits before the headers. Milliseconds. */
  delayMs?: number;
  /** Waits between headers and body. Milliseconds. */
  bodyDelayMs?: number;
  /** Location; status 302 unless `status` says otherwise. */
  redirect?: string;
  /** Never sends the headers, or never the rest of the body (half of it is sent). */
  hang?: "headers" | "body";
  /** Sends `body` (or some HTML) over and over for as long as somebody reads. */
  endless?: "body";
  /** /x leads to /x?n=1, that to /x?n=2, and so on for ever. */
  endlessRedirect?: boolean;
  /** Cuts the connection. */
  destroy?: "before-headers" | "mid-body";
  /** Waits, before the headers, until the test opens the gate of that name. A gate once open stays open. */
  gate?: string;
  /** Status for HEAD requests, for servers that refuse them. */
  headStatus?: number;
}

/** A site of `pages` clean pages /p/0, /p/1, ... and /, each with `links` distinct links and `bytes` bytes. */
export interface Generated {
  pages: number;
  links: number;
  bytes: number;
  /** Before the headers of each generated page. Milliseconds. */
  delayMs?: number;
  /** Serves a robots.txt that allows everything (default true). */
  robots?: boolean;
  /** Serves /sitemap.xml with every page and names it in robots.txt (default false). */
  sitemap?: boolean;
}

export interface SiteSpec {
  /** By path with query string, or by path alone. A list is served one after the other; its last entry repeats. */
  routes?: Record<string, Route | Route[]>;
  generate?: Generated;
  /** For everything that neither routes nor pages match; 404 without it. */
  fallback?: Route;
}

export interface LoggedRequest {
  method: string;
  /** Path with query string, as received. */
  path: string;
  headers: Record<string, string | string[]>;
  /** When it arrived, and when its response headers went out (null: not yet, or never). Milliseconds since the epoch. */
  time: number;
  headersAt: number | null;
  /** Status that was sent. */
  status: number | null;
}

export interface SiteLog {
  requests: LoggedRequest[];
  /** The most requests that were waiting for their response headers at one moment. */
  peakWaiting: number;
}
