/**
 * What becomes of an address that a page mentions: a page of the site to crawl, a target to verify, or one that is
 * refused, and why. Navigation repeats on every page, so that answers are remembered.
 */
import { QUEUE, SOURCE } from "../../storage/schema.ts";
import type { AuditOptions } from "../audit-options.ts";
import type { Mention } from "./address-book.ts";
import type { Scope } from "./scope.ts";
import { dedupeKey, parseHttpUrl, requestHref } from "./url.ts";

/** Answers that are remembered, by their number and by the characters of their addresses. */
const REMEMBERED = 20_000;
const REMEMBERED_CHARS = 4_000_000;

interface Judged {
  href: string;
  key: string;
  external: boolean;
  refusal: string | null;
}

export interface LinkJudgeRules {
  scope: Scope;
  options: Pick<AuditOptions, "maxDepth" | "list" | "sitemapOnly" | "ignoreParameters">;
  robotsAllow: (url: URL) => boolean;
  /** Asked once for each new page address; the reason why a guard against infinite spaces stops it, or null. */
  trap: (url: URL) => string | null;
}

export class LinkJudge {
  readonly #rules: LinkJudgeRules;
  readonly #judged = new Map<string, Judged | null>();
  readonly #ignored: ReadonlySet<string>;
  #rememberedChars = 0;

  constructor(rules: LinkJudgeRules) {
    this.#rules = rules;
    this.#ignored = new Set(rules.options.ignoreParameters);
  }

  #judge(address: string): Judged | null {
    const known = this.#judged.get(address);
    if (known !== undefined) return known;
    if (this.#judged.size > REMEMBERED || this.#rememberedChars > REMEMBERED_CHARS) {
      this.#judged.clear();
      this.#rememberedChars = 0;
    }
    this.#rememberedChars += address.length;
    const judged = this.#judgeNew(address);
    this.#judged.set(address, judged);
    return judged;
  }

  #judgeNew(address: string): Judged | null {
    const parsed = parseHttpUrl(address);
    if (!parsed.ok) return null;
    const { url } = parsed;
    const ignored = this.#ignored;
    const key = dedupeKey(url, ignored.size === 0 ? {} : { ignoreParameter: (name) => ignored.has(name) });
    const verdict = this.#rules.scope.judge(url);
    const base = { href: requestHref(url), key, external: verdict === "external" };
    if (base.external) return { ...base, refusal: null };
    if (verdict === "out_of_scope") return { ...base, refusal: "scope" };
    if (!this.#rules.robotsAllow(url)) return { ...base, refusal: "robots" };
    return { ...base, refusal: this.#rules.trap(url) };
  }

  keyOf(address: string): string | null {
    return this.#judge(address)?.key ?? null;
  }

  isExternal(address: string): boolean {
    return this.#judge(address)?.external ?? true;
  }

  /** Null: no address that could be requested. */
  mention(address: string, source: number, depth: number): Mention | null {
    const judged = this.#judge(address);
    if (judged === null) return null;
    const { href, key, external, refusal } = judged;
    const base = { url: href, key, depth, source };
    // Images, scripts and styles are verified, not crawled, wherever they lie.
    if (source === SOURCE.resource) return { ...base, queue: QUEUE.resource };
    if (external) return { ...base, queue: QUEUE.external };
    // What is known from a canonical or hreflang only waits behind what people can click.
    const queue =
      source === SOURCE.link || source === SOURCE.redirect || source === SOURCE.start ? QUEUE.linked : QUEUE.sitemap;
    const reason = refusal ?? this.#beyond(source, depth);
    return reason === null ? { ...base, queue } : { ...base, queue, refusal: reason };
  }

  #beyond(source: number, depth: number): string | null {
    const { maxDepth, list, sitemapOnly } = this.#rules.options;
    if (source === SOURCE.start) return null;
    if (list.length > 0) return source === SOURCE.list ? null : "not-in-list";
    if (sitemapOnly) return source === SOURCE.sitemap ? null : "not-in-sitemap";
    if (source === SOURCE.redirect) return null;
    return maxDepth !== null && depth > maxDepth ? "depth" : null;
  }
}
