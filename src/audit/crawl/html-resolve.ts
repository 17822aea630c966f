/** Resolves the addresses of one document against its base, each distinct one once, those that all pages share once for all. */
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

/** Addresses that every document of one origin resolves alike: navigation repeats on every page of a site. */
class SharedAddresses {
  readonly origin: string;
  readonly #known = new Map<string, Resolved>();
  #length = 0;

  constructor(origin: string) {
    this.origin = origin;
  }

  get(raw: string): Resolved | undefined {
    return this.#known.get(raw);
  }

  keep(raw: string, found: Resolved): void {
    if (raw.length > MAX_SHARED_LENGTH) return;
    if (this.#length > MAX_SHARED_TOTAL) {
      this.#known.clear();
      this.#length = 0;
    }
    this.#length += raw.length + (found.href?.length ?? 0);
    this.#known.set(raw, found);
  }
}

/** Characters of one shared address, and of all of them. */
const MAX_SHARED_LENGTH = 512;
const MAX_SHARED_TOTAL = 2_000_000;

/** The last origin's: an isolate mostly reads the pages of one site after the other. */
let shared = new SharedAddresses("");

function sharedBy(origin: string): SharedAddresses {
  if (shared.origin !== origin) shared = new SharedAddresses(origin);
  return shared;
}

/** "/path" and nothing else depends on the origin alone; beyond ASCII, also on the document's encoding. */
const ROOT_RELATIVE = /^\/(?![/\\])[\x20-\x7e]*$/;

export function createResolver(documentUrl: string, baseHref: string | null, charset: string | null): Resolver {
  const base = baseOf(documentUrl, baseHref);
  const against = URL.parse(base ?? documentUrl) ?? undefined;
  const known = new Map<string, Resolved>();
  let totalLength = 0;
  const common = against === undefined || against.origin === "null" ? null : sharedBy(against.origin);

  function resolve(raw: string): Resolved {
    const before = common?.get(raw) ?? known.get(raw);
    if (before !== undefined) return before;
    if (totalLength > MAX_TOTAL_LENGTH) return NOWHERE;
    const parsed = parseHttpUrl(raw, against, { charset });
    const found: Resolved = parsed.ok
      ? { href: parsed.url.href, url: requestHref(parsed.url), isBroken: false }
      : { ...NOWHERE, isBroken: parsed.reason === "not_a_url" };
    totalLength += raw.length + (found.href?.length ?? 0);
    if (common !== null && ROOT_RELATIVE.test(raw)) common.keep(raw, found);
    else known.set(raw, found);
    return found;
  }
  return { base, resolve };
}
