/** What went wrong with a request, told apart by the only thing that the runtime gives: the text of its exception. */
import type { FetchFailure } from "./fetched.ts";

/** Words for a person; completed by the detail. */
export const FAILURE_WORDS: Record<FetchFailure, string> = {
  dns: "the host name does not resolve",
  tls: "no secure connection could be made",
  connection: "the server refused or dropped the connection",
  timeout_headers: "the server did not answer in time",
  timeout_body: "the server did not finish its answer in time",
  address_not_allowed: "the address must not be reached by an audit",
  unsupported_scheme: "the redirect leads to an address that is neither http nor https",
  redirect_loop: "the redirects lead in a circle",
  too_many_redirects: "there are too many redirects in a row",
  invalid_location: "the redirect does not say where to",
  robots_disallowed: "robots.txt forbids the address that it redirects to",
  network: "the connection failed",
};

const PATTERNS: readonly (readonly [RegExp, FetchFailure])[] = [
  [/dns|getaddrinfo|resolve|name or service not known|no such host|ENOTFOUND/i, "dns"],
  [/certificate|tls|ssl|handshake/i, "tls"],
  [/connection (refused|lost|reset|closed)|disconnected|connect\(\)|ECONN|broken pipe|premature/i, "connection"],
];

/** Origin errors of Cloudflare's network, which answers on behalf of an origin that it cannot reach. */
const ORIGIN_ERRORS: Readonly<Record<number, FetchFailure>> = {
  520: "connection",
  521: "connection",
  522: "timeout_headers",
  523: "connection",
  524: "timeout_headers",
  525: "tls",
  526: "tls",
  530: "dns",
};

export function classifyFetchError(error: unknown): { code: FetchFailure; detail: string } {
  const text = (error instanceof Error ? error.message : String(error)).slice(0, 200);
  const code = PATTERNS.find(([pattern]) => pattern.test(text))?.[1] ?? "network";
  return { code, detail: text };
}

/** A status of 520 to 530 that Cloudflare's network itself gave is no answer of the site. Null: it is the site's own. */
export function originError(status: number, headers: Headers): { code: FetchFailure; detail: string } | null {
  const code = ORIGIN_ERRORS[status];
  if (code === undefined || headers.get("server") !== "cloudflare") return null;
  return { code, detail: `the network answered ${status} on behalf of the site` };
}
