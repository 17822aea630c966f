import { isAddressAllowed } from "../crawl/addresses.ts";
import type { HtmlFacts } from "../crawl/html-facts.ts";
import type { PageCheck } from "./check.ts";
import { clip, counted, isLoopbackHost, isOwnAddress, registrableDomain, shownHtml } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";

/** First labels of hosts that hold unfinished versions; "dev" is left out: developers have their portals there. */
const STAGING =
  /^(?:[a-z0-9-]+-)?(?:staging|stage|stg|preprod|pre-prod|preproduction|uat|test|testing|qa)\d*(?:-[a-z0-9-]+)?$/;

/** Why nobody outside could follow a link to the host, in words; null when they could. */
function unreachableHost(url: URL, site: URL): string | null {
  if (url.host === site.host) return null;
  const verdict = isAddressAllowed(url, []);
  if (!verdict.ok && verdict.reason !== "special_address") return "exists only inside a network";
  const label = url.hostname.split(".")[0]!;
  const isSubdomain = url.hostname.split(".").length > 2;
  if (!isSubdomain || !STAGING.test(label) || STAGING.test(site.hostname.split(".")[0]!)) return null;
  return registrableDomain(url.hostname) === registrableDomain(site.hostname) ? "looks like a staging host" : null;
}

/** Hosts of everything that the page links to or loads, each with the first address there. */
function firstByHost(html: HtmlFacts): Map<string, string> {
  const hosts = new Map<string, string>();
  for (const list of [html.links, html.images, html.resources]) {
    for (const { url } of list) {
      const start = url.indexOf("//") + 2;
      const end = url.indexOf("/", start);
      const host = url.slice(start, end === -1 ? undefined : end);
      if (!hosts.has(host)) hosts.set(host, url);
    }
  }
  return hosts;
}

export const linkChecks: PageCheck[] = [
  {
    id: "link.uncrawlable",
    severity: "warning",
    title: "Links that search engines cannot follow",
    why: "Only <a> with an address is a link: a script behind it is never run, and what it leads to is not found.",
    fix: "Write the address into href; if it is no link at all, make it a <button>.",
    source: REFERENCE.links,
    page: (view) => {
      const uncrawlable = shownHtml(view)?.uncrawlable;
      if (!uncrawlable || uncrawlable.count === 0) return null;
      const { count, sample } = uncrawlable;
      return {
        evidence: {
          message: `${counted(count, "link")} without an address.`,
          measured: count,
          limit: 0,
          found: clip(sample.join(" "), 300),
        },
      };
    },
  },
  {
    id: "link.anchor-empty",
    severity: "warning",
    title: "Links without words",
    why: "Neither people who listen to the page nor search engines learn where the link leads.",
    fix: "Put text into the link, alt on its image, or an aria-label on the link.",
    source: REFERENCE.links,
    page: (view) => {
      const empty = shownHtml(view)?.links.filter(({ emptyAnchor, kind }) => emptyAnchor && kind === "a") ?? [];
      if (empty.length === 0) return null;
      const found = empty.slice(0, 3).map(({ url }) => `<a href="${clip(url, 120)}"></a>`);
      return {
        evidence: {
          message: `${counted(empty.length, "link")} without text.`,
          measured: empty.length,
          limit: 0,
          found: found.join(" "),
          target: empty[0]!.url,
        },
      };
    },
  },
  {
    id: "link.localhost",
    severity: "error",
    title: "Page points at a host that visitors cannot reach",
    why: "It works on the developer's machine only.",
    fix: "Replace the address by the public one.",
    source: null,
    page: (view) => {
      const html = shownHtml(view);
      const site = URL.parse(view.siteOrigin);
      if (html === null || site === null || isLoopbackHost(site.hostname)) return null;
      for (const first of firstByHost(html).values()) {
        const url = URL.parse(first);
        const why = url === null || isOwnAddress(first, view.siteOrigin) ? null : unreachableHost(url, site);
        if (url !== null && why !== null) {
          return {
            evidence: {
              message: `${clip(first)} is on ${clip(url.host, 80)}, which ${why}.`,
              found: clip(first, 300),
              target: first,
            },
          };
        }
      }
      return null;
    },
  },
];
