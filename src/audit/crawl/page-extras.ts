/**
 * audit_pages.extras: facts of a page that only a few checks over the whole site read, as JSON. Every field may be
 * absent; a page without any of them stores null.
 */
import type { HtmlFacts } from "./html-facts.ts";

export interface PageExtras {
  /** Targets of fragments on this page, and none when the list was cut: then nothing can be said about its fragments. */
  anchors?: string[];
  /** `[url id, fragment]` of links that point into a page, each pair once. */
  fragments?: [number, string][];
  /** audit_urls.id of og:image, which is verified like any image. */
  ogImage?: number;
  /** The page is drawn by script: its fragments and texts cannot be judged from its HTML. */
  appShell?: 1;
}

/** Anchors and fragments kept of one page. */
export const MAX_ANCHORS = 2_000;
const MAX_FRAGMENTS = 200;
/** Characters of one anchor or fragment. */
const MAX_FRAGMENT_LENGTH = 200;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** True for a fragment that names an element: not empty, not `#top`, no text fragment, no route of an application. */
export function namesElement(fragment: string | null): fragment is string {
  if (fragment === null || fragment === "" || fragment.length > MAX_FRAGMENT_LENGTH) return false;
  if (fragment.toLowerCase() === "top") return false;
  return !fragment.includes(":~:") && !fragment.startsWith("!") && !fragment.startsWith("/");
}

/**
 * What to keep of a page. `idOf` gives the id of an internal address, or null for one that is not checked. Fragments
 * are kept decoded and so are anchors, beside their written form: HTML compares both ("indicated part").
 */
export function pageExtras(html: HtmlFacts, idOf: (url: string) => number | null): PageExtras | null {
  const extras: PageExtras = {};
  if (html.anchors.length > 0 && html.anchors.length < MAX_ANCHORS) {
    const short = html.anchors.filter((anchor) => anchor.length <= MAX_FRAGMENT_LENGTH);
    extras.anchors = [...new Set(short.flatMap((anchor) => [anchor, decoded(anchor)]))];
  } else if (html.anchors.length === 0) {
    extras.anchors = [];
  }
  const seen = new Set<string>();
  const fragments: [number, string][] = [];
  for (const link of html.links) {
    if (!namesElement(link.fragment) || fragments.length >= MAX_FRAGMENTS) continue;
    const id = idOf(link.url);
    const fragment = decoded(link.fragment);
    if (id === null || seen.has(`${id}#${fragment}`)) continue;
    seen.add(`${id}#${fragment}`);
    fragments.push([id, fragment]);
  }
  if (fragments.length > 0) extras.fragments = fragments;
  const image = html.openGraph["image"];
  const imageId = image === undefined ? null : idOf(image);
  if (imageId !== null) extras.ogImage = imageId;
  if (html.emptyAppRoot) extras.appShell = 1;
  return Object.keys(extras).length > 0 ? extras : null;
}
