/** What single-page checks ask of a page before they judge it. */
import { getDomain } from "tldts";
import type { HtmlFacts } from "../crawl/html-facts.ts";
import type { PageView } from "./check.ts";

/** "1 link", "3 links". */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** A piece of foreign text, short and on one line. */
export function clip(text: string, length = 120): string {
  const line = text
    .slice(0, length * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

const SHELL_WORDS = 50;
const SHELL_SCRIPT_SHARE = 0.8;

/** Why the page looks like a shell that only scripts fill, in words; null when it does not. */
export function jsShellEvidence(view: PageView): string | null {
  const { html, fetched } = view;
  if (html === null || html.bodyWordCount >= SHELL_WORDS) return null;
  if (html.emptyAppRoot) return "its application root is empty";
  const size = fetched.bytes ?? 0;
  const share = size === 0 ? 0 : html.scriptBytes / size;
  return share > SHELL_SCRIPT_SHARE ? `${Math.round(share * 100)} % of it is script` : null;
}

/** The document, if people are meant to find it: not redirected, not an error. */
export function shownHtml({ html, indexability: { reason } }: PageView): HtmlFacts | null {
  return reason === "indexable" || reason === "noindex" || reason === "canonicalised" ? html : null;
}

/** The document, if a search engine may show it. */
export function indexableHtml({ html, indexability }: PageView): HtmlFacts | null {
  return indexability.reason === "indexable" ? html : null;
}

/** The document, if a search engine may show it and its content is in the HTML. */
export function contentHtml(view: PageView): HtmlFacts | null {
  return jsShellEvidence(view) === null ? indexableHtml(view) : null;
}

const bareHost = (hostname: string): string => hostname.replace(/^www\./, "");

/** Whether an address belongs to the audited site; "www." makes no difference. */
export function isOwnAddress(url: string, siteOrigin: string): boolean {
  if (url.startsWith(`${siteOrigin}/`)) return true;
  const [target, site] = [URL.parse(url), URL.parse(siteOrigin)];
  return target !== null && site !== null && bareHost(target.host) === bareHost(site.host);
}

/** The registrable domain (shop.example.co.uk: example.co.uk), or the host itself where there is none. */
export function registrableDomain(hostname: string): string {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
}

/** A host that only exists on the machine itself: nothing on such a site can be public yet. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "[::1]" || /^(?:localhost|.*\.localhost|127(?:\.\d+){3})$/.test(hostname);
}

/** Answers of machines to machines that no person looks at. */
const MACHINE_PATH = /^\/(?:cdn-cgi\/|wp-json(?:\/|$)|xmlrpc\.php$|.*\/feed\/?$|feed\/?$)/;

export function isMachineAddress(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && MACHINE_PATH.test(parsed.pathname);
}
