/** Holds the entries of one sitemap against the protocol's limits and remembers what was wrong, in sentences. */
import { parseHttpUrl, requestHref } from "./url.ts";
import { parseW3cDate } from "./w3c-date.ts";

/** https://www.sitemaps.org/protocol.html: addresses in one file, bytes uncompressed, characters of an address. */
export const SITEMAP_MAX_LOCS = 50_000;
export const SITEMAP_MAX_BYTES = 52_428_800;
export const SITEMAP_MAX_LOC_LENGTH = 2_048;

export type SitemapKind = "urlset" | "index" | "rss" | "atom" | "text";

export interface SitemapEntry {
  /** The exact address to request; of an index, that of a sitemap. */
  url: string;
  /** As written. */
  lastmod: string | null;
  /** Milliseconds since the epoch; null when absent or unreadable. */
  lastmodAt: number | null;
  /** `xhtml:link` alternates: language as written, address resolved. */
  alternates: { lang: string; url: string }[];
}

/** What the file says about an entry, before it is judged. */
export interface RawEntry {
  loc: string;
  lastmod: string | null;
  alternates: { lang: string; href: string }[];
  /** Feeds write dates as RFC 822. */
  isFeed?: boolean;
}

export interface LastmodFacts {
  /** Entries that have one. */
  count: number;
  unparsable: number;
  /** The first one, as written, bounded. */
  unparsableSample: string | null;
  future: number;
  /** How often the most frequent value occurs. */
  mostCommonCount: number;
  mostCommon: string | null;
}

export interface SitemapCollectorOptions {
  /** Address of the sitemap. */
  url: string;
  /** Milliseconds since the epoch: what a lastmod is "in the future" of. */
  now: number;
  /** May this sitemap list the address? Unless said, its own host only. */
  acceptsHost?: (url: URL) => boolean;
}

type Fault = "relative" | "too_long" | "other_host" | "no_loc";

const FAULT_WORDS: Record<Fault, (count: number, sample: string) => string> = {
  relative: (count, sample) =>
    `${count} of its addresses are no full http or https addresses, the first is "${sample}".`,
  too_long: (count, sample) =>
    `${count} of its addresses have ${SITEMAP_MAX_LOC_LENGTH} characters or more, the first begins "${sample}".`,
  other_host: (count, sample) =>
    `${count} of its addresses lie on a host that it may not speak for, the first is "${sample}".`,
  no_loc: (count, sample) =>
    `${count} of its entries have no <loc>${sample === "" ? "." : `, the first says "${sample}".`}`,
};

const MAX_PROBLEMS = 20;
const DISTINCT_DATES = 5_000;

const clip = (text: string): string => (text.length > 120 ? `${text.slice(0, 119)}…` : text);

export class SitemapCollector {
  kind: SitemapKind | null = null;
  /** Entries accepted so far. */
  count = 0;
  /** The limit of addresses is reached: nothing more is taken. */
  isFull = false;
  readonly #options: SitemapCollectorOptions;
  readonly #host: string;
  readonly #faults = new Map<Fault, { count: number; sample: string }>();
  readonly #problems = new Set<string>();
  readonly #batch: SitemapEntry[] = [];
  readonly #dates = new Map<string, number>();
  readonly #lastmod = { count: 0, unparsable: 0, future: 0, unparsableSample: null as string | null };

  constructor(options: SitemapCollectorOptions) {
    this.#options = options;
    this.#host = URL.parse(options.url)?.host ?? "";
  }

  get waiting(): number {
    return this.#batch.length;
  }

  /** The next entries that wait, at most so many. */
  take(limit: number): SitemapEntry[] {
    return this.#batch.splice(0, limit);
  }

  problem(sentence: string): void {
    if (this.#problems.size < MAX_PROBLEMS) this.#problems.add(sentence);
  }

  fault(kind: Fault, sample: string): void {
    const known = this.#faults.get(kind);
    if (known === undefined) this.#faults.set(kind, { count: 1, sample: clip(sample) });
    else known.count += 1;
  }

  #accepts(url: URL): boolean {
    return this.#options.acceptsHost?.(url) ?? url.host === this.#host;
  }

  add(raw: RawEntry): void {
    if (this.isFull) return;
    if (this.count >= SITEMAP_MAX_LOCS) {
      this.isFull = true;
      this.problem(`It lists more than ${SITEMAP_MAX_LOCS} addresses; the rest is not read.`);
      return;
    }
    const { loc } = raw;
    if (loc.length >= SITEMAP_MAX_LOC_LENGTH) return this.fault("too_long", loc);
    const parsed = parseHttpUrl(loc);
    if (!parsed.ok) return this.fault("relative", loc);
    if (!this.#accepts(parsed.url)) return this.fault("other_host", loc);
    this.count += 1;
    this.#batch.push({
      url: requestHref(parsed.url),
      lastmod: raw.lastmod,
      lastmodAt: this.#date(raw.lastmod, raw.isFeed === true),
      alternates: raw.alternates.flatMap(({ lang, href }) => {
        const target = parseHttpUrl(href, parsed.url);
        return target.ok ? [{ lang, url: requestHref(target.url) }] : [];
      }),
    });
  }

  #date(text: string | null, isFeed: boolean): number | null {
    if (text === null || text === "") return null;
    const at = parseW3cDate(text) ?? (isFeed && !Number.isNaN(Date.parse(text)) ? Date.parse(text) : null);
    this.#lastmod.count += 1;
    if (at === null) {
      this.#lastmod.unparsable += 1;
      this.#lastmod.unparsableSample ??= clip(text);
    } else if (at > this.#options.now) {
      this.#lastmod.future += 1;
    }
    const seen = this.#dates.get(text);
    if (seen !== undefined || this.#dates.size < DISTINCT_DATES) this.#dates.set(text, (seen ?? 0) + 1);
    return at;
  }

  get problems(): string[] {
    const faults = Array.from(this.#faults, ([kind, { count, sample }]) => FAULT_WORDS[kind](count, sample));
    return [...this.#problems, ...faults];
  }

  get lastmod(): LastmodFacts {
    let [mostCommon, mostCommonCount]: [string | null, number] = [null, 0];
    for (const [text, count] of this.#dates) {
      if (count > mostCommonCount) [mostCommon, mostCommonCount] = [clip(text), count];
    }
    return { ...this.#lastmod, mostCommon, mostCommonCount };
  }
}
