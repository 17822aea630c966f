/** The catalogue's one reason a URL. Only `indexable` pages feed duplicate, thin, orphan and sitemap checks. */
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
