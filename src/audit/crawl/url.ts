/**
 * Addresses. Every address has two strings: what is requested, exactly as the URL standard serialises it, and a key
 * that says which addresses are the same page. The key is never requested.
 */
import { encodeQuery } from "./query-encoding.ts";
import { withoutParameters } from "./url-parameters.ts";

export { displayUrl } from "./url-display.ts";
export { isTrackingParameter, parameterOrderKey, trackingParameters } from "./url-parameters.ts";

/** Characters. Longer addresses are never parsed: no server is bound to accept 8,000 octets (RFC 9110, 4.1). */
export const MAX_URL_LENGTH = 8_192;

export const URL_PROBLEMS = ["empty", "not_a_url", "unsupported_scheme", "credentials", "too_long"] as const;
export type UrlProblem = (typeof URL_PROBLEMS)[number];

export type ParsedUrl = { ok: true; url: URL } | { ok: false; reason: UrlProblem; message: string };

export interface ParseUrlOptions {
  /** The document's encoding label: the query of a link in it is encoded that way (URL standard, "encoding"). */
  charset?: string | null;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;

/** A piece of foreign text for a message: short, on one line. */
function quoted(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return `"${line.length > 100 ? `${line.slice(0, 99)}…` : line}"`;
}

/** The scheme that the URL parser would see, in lower case: it ignores leading controls and all tabs and newlines. */
function schemeOf(input: string): string | null {
  const start = input
    .slice(0, 256)
    // oxlint-disable-next-line no-control-regex
    .replace(/^[\u0000-\u0020]+/, "")
    .replace(/[\t\n\r]/g, "");
  return SCHEME.exec(start)?.[1]?.toLowerCase() ?? null;
}

function refuse(reason: UrlProblem, message: string): ParsedUrl {
  return { ok: false, reason, message };
}

/**
 * Parses an address as the WHATWG URL standard does and accepts http and https without credentials. Never throws.
 * An empty input with a base is the base itself: `href=""` is a valid link.
 */
export function parseHttpUrl(input: string, base?: string | URL, options: ParseUrlOptions = {}): ParsedUrl {
  if (base === undefined && input.trim() === "") return refuse("empty", "There is no address.");
  const scheme = schemeOf(input);
  if (scheme !== null && scheme !== "http" && scheme !== "https") {
    return refuse(
      "unsupported_scheme",
      `${quoted(input)} has the scheme ${quoted(scheme)}; only http and https can be audited.`,
    );
  }
  if (input.length > MAX_URL_LENGTH) {
    return refuse("too_long", `The address has ${input.length} characters; the limit is ${MAX_URL_LENGTH}.`);
  }
  const url = URL.parse(encodeQuery(input, options.charset), base);
  if (url === null) return refuse("not_a_url", `${quoted(input)} is not an address that a browser could open.`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return refuse("unsupported_scheme", `${quoted(url.href)} is neither http nor https.`);
  }
  if (url.username !== "" || url.password !== "") {
    return refuse(
      "credentials",
      `The address carries a user name or password for ${quoted(url.host)}; it is not used.`,
    );
  }
  if (url.href.length > MAX_URL_LENGTH) {
    return refuse("too_long", `The encoded address has ${url.href.length} characters; the limit is ${MAX_URL_LENGTH}.`);
  }
  return { ok: true, url };
}

const LOOPBACK_START = /^(?:localhost|[^/?#:]+\.localhost|127(?:\.\d+){1,3}|\[::1\])(?=[:/?#]|$)/i;

/**
 * The address that somebody typed, as a person means it: "example.com" is https://example.com/. Loopback hosts, which
 * hardly ever have a certificate, get http. The fragment is dropped.
 */
export function normaliseStartUrl(input: string): ParsedUrl {
  const text = input.trim();
  if (text === "") return refuse("empty", "There is no address. Give one such as https://example.com.");
  // "example.com:8080" and "localhost:3000" would read as schemes.
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^[a-z][a-z0-9+-]*:(?!\d)/i.test(text);
  let address = text;
  if (!hasScheme) {
    const bare = text.replace(/^\/\//, "");
    address = `${LOOPBACK_START.test(bare) ? "http" : "https"}://${bare}`;
  }
  const parsed = parseHttpUrl(address);
  if (!parsed.ok) return parsed;
  return { ok: true, url: new URL(requestHref(parsed.url)) };
}

/** The exact address to request: the standard's serialisation without its fragment. Takes a URL or its href. */
export function requestHref(url: URL | string): string {
  const href = typeof url === "string" ? url : url.href;
  // A serialised http address holds "#" only before its fragment.
  const hash = href.indexOf("#");
  return hash === -1 ? href : href.slice(0, hash);
}

export interface DedupeOptions {
  /** Keep `#!...` and `#/...`: applications that route by fragment have one page behind each. */
  keepRouteFragments?: boolean;
  /** Parameters, by name, that do not tell pages apart. */
  ignoreParameter?: (name: string) => boolean;
}

const UNRESERVED = /[A-Za-z0-9\-._~]/;

/**
 * One spelling for what follows the authority: escapes in upper case; those of unreserved characters decoded (RFC 3986,
 * 6.2.2.2) and no others, since %2F is not "/"; characters that RFC 3986 does not allow there (and the URL parser
 * leaves raw) escaped, so that `a[]=1` and `a%5B%5D=1` meet.
 */
function normaliseEscapes(text: string): string {
  return text.replace(/%([0-9a-f]{2})|[%[\]^`|{}\\"<>]/gi, (found, hex: string | undefined) => {
    if (hex === undefined) return `%${found.charCodeAt(0).toString(16).toUpperCase()}`;
    const char = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(char) ? char : found.toUpperCase();
  });
}

/**
 * What makes two addresses the same. The URL parser has already lowered scheme and host, dropped the default port and
 * resolved dot segments; trailing and double slashes, case and the order of parameters stay, since servers may tell
 * them apart.
 */
export function dedupeKey(url: URL, options: DedupeOptions = {}): string {
  const path = url.pathname + url.search;
  const reduced = options.ignoreParameter === undefined ? path : withoutParameters(path, options.ignoreParameter);
  const key = url.origin + normaliseEscapes(reduced);
  const keepsFragment = options.keepRouteFragments === true && /^#[!/]/.test(url.hash);
  return keepsFragment ? key + normaliseEscapes(url.hash) : key;
}
