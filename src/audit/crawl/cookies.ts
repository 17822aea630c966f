/**
 * Cookies within one chain of redirects: some sites redirect for ever to a visitor who does not send back what they
 * set. Nothing is kept from one page to the next.
 */
import { getDomain } from "tldts";

interface Cookie {
  name: string;
  value: string;
  /** Host that gets it; with `subdomains`, also every host below it. */
  domain: string;
  subdomains: boolean;
  path: string;
  secure: boolean;
}

export interface CookieJar {
  /** Takes the Set-Cookie headers of a response of `url`. */
  store(url: string, headers: { getSetCookie(): string[] }): void;
  /** The Cookie header for a request of `url`, or null. */
  header(url: string): string | null;
}

const MAX_COOKIES = 50;
const MAX_COOKIE_LENGTH = 4_096;

/** RFC 6265, 5.1.4. */
function defaultPath(pathname: string): string {
  const end = pathname.lastIndexOf("/");
  return end <= 0 ? "/" : pathname.slice(0, end);
}

/** RFC 6265, 5.1.4. */
function pathMatches(path: string, cookiePath: string): boolean {
  if (!path.startsWith(cookiePath)) return false;
  return path.length === cookiePath.length || cookiePath.endsWith("/") || path[cookiePath.length] === "/";
}

function hostMatches(host: string, cookie: Cookie): boolean {
  return host === cookie.domain || (cookie.subdomains && host.endsWith(`.${cookie.domain}`));
}

/** Parses one Set-Cookie header (RFC 6265, 5.2 and 5.3). `isExpired` asks for its removal. Null: to be ignored. */
function parseSetCookie(line: string, url: URL): { cookie: Cookie; isExpired: boolean } | null {
  if (line.length > MAX_COOKIE_LENGTH) return null;
  const [pair, ...attributes] = line.split(";");
  const equals = pair!.indexOf("=");
  if (equals === -1) return null;
  const [name, value] = [pair!.slice(0, equals).trim(), pair!.slice(equals + 1).trim()];
  // oxlint-disable-next-line no-control-regex -- a header must not get a second line
  if (name === "" || /[\u0000-\u001f\u007f]/.test(name + value)) return null;
  const cookie: Cookie = {
    name,
    value,
    domain: url.hostname,
    subdomains: false,
    path: defaultPath(url.pathname),
    secure: false,
  };
  let isExpired = false;
  let maxAge: number | null = null;
  for (const attribute of attributes) {
    const [key, ...rest] = attribute.split("=");
    const text = rest.join("=").trim();
    const kind = key!.trim().toLowerCase();
    if (kind === "secure") cookie.secure = true;
    else if (kind === "path" && text.startsWith("/")) cookie.path = text;
    else if (kind === "max-age" && /^-?\d+$/.test(text)) maxAge = Number(text);
    // A date long gone is how sites delete; the exact time matters to no chain of redirects.
    else if (kind === "expires") isExpired = /\b19\d\d\b|\b200\d\b/.test(text) || Date.parse(text) <= 0;
    else if (kind === "domain" && text !== "") {
      const domain = text.replace(/^\./, "").toLowerCase();
      // Nobody may set a cookie for a foreign host or for a whole public suffix.
      if (url.hostname !== domain && !(url.hostname.endsWith(`.${domain}`) && getDomain(domain) !== null)) return null;
      Object.assign(cookie, { domain, subdomains: true });
    }
  }
  if (maxAge !== null) isExpired = maxAge <= 0;
  return { cookie, isExpired };
}

/** An empty jar, for one chain of redirects. */
export function createCookieJar(): CookieJar {
  let cookies: Cookie[] = [];
  return {
    store(url, headers) {
      const parsedUrl = URL.parse(url);
      if (parsedUrl === null) return;
      for (const line of headers.getSetCookie().slice(0, MAX_COOKIES)) {
        const parsed = parseSetCookie(line, parsedUrl);
        if (parsed === null) continue;
        const { cookie, isExpired } = parsed;
        cookies = cookies.filter(
          (old) => old.name !== cookie.name || old.domain !== cookie.domain || old.path !== cookie.path,
        );
        if (!isExpired && cookies.length < MAX_COOKIES) cookies.push(cookie);
      }
    },
    header(url) {
      const parsed = URL.parse(url);
      if (parsed === null) return null;
      const sent = cookies
        .filter((cookie) => hostMatches(parsed.hostname, cookie) && pathMatches(parsed.pathname, cookie.path))
        .filter((cookie) => !cookie.secure || parsed.protocol === "https:")
        .toSorted((a, b) => b.path.length - a.path.length);
      return sent.length === 0 ? null : sent.map(({ name, value }) => `${name}=${value}`).join("; ");
    },
  };
}

/**
 * May credentials that were given for `site` go to `target`, where a redirect leads? Only to the same host and port,
 * and never from https down to http.
 */
export function maySendCredentials(site: URL, target: URL): boolean {
  return site.host === target.host && (target.protocol === "https:" || site.protocol === target.protocol);
}

const bareHost = (url: URL): string => url.host.replace(/^www\./, "");

/**
 * The site that credentials are for: that of the address they were given with. Where its start redirects to counts only
 * if it is the same host with or without "www.", and not from https down to http: whoever redirects elsewhere must not
 * get them.
 */
export function credentialSite(startUrl: string, siteOrigin: string | null): URL {
  const start = new URL(startUrl);
  const site = new URL(siteOrigin ?? startUrl);
  const isSame = bareHost(site) === bareHost(start) && (site.protocol === "https:" || start.protocol === "http:");
  return isSame ? site : start;
}
