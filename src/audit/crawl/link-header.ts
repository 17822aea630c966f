/** The Link header (RFC 8288), as far as search engines read it: canonical and alternate languages. */
import type { CanonicalTag } from "./html-facts.ts";
import { parseHttpUrl, requestHref } from "./url.ts";

export interface LinkValue {
  /** Between the angle brackets, as written. */
  target: string;
  /** Names in lower case; the first of a name counts. */
  params: Map<string, string>;
}

const MAX_HEADER = 16_384;
const MAX_LINKS = 500;

const PARAM = /;[\s;]*([!#$%&'*+\-.^_`|~0-9a-z]+)[ \t]*(?:=[ \t]*(?:"((?:[^"\\]|\\.)*)"?|([^\s;,"]*)))?/iy;

/**
 * Every link of a header; repeated headers joined by commas, as the runtime hands them over, are one. Commas within
 * `<>` and quotes do not separate. What is malformed is passed over.
 */
export function parseLinkHeader(header: string | null | undefined): LinkValue[] {
  const text = (header ?? "").slice(0, MAX_HEADER);
  const links: LinkValue[] = [];
  let at = text.indexOf("<");
  while (at !== -1 && links.length < MAX_LINKS) {
    const close = text.indexOf(">", at);
    if (close === -1) break;
    const link: LinkValue = { target: text.slice(at + 1, close).trim(), params: new Map() };
    let end = close + 1;
    while (/[ \t]/.test(text[end] ?? "")) end++;
    PARAM.lastIndex = end;
    for (let match = PARAM.exec(text); match !== null; match = PARAM.exec(text)) {
      const name = match[1]!.toLowerCase();
      const value = match[2]?.replace(/\\(.)/g, "$1") ?? match[3] ?? "";
      if (!link.params.has(name)) link.params.set(name, value);
      end = PARAM.lastIndex;
      while (/[ \t]/.test(text[end] ?? "")) end++;
      PARAM.lastIndex = end;
    }
    links.push(link);
    // The next link starts after the comma that ends this one.
    const comma = text.indexOf(",", end);
    at = comma === -1 ? -1 : text.indexOf("<", comma);
  }
  return links;
}

export interface LinkHeaderFacts {
  canonicals: CanonicalTag[];
  hreflangs: { lang: string; href: string; url: string | null }[];
}

/** The canonical and the language alternates that a response of `url` declares in its Link header. */
export function readLinkHeader(header: string | null | undefined, url: string): LinkHeaderFacts {
  const facts: LinkHeaderFacts = { canonicals: [], hreflangs: [] };
  for (const { target, params } of parseLinkHeader(header)) {
    // With an anchor the link speaks of another document.
    if (params.has("anchor")) continue;
    const rels = (params.get("rel") ?? "").toLowerCase().split(/\s+/);
    const parsed = parseHttpUrl(target, url);
    const resolved = parsed.ok ? parsed.url.href : null;
    if (rels.includes("canonical")) facts.canonicals.push({ raw: target, url: resolved, where: "header" });
    const lang = params.get("hreflang");
    if (rels.includes("alternate") && lang !== undefined) {
      facts.hreflangs.push({ lang, href: target, url: parsed.ok ? requestHref(parsed.url) : null });
    }
  }
  return facts;
}
