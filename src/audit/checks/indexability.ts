/** The catalogue's one reason a URL: why a search engine would not show it, or that it would. */
import type { FetchedPage, FetchFailure } from "../crawl/fetched.ts";
import type { CanonicalTag, HtmlFacts } from "../crawl/html-facts.ts";
import type { RobotsDirectives } from "../crawl/robots-directives.ts";
import { dedupeKey, requestHref } from "../crawl/url.ts";
import { notFoundPhrase } from "./soft-not-found.ts";

/** In the order in which they are asked; the first that holds wins. Only `indexable` pages feed the content checks. */
export const INDEXABILITY = [
  "not-crawled",
  "robots-blocked",
  "network-error",
  "blocked-by-bot-protection",
  "5xx",
  "4xx",
  "redirect",
  "non-html",
  "noindex",
  "canonicalised",
  "soft-404",
  "indexable",
] as const;

export interface Indexability {
  reason: (typeof INDEXABILITY)[number];
  /** meta or header, the canonical's address, the status, the failure. */
  detail: string | null;
}

/** What made a redirect useless; the address itself answered. */
const REDIRECT_FAILURES: ReadonlySet<FetchFailure> = new Set<FetchFailure>([
  "redirect_loop",
  "too_many_redirects",
  "invalid_location",
  "address_not_allowed",
  "unsupported_scheme",
  "robots_disallowed",
]);

/**
 * What is wrong with a canonical, in words that follow "the canonical"; null when it can count.
 * Source: https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls
 */
export function canonicalFault({ raw, url, where }: CanonicalTag): string | null {
  if (raw.trim() === "") return "is empty";
  if (url === null) return "is no http or https address";
  if (url.includes("#")) return "has a fragment";
  if (where === "body") return "stands in the body, where it is ignored";
  return null;
}

/** The addresses that a page's canonicals name, each once, those that cannot count left out. Absolute. */
export function canonicalTargets(html: HtmlFacts): readonly string[] {
  const known = targetsOf.get(html);
  if (known !== undefined) return known;
  const byKey = new Map<string, string>();
  for (const canonical of html.canonicals) {
    const url = canonicalFault(canonical) === null ? URL.parse(canonical.url ?? "") : null;
    if (url !== null && !byKey.has(dedupeKey(url))) byKey.set(dedupeKey(url), requestHref(url));
  }
  const targets = [...byKey.values()];
  targetsOf.set(html, targets);
  return targets;
}

/** Several checks ask for the same page's. */
const targetsOf = new WeakMap<HtmlFacts, readonly string[]>();

/**
 * The one canonical address that counts, absolute. Null when the page names none, only faulty ones, or several that
 * differ: Google then chooses by itself. Canonicals of the Link header must be among `html.canonicals`.
 */
export function effectiveCanonical(html: HtmlFacts, _pageUrl: string): string | null {
  const targets = canonicalTargets(html);
  return targets.length === 1 ? targets[0]! : null;
}

/** Whether two addresses are the same page, whatever their spelling. */
export function isSameAddress(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [URL.parse(one), URL.parse(other)];
  return a !== null && b !== null && dedupeKey(a) === dedupeKey(b);
}

/** A refresh at once to another address: Google takes it for a permanent redirect. */
function instantRefresh(html: HtmlFacts, pageUrl: string): string | null {
  const refresh = html.metaRefresh;
  if (refresh === null || refresh.url === null || refresh.seconds > 0) return null;
  return isSameAddress(refresh.url, pageUrl) ? null : refresh.url;
}

function ofAnswer(fetched: FetchedPage): Indexability | null {
  const { failure, finalStatus, hops } = fetched;
  if (failure !== null) {
    if (failure.code === "robots_disallowed" && hops.length === 0) {
      return { reason: "robots-blocked", detail: failure.detail };
    }
    const isRedirect = hops.length > 0 && REDIRECT_FAILURES.has(failure.code);
    return { reason: isRedirect ? "redirect" : "network-error", detail: failure.code };
  }
  if (fetched.botWall !== null) return { reason: "blocked-by-bot-protection", detail: fetched.botWall };
  if (finalStatus === null) return { reason: "network-error", detail: "network" };
  if (finalStatus >= 500) return { reason: "5xx", detail: String(finalStatus) };
  if (finalStatus >= 400) return { reason: "4xx", detail: String(finalStatus) };
  if (hops.length > 0) return { reason: "redirect", detail: fetched.finalUrl };
  if (finalStatus >= 300) return { reason: "redirect", detail: String(finalStatus) };
  return null;
}

/** `canonical`: the one that counts, from `effectiveCanonical`. Pure. */
export function judgeIndexability(
  fetched: FetchedPage,
  html: HtmlFacts | null,
  robots: RobotsDirectives,
  { canonical }: { canonical: string | null },
): Indexability {
  const answered = ofAnswer(fetched);
  if (answered !== null) return answered;
  if (html === null) return { reason: "non-html", detail: fetched.headers["content-type"]?.slice(0, 100) ?? null };
  const refresh = instantRefresh(html, fetched.finalUrl);
  if (refresh !== null) return { reason: "redirect", detail: refresh };
  if (robots.noindex) {
    const from = robots.noindexFrom;
    return { reason: "noindex", detail: from === null ? null : `${from.where}: ${from.found}`.slice(0, 300) };
  }
  if (canonical !== null && !isSameAddress(canonical, fetched.finalUrl)) {
    return { reason: "canonicalised", detail: canonical };
  }
  const phrase = notFoundPhrase(html);
  if (phrase !== null) return { reason: "soft-404", detail: phrase };
  return { reason: "indexable", detail: null };
}
