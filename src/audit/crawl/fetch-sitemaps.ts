/** The site's sitemaps: those that robots.txt names, else /sitemap.xml; indexes followed, each file read once. */
import type { DiscoveryFacts } from "../checks/check.ts";
import { request, type RequestRules } from "./request.ts";
import { readSitemap, type SitemapEntry } from "./sitemap.ts";

export type SitemapFacts = DiscoveryFacts["sitemaps"][number];

export interface SitemapLimits {
  /** Files read at most. */
  files: number;
  /** Addresses taken at most; the rest is only counted. */
  urls: number;
  /** Nothing is asked after this moment. Milliseconds since the epoch. */
  endAt: number;
}

/** An index in an index breaks the protocol; it is read all the same, but not for ever. */
const MAX_NESTING = 3;
const MAX_PROBLEMS = 20;

export async function fetchSitemaps(
  siteOrigin: string,
  listed: readonly string[],
  rules: RequestRules,
  limits: SitemapLimits,
  onUrls: (entries: SitemapEntry[]) => Promise<void>,
): Promise<SitemapFacts[]> {
  const siteHost = new URL(siteOrigin).host;
  const found: SitemapFacts[] = [];
  const start = listed.length > 0 ? listed : [`${siteOrigin}/sitemap.xml`];
  const queue = start.map((url) => ({ url, nesting: 0 }));
  const seen = new Set(start);
  let taken = 0;
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (found.length >= limits.files || taken >= limits.urls || Date.now() >= limits.endAt) break;
    const { url, nesting } = next;
    const children: string[] = [];
    const facts = await readOne(url, nesting, rules, siteHost, listed.length > 0, async (entries, isIndex) => {
      if (isIndex) {
        children.push(...entries.map((entry) => entry.url));
        return children.length < limits.files;
      }
      const wanted = entries.slice(0, limits.urls - taken);
      taken += wanted.length;
      await onUrls(wanted);
      return taken < limits.urls && Date.now() < limits.endAt;
    });
    // That /sitemap.xml is missing is no fault of it: nobody said that it is there.
    if (listed.length > 0 || nesting > 0 || facts.status === 200) found.push(facts);
    for (const child of children) {
      if (seen.has(child) || nesting + 1 >= MAX_NESTING) continue;
      seen.add(child);
      queue.push({ url: child, nesting: nesting + 1 });
    }
  }
  return found;
}

async function readOne(
  url: string,
  nesting: number,
  rules: RequestRules,
  siteHost: string,
  isListed: boolean,
  onEntries: (entries: SitemapEntry[], isIndex: boolean) => Promise<boolean>,
): Promise<SitemapFacts> {
  const answer = await request(url, rules);
  const { response } = answer;
  const status = response?.status ?? null;
  if (response === null || response.status !== 200 || response.body === null) {
    response?.body?.cancel().catch(() => {});
    const problem =
      answer.failure === null ? `It answers ${status}.` : `It could not be read: ${answer.failure.detail}.`;
    return { url, status, urls: 0, problems: [problem] };
  }
  const timer = setTimeout(() => answer.abort.abort("sitemap body timeout"), 4 * rules.bodyTimeoutMs);
  try {
    const summary = await readSitemap(response.body, {
      url: answer.finalUrl,
      now: Date.now(),
      contentType: response.headers.get("content-type"),
      isInIndex: nesting > 0,
      // robots.txt of the audited host vouches for its own addresses in a sitemap that lies elsewhere.
      acceptsHost: (loc) => loc.host === new URL(answer.finalUrl).host || (isListed && loc.host === siteHost),
      onEntries: (entries, kind) => onEntries(entries, kind === "index"),
    });
    const { entries: urls, problems, lastmod } = summary;
    return { url, status, urls, problems: problems.slice(0, MAX_PROBLEMS), lastmod };
  } finally {
    clearTimeout(timer);
  }
}
