/**
 * Who links to whom. Pages are added one after the other, in order of their ids; a million links take about 12 MB,
 * because only numbers are kept of them, and of every target a small sample of sources.
 */
import { LINK } from "../crawl/link-flags.ts";
import { AnchorTexts, type LinkSample, SAMPLE_SIZE } from "./samples.ts";

/** A page as the graph needs it. `links` and `resources` are the stored JSON. */
export interface GraphPage {
  urlId: number;
  /** The page says nofollow for all of its links. */
  nofollow: boolean;
  links: string | null;
  resources: string | null;
}

export interface GraphInput {
  /** The highest id in audit_urls. */
  lastId: number;
  /** Every page's id with the id at the end of its redirects, if it redirects. */
  pages: readonly { urlId: number; targetId: number | null }[];
  /** Addresses that are no pages and of which a check wants to know who leads there. */
  wanted: Iterable<number>;
}

/** Bits of Target.uses: 1 for a link, RESOURCE bits shifted left by one. */
export const USED_BY_LINK = 1;
export const usedAs = (resourceBit: number): number => resourceBit << 1;

export interface Target {
  urlId: number;
  /** Pages that link to (or load) this very address, itself left out. */
  inlinks: number;
  /** Pages that lead here by a link without nofollow, directly or through redirects. */
  followInlinks: number;
  uses: number;
  sample: LinkSample;
}

export interface LinkTotals {
  /** Links between pages of the site, each pair of page and target once. */
  internal: number;
  /** Pages that have links at all, and the most that one has. */
  pagesWithLinks: number;
  most: number;
}

const NOT_A_PAGE = 0;
const PAGE = 1;
const WANTED = 2;

type Entries = unknown[];

function entries(json: string | null): Entries {
  if (json === null) return [];
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed : [];
}

/** `[url id, flags, anchor]`, or null for what is none. */
function entry(value: unknown, lastId: number): [id: number, flags: number, anchor: unknown] | null {
  if (!Array.isArray(value)) return null;
  const [id, flags, anchor] = value as unknown[];
  if (typeof id !== "number" || !Number.isInteger(id) || id < 1 || id > lastId) return null;
  return [id, typeof flags === "number" ? flags : 0, anchor];
}

export class LinkGraph {
  readonly totals: LinkTotals = { internal: 0, pagesWithLinks: 0, most: 0 };
  readonly #lastId: number;
  readonly #kind: Uint8Array;
  readonly #redirect: Int32Array;
  readonly #inlinks: Uint32Array;
  readonly #follow: Uint32Array;
  readonly #uses: Uint16Array;
  /** The page that was counted last for a target: one page counts once, however often it links there. */
  readonly #lastSource: Int32Array;
  readonly #lastFollower: Int32Array;
  readonly #samples = new Map<number, LinkSample>();
  readonly #nofollow = new Map<number, { count: number; lastSource: number; sample: LinkSample }>();
  readonly #anchors = new AnchorTexts();
  /** Targets of clicks, page after page; `#firstEdge[page]` is where those of a page begin, one past the end follows. */
  #edges = new Int32Array(4_096);
  #edgeCount = 0;
  readonly #firstEdge: Int32Array;
  readonly #endEdge: Int32Array;

  constructor({ lastId, pages, wanted }: GraphInput) {
    const size = lastId + 1;
    this.#lastId = lastId;
    this.#kind = new Uint8Array(size);
    this.#redirect = new Int32Array(size);
    this.#inlinks = new Uint32Array(size);
    this.#follow = new Uint32Array(size);
    this.#uses = new Uint16Array(size);
    this.#lastSource = new Int32Array(size);
    this.#lastFollower = new Int32Array(size);
    this.#firstEdge = new Int32Array(size);
    this.#endEdge = new Int32Array(size);
    for (const id of wanted) if (id >= 1 && id <= lastId) this.#kind[id] = WANTED;
    for (const { urlId, targetId } of pages) {
      this.#kind[urlId] = PAGE;
      if (targetId !== null && targetId !== urlId && targetId <= lastId) this.#redirect[urlId] = targetId;
    }
  }

  add(page: GraphPage): void {
    const source = page.urlId;
    this.#firstEdge[source] = this.#edgeCount;
    let own = 0;
    for (const value of entries(page.links)) {
      const link = entry(value, this.#lastId);
      if (link !== null && this.#link(source, link, page.nofollow)) own += 1;
    }
    this.#endEdge[source] = this.#edgeCount;
    if (own > 0) this.totals.pagesWithLinks += 1;
    this.totals.internal += own;
    this.totals.most = Math.max(this.totals.most, own);
    for (const value of entries(page.resources)) {
      const resource = entry(value, this.#lastId);
      if (resource !== null && this.#kind[resource[0]] !== NOT_A_PAGE) {
        this.#uses[resource[0]]! |= usedAs(resource[1]) & 0xffff;
        // A page that is also loaded as an image is no page that is linked.
        if (this.#kind[resource[0]] === WANTED) this.#count(source, resource[0], "");
      }
    }
  }

  /** True when the link is the page's first one to that address of the site. */
  #link(source: number, [target, flags, anchor]: [number, number, unknown], pageNofollow: boolean): boolean {
    const kind = this.#kind[target];
    const isExternal = (flags & LINK.external) !== 0;
    const isClick = !isExternal && (flags & LINK.iframe) === 0;
    const isNofollow = (flags & LINK.nofollow) !== 0;
    if (isClick && kind === PAGE) this.#edge(target);
    if (kind !== NOT_A_PAGE) this.#uses[target]! |= USED_BY_LINK;
    if (target === source) return false;
    if (isClick && !isNofollow && !pageNofollow) {
      this.#followed(source, target);
      const end = this.#redirect[target]!;
      if (end !== 0) this.#followed(source, end);
    }
    if (isClick && isNofollow && kind === PAGE) this.#countNofollow(source, target, anchor);
    if (kind === NOT_A_PAGE) {
      const isFirst = !isExternal && this.#lastSource[target] !== source;
      this.#lastSource[target] = source;
      return isFirst;
    }
    return this.#count(source, target, anchor) && !isExternal;
  }

  #followed(source: number, target: number): void {
    if (target === source || this.#lastFollower[target] === source) return;
    this.#lastFollower[target] = source;
    this.#follow[target]! += 1;
  }

  #count(source: number, target: number, anchor: unknown): boolean {
    if (this.#lastSource[target] === source) return false;
    this.#lastSource[target] = source;
    this.#inlinks[target]! += 1;
    let sample = this.#samples.get(target);
    if (sample === undefined) this.#samples.set(target, (sample = []));
    if (sample.length < SAMPLE_SIZE) sample.push([source, this.#anchors.share(anchor)]);
    return true;
  }

  #countNofollow(source: number, target: number, anchor: unknown): void {
    let found = this.#nofollow.get(target);
    if (found === undefined) this.#nofollow.set(target, (found = { count: 0, lastSource: 0, sample: [] }));
    if (found.lastSource === source) return;
    found.lastSource = source;
    found.count += 1;
    if (found.sample.length < SAMPLE_SIZE) found.sample.push([source, this.#anchors.share(anchor)]);
  }

  #edge(target: number): void {
    if (this.#edgeCount === this.#edges.length) {
      const grown = new Int32Array(this.#edges.length * 2);
      grown.set(this.#edges);
      this.#edges = grown;
    }
    this.#edges[this.#edgeCount++] = target;
  }

  target(urlId: number): Target {
    return {
      urlId,
      inlinks: this.#inlinks[urlId] ?? 0,
      followInlinks: this.#follow[urlId] ?? 0,
      uses: this.#uses[urlId] ?? 0,
      sample: this.#samples.get(urlId) ?? [],
    };
  }

  /** Pages of the site that are linked with rel=nofollow, with the pages that do so. */
  nofollowTargets(): { urlId: number; count: number; sample: LinkSample }[] {
    return [...this.#nofollow].map(([urlId, { count, sample }]) => ({ urlId, count, sample }));
  }

  /** Clicks from the start page to each address by the shortest way, by id; -1: no way leads there. */
  depths(startId: number): Int32Array {
    const depth = new Int32Array(this.#lastId + 1).fill(-1);
    const queue = new Int32Array(this.#lastId + 1);
    let end = 0;
    const reach = (id: number, clicks: number) => {
      // A redirect adds no click: its end is reached together with it.
      for (let at = id; at !== 0 && depth[at] === -1; at = this.#redirect[at]!) {
        depth[at] = clicks;
        queue[end++] = at;
      }
    };
    if (startId >= 1 && startId <= this.#lastId) reach(startId, 0);
    for (let at = 0; at < end; at++) {
      const page = queue[at]!;
      for (let edge = this.#firstEdge[page]!; edge < this.#endEdge[page]!; edge++) {
        reach(this.#edges[edge]!, depth[page]! + 1);
      }
    }
    return depth;
  }
}
