/** From what was learnt of pages to the rows that keep it. */
import type { PageFinding } from "../checks/catalogue.ts";
import type { Indexability } from "../checks/indexability.ts";
import { SOURCE, type Severity } from "../../storage/schema.ts";
import type { AddressBook, Mention } from "./address-book.ts";
import type { FetchedPage } from "./fetched.ts";
import type { HtmlFacts, ResourceKind } from "./html-facts.ts";
import { LINK, RESOURCE } from "./link-flags.ts";
import type { LinkJudge } from "./link-judge.ts";
import type { PageExtras } from "./page-extras.ts";
import type { RobotsDirectives } from "./robots-directives.ts";

/** One crawled page before it is saved. */
export interface CrawledPage {
  id: number;
  depth: number;
  fetched: FetchedPage;
  html: HtmlFacts | null;
  robots: RobotsDirectives;
  indexability: Indexability;
  canonical: string | null;
  findings: readonly PageFinding[];
  titleKey: string | null;
  descriptionKey: string | null;
}

/** Links of one page that are kept: more are only counted. */
const MAX_LINKS = 5_000;
const MAX_RESOURCES = 1_000;
const ANCHOR_LENGTH = 80;
/** Characters of the addresses that one page mentions: more of them are not taken up. */
const MENTIONED_CHARS = 1_000_000;
/** Characters of JSON in one cell: D1 takes 2 MB a row, and what is not ASCII takes up to three bytes. */
const LINKS_CHARS = 300_000;
const EXTRAS_CHARS = 100_000;

/** As many items as fit into so many characters of JSON. */
function fitting<T>(items: T[], maxChars: number): T[] {
  // Few items cannot be many characters: each is bounded by itself.
  if (items.length < 100) return items;
  let room = maxChars;
  const end = items.findIndex((item) => (room -= JSON.stringify(item).length + 1) < 0);
  return end === -1 ? items : items.slice(0, end);
}

const RESOURCE_FLAG: Record<ResourceKind, number> = {
  image: RESOURCE.image,
  script: RESOURCE.script,
  style: RESOURCE.style,
  iframe: RESOURCE.iframe,
  media: RESOURCE.media,
  font: RESOURCE.font,
  other: RESOURCE.other,
};

/** Every address that the page mentions, to be numbered before its row can be written. */
export function collectMentions(page: CrawledPage, judge: LinkJudge, mentions: Map<string, Mention>): void {
  const { fetched, html, depth } = page;
  let room = MENTIONED_CHARS;
  const mention = (url: string, source: number, at: number): void => {
    room -= url.length;
    if (room < 0) return;
    const found = judge.mention(url, source, at);
    if (found === null) return;
    const earlier = mentions.get(found.key);
    if (earlier === undefined || found.queue < earlier.queue) mentions.set(found.key, found);
  };
  // A redirect adds no click. Where they do not end, the last address that was seen only leads to the next ten.
  const isEndless = fetched.failure?.code === "too_many_redirects";
  if (fetched.hops.length > 0 && fetched.finalUrl !== fetched.url && !isEndless) {
    mention(fetched.finalUrl, SOURCE.redirect, depth);
  }
  if (html === null) return;
  if (page.canonical !== null) mention(page.canonical, SOURCE.canonical, depth + 1);
  for (const { url } of html.hreflangs) if (url !== null) mention(url, SOURCE.hreflang, depth + 1);
  for (const link of html.links.slice(0, MAX_LINKS)) {
    if (link.kind !== "iframe") mention(link.url, SOURCE.link, depth + 1);
    else mention(link.url, SOURCE.resource, depth + 1);
  }
  for (const image of html.images.slice(0, MAX_RESOURCES)) mention(image.url, SOURCE.resource, depth + 1);
  for (const { url } of html.resources.slice(0, MAX_RESOURCES)) mention(url, SOURCE.resource, depth + 1);
  const ogImage = html.openGraph.image;
  if (ogImage !== undefined) mention(ogImage, SOURCE.resource, depth + 1);
}

export const PAGE_COLUMNS = [
  "audit_id", "url_id", "fetched_at", "status", "final_status", "failure", "failure_detail", "hops", "target_id",
  "content_type", "charset", "bytes", "truncated", "ttfb_ms", "total_ms", "indexability", "indexability_detail",
  "noindex", "nofollow", "title", "title_key", "description", "description_key", "h1", "lang", "canonical",
  "canonical_id", "word_count", "text_key", "minhash", "links", "resources", "hreflang", "extras", "depth",
] as const; // prettier-ignore

const text = (value: string | null | undefined, limit: number): string | null => value?.slice(0, limit) ?? null;
const json = (value: unknown): string => JSON.stringify(value);

/** The row of one page, in the order of PAGE_COLUMNS. Every address must have been numbered. */
export function pageRow(auditId: string, page: CrawledPage, judge: LinkJudge, book: AddressBook, fetchedAt: number) {
  const { fetched, html, robots, indexability } = page;
  const idOf = (url: string): number | null => {
    const key = judge.keyOf(url);
    return key === null ? null : (book.idOf(key) ?? null);
  };
  return [
    auditId,
    page.id,
    fetchedAt,
    fetched.status,
    fetched.finalStatus,
    fetched.failure?.code ?? null,
    text(fetched.failure?.detail, 300),
    fetched.hops.length === 0 ? null : json(fetched.hops.map((hop) => [hop.url, hop.status, hop.location])),
    fetched.hops.length === 0 ? null : idOf(fetched.finalUrl),
    text(fetched.headers["content-type"], 200),
    fetched.charset,
    fetched.bytes,
    fetched.truncated ? 1 : 0,
    fetched.ttfbMs,
    fetched.totalMs,
    indexability.reason,
    text(indexability.detail, 500),
    robots.noindex ? 1 : 0,
    robots.nofollow ? 1 : 0,
    text(html?.titles[0], 500),
    page.titleKey,
    text(html?.descriptions[0], 1_000),
    page.descriptionKey,
    text(html?.h1s[0], 500),
    text(html?.lang, 40),
    text(page.canonical, 2_048),
    page.canonical === null ? null : idOf(page.canonical),
    html?.wordCount ?? null,
    html?.textKey ?? null,
    html?.minhash ?? null,
    html === null ? null : json(fitting(linkCells(html, judge, idOf), LINKS_CHARS)),
    html === null ? null : json(resourceCells(html, idOf)),
    html === null || html.hreflangs.length === 0 ? null : json(hreflangCells(html, idOf)),
    json(extrasOf(page, idOf)),
    page.depth,
  ];
}

type IdOf = (url: string) => number | null;

function linkCells(html: HtmlFacts, judge: LinkJudge, idOf: IdOf): [number, number, string][] {
  const cells: [number, number, string][] = [];
  const firstTo = new Map<number, [number, number, string]>();
  const others = new Set<string>();
  for (const link of html.links.slice(0, MAX_LINKS)) {
    const id = idOf(link.url);
    if (id === null) continue;
    const flags =
      (link.nofollow ? LINK.nofollow : 0) |
      (link.emptyAnchor ? LINK.emptyAnchor : 0) |
      (link.kind === "area" ? LINK.area : 0) |
      (link.kind === "iframe" ? LINK.iframe : 0) |
      (link.fragment ? LINK.fragment : 0) |
      (judge.isExternal(link.url) ? LINK.external : 0);
    const anchor = link.anchor.slice(0, ANCHOR_LENGTH);
    const cell: [number, number, string] = [id, flags, anchor];
    // Most addresses are linked once: only of the others is a key put together.
    const first = firstTo.get(id);
    if (first === undefined) {
      firstTo.set(id, cell);
    } else {
      const key = cell.join(" ");
      if (key === first.join(" ") || others.has(key)) continue;
      others.add(key);
    }
    cells.push(cell);
  }
  return cells;
}

function resourceCells(html: HtmlFacts, idOf: IdOf): [number, number][] {
  const cells = new Map<number, number>();
  const add = (url: string, flags: number): void => {
    const id = idOf(url);
    if (id !== null) cells.set(id, (cells.get(id) ?? 0) | flags);
  };
  for (const image of html.images.slice(0, MAX_RESOURCES)) {
    const flags = (image.alt === null ? RESOURCE.noAlt : 0) | (image.hasSize ? 0 : RESOURCE.noSize);
    add(image.url, RESOURCE.image | (image.fromSrcset ? 0 : flags));
  }
  for (const { url, kind } of html.resources.slice(0, MAX_RESOURCES)) add(url, RESOURCE_FLAG[kind]);
  return [...cells];
}

function hreflangCells(html: HtmlFacts, idOf: IdOf): [string, number][] {
  return html.hreflangs.slice(0, 500).flatMap(({ lang, url }): [string, number][] => {
    const id = url === null ? null : idOf(url);
    return id === null ? [] : [[lang.slice(0, 40), id]];
  });
}

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "strict-transport-security": "hsts",
  "content-security-policy": "csp",
  "x-content-type-options": "xcto",
  "referrer-policy": "rp",
};

function extrasOf(page: CrawledPage, idOf: IdOf): PageExtras {
  const { fetched, html, robots } = page;
  const extras: PageExtras = {};
  if (fetched.botWall !== null) extras.botWall = fetched.botWall;
  if (robots.noindexFrom !== null)
    extras.noindexFrom = `${robots.noindexFrom.where}: ${robots.noindexFrom.found}`.slice(0, 200);
  const security = Object.entries(SECURITY_HEADERS).flatMap(([header, name]) =>
    fetched.headers[header] ? [name] : [],
  );
  if (security.length > 0) extras.securityHeaders = security;
  if (html === null) return extras;
  extras.h1s = html.h1s.length;
  extras.titles = html.titles.length;
  if (html.textStart !== "") extras.textStart = html.textStart;
  if (html.anchors.length > 0) extras.anchors = fitting(html.anchors, EXTRAS_CHARS);
  const fragments = html.links.flatMap((link): [number, string][] => {
    const id = link.fragment ? idOf(link.url) : null;
    return id === null || link.fragment === null ? [] : [[id, link.fragment.slice(0, 200)]];
  });
  if (fragments.length > 0) extras.fragments = fitting(fragments.slice(0, 500), EXTRAS_CHARS);
  const ogImage = html.openGraph.image === undefined ? null : idOf(html.openGraph.image);
  if (ogImage !== null) extras.ogImage = ogImage;
  if (page.findings.some(({ check }) => check === "content.js-shell")) extras.jsShell = true;
  return extras;
}

export const ISSUE_COLUMNS = ["audit_id", "check_id", "url_id", "severity", "evidence"] as const;

export const issueRows = (auditId: string, page: CrawledPage): [string, string, number, Severity, string][] =>
  page.findings.map(({ check, severity, evidence }) => [auditId, check, page.id, severity, json(evidence)]);
