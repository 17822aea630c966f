/**
 * What one HTML document says about itself. Everything is already decoded (entities, charset) and bounded in length,
 * addresses are absolute and resolved against `<base>`, and nothing in `<template>`, `<noscript>` or comments is in it.
 */
export interface HtmlFacts {
  /** Texts of `<title>` elements in the head (never those of svg), in document order, whitespace collapsed. */
  titles: string[];
  /** `<title>` elements found outside the head (not in svg). */
  titlesOutsideHead: number;
  descriptions: string[];
  h1s: string[];
  lang: string | null;
  viewport: string | null;
  /** `<base href>` as resolved, or null. */
  base: string | null;
  canonicals: CanonicalTag[];
  /** `<meta name=robots|googlebot|...>` in document order. */
  robotsMetas: { name: string; content: string; inHead: boolean }[];
  hreflangs: { lang: string; href: string; url: string | null; inHead: boolean }[];
  metaRefresh: { seconds: number; url: string | null; raw: string } | null;
  /** The first start tag inside head that does not belong there and so ended it, with what came after it. */
  headBrokenBy: { tag: string; lost: ("title" | "canonical" | "robots" | "hreflang")[] } | null;
  /** `<a>`, `<area>`: one entry a distinct (url, flags, anchor). */
  links: LinkFact[];
  /** Anchors that no crawler can follow: `javascript:`, onclick or role=link without href. Bounded sample with the count. */
  uncrawlable: { count: number; sample: string[] };
  images: ImageFact[];
  /** Scripts, styles, media, iframes, preloads that a browser would load. */
  resources: { url: string; kind: ResourceKind }[];
  forms: { action: string }[];
  /** Raw texts of `<script type=application/ld+json>`, each at most 64 KB. */
  jsonLd: string[];
  /** Open Graph: property (without "og:") to first content. */
  openGraph: Record<string, string>;
  /** Values of id attributes and a[name]: targets of fragments. At most 2,000. */
  anchors: string[];
  /** Words of the main text (nav, header, footer, aside, script, style left out). */
  wordCount: number;
  /** Words of the whole visible body text. */
  bodyWordCount: number;
  /** 64-bit hash, hex, of the normalised main text; null when there is none. */
  textKey: string | null;
  /** MinHash signature over 5-word shingles of the main text, base64; null under 20 words. */
  minhash: string | null;
  /** First 200 characters of the main text. */
  textStart: string;
  scriptBytes: number;
  /** An empty #root, #app, #__next or the like exists. */
  emptyAppRoot: boolean;
  /** The document was cut at the size limit. */
  truncated: boolean;
  /** `<meta http-equiv=Content-Security-Policy>`, the first one. */
  contentSecurityPolicy?: string | null;
  /** `<meta name=referrer>`, the first one. */
  referrerPolicy?: string | null;
}

export interface CanonicalTag {
  /** The attribute as written. */
  raw: string;
  /** Resolved, or null when it cannot be. */
  url: string | null;
  where: "head" | "body" | "header";
}

export interface LinkFact {
  url: string;
  /** Fragment without `#`, decoded as written; null without one. */
  fragment: string | null;
  anchor: string;
  nofollow: boolean;
  /** Anchor has neither text, nor an image with alt, nor aria-label. */
  emptyAnchor: boolean;
  kind: "a" | "area" | "iframe" | "meta-refresh";
}

export interface ImageFact {
  url: string;
  /** Null: the attribute is absent (and it is neither decorative by role nor aria-hidden). */
  alt: string | null;
  hasSize: boolean;
  /** From srcset or picture, not from src. */
  fromSrcset: boolean;
}

export type ResourceKind = "script" | "style" | "iframe" | "media" | "font" | "image" | "other";
