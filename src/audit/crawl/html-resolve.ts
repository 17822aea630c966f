/** Resolves the addresses of one document against its base, each distinct one once. */
import { parseHttpUrl, requestHref } from "./url.ts";

export interface Resolved {
  /** Absolute, with its fragment; null when it cannot be resolved or leads to no web page (mailto, data, ...). */
  href: string | null;
  /** Without the fragment: what would be requested. */
  url: string | null;
  /** Nothing at all can be reached by it. */
  isBroken: boolean;
}

export interface Resolver {
  readonly base: string | null;
  resolve(raw: string): Resolved;
}

const NOWHERE: Resolved = { href: null, url: null, isBroken: false };

/** The base that counts: the first `<base href>`, relative to the document, unless its scheme cannot be a base (HTML, 4.2.3). */
function baseOf(documentUrl: string, baseHref: string | null): string | null {
  if (baseHref === null) return null;
  const parsed = parseHttpUrl(baseHref, documentUrl);
  return parsed.ok ? parsed.url.href : null;
}

/** Characters of resolved addresses in one document; a long base and many links must not fill the memory. */
const MAX_TOTAL_LENGTH = 8_000_000;

export function createResolver(documentUrl: string, baseHref: string | null, charset: string | null): Resolver {
  const base = baseOf(documentUrl, baseHref);
  const against = URL.parse(base ?? documentUrl) ?? undefined;
  const known = new Map<string, Resolved>();
  let totalLength = 0;

  function resolve(raw: string): Resolved {
    const before = known.get(raw);
    if (before !== undefined) return before;
    if (totalLength > MAX_TOTAL_LENGTH) return NOWHERE;
    const parsed = parseHttpUrl(raw, against, { charset });
    const found: Resolved = parsed.ok
      ? { href: parsed.url.href, url: requestHref(parsed.url), isBroken: false }
      : { ...NOWHERE, isBroken: parsed.reason === "not_a_url" };
    totalLength += raw.length + (found.href?.length ?? 0);
    known.set(raw, found);
    return found;
  }
  return { base, resolve };
}
