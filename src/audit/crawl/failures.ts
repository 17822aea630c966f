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

/** What an invocation says when it has used up what it may ask for: true of every address from then on. */
const PLATFORM_LIMIT = /^Too many (subrequests|API requests)\b/i;

/** Throws the error on when it speaks of a limit of the platform: no page may be blamed for it. */
export function rethrowPlatformLimit(error: unknown): void {
  if (error instanceof Error && PLATFORM_LIMIT.test(error.message)) throw error;
}

export function classifyFetchError(error: unknown): { code: FetchFailure; detail: string } {
  const text = (error instanceof Error ? error.message : String(error)).slice(0, 200);
  const code = PATTERNS.find(([pattern]) => pattern.test(text))?.[1] ?? "network";
  return { code, detail: text };
}

/** The runtime's word for a failure that it does not explain. */
export const isUnexplained = (error: unknown): boolean =>
  error instanceof Error && /^internal error(;|\.|$)/.test(error.message);

/**
 * What an unexplained failure was. Locally, a name that does not resolve and a TLS handshake that fails look the same,
 * and nothing else that was tried does (refused, dropped and garbled connections say "Network connection lost"). So the
 * port is opened without TLS: if that works, it was the handshake. `opens` must answer in bounded time.
 */
export async function explainFailure(
  url: URL,
  opens: (hostname: string, port: number) => Promise<boolean>,
): Promise<{ code: FetchFailure; detail: string }> {
  const isAddress = /^\[|^[\d.]+$/.test(url.hostname);
  const isSecure = url.protocol === "https:";
  if (isSecure && (isAddress || (await opens(url.hostname, Number(url.port || 443))))) {
    return { code: "tls", detail: `the TLS handshake with ${url.host} failed` };
  }
  return isAddress
    ? { code: "network", detail: "the runtime gives no reason" }
    : { code: "dns", detail: `no address was found for ${url.hostname.slice(0, 255)}` };
}

/** A status of 520 to 530 that Cloudflare's network itself gave is no answer of the site. Null: it is the site's own. */
export function originError(status: number, headers: Headers): { code: FetchFailure; detail: string } | null {
  const code = ORIGIN_ERRORS[status];
  if (code === undefined || headers.get("server") !== "cloudflare") return null;
  return { code, detail: `the network answered ${status} on behalf of the site` };
}
