/**
 * Sitemaps, sitemap indexes, RSS and Atom, read as a stream. Names are matched without their namespace, since every
 * kind of it is in use; entities of a DTD are never expanded.
 */
import { SaxesParser } from "saxes";
import { trimEnds } from "./trim-ends.ts";
import { createAmpersandFixer } from "./xml-ampersands.ts";
import type { RawEntry, SitemapCollector, SitemapKind } from "./sitemap-collector.ts";

const ROOTS: Record<string, SitemapKind> = {
  urlset: "urlset",
  sitemapindex: "index",
  rss: "rss",
  RDF: "rss",
  feed: "atom",
};

/** The element that is one entry. */
const ENTRY: Record<SitemapKind, string> = { urlset: "url", index: "sitemap", rss: "item", atom: "entry", text: "" };

/** Deeper is no sitemap but an attempt on the memory. */
const MAX_DEPTH = 64;
/** Characters of one text, tag or comment. */
const MAX_PIECE = 1_000_000;
/** Characters of an element's text that are kept. */
const MAX_TEXT = 8_192;
const MAX_ALTERNATES = 250;
/** After so many errors nothing sensible follows. */
const MAX_ERRORS = 20;

interface Frame {
  /** Without its prefix. */
  name: string;
  prefix: string;
  text: string;
}

interface Name {
  name: string;
  prefix: string;
}

function splitName(qualified: string): Name {
  const colon = qualified.indexOf(":");
  return { prefix: qualified.slice(0, Math.max(0, colon)), name: qualified.slice(colon + 1) };
}

/** Also what XML does not call white space: pasted addresses carry it. */
const BLANK = /[\s\u0085\u200b\u2060\ufeff]/;
const trim = (text: string): string => trimEnds(text, BLANK);

export interface TextReader {
  /** False: stop reading. */
  write(text: string): boolean;
  end(): void;
}

export function createSitemapXml(collector: SitemapCollector): TextReader {
  const parser = new SaxesParser({ xmlns: false, position: true });
  const stack: Frame[] = [];
  let entry: (RawEntry & { guid: string; text: string }) | null = null;
  let isStopped = false;
  let errors = 0;
  let sinceEvent = 0;
  let sawRoot = false;

  const stop = (sentence: string): void => {
    isStopped = true;
    collector.problem(sentence);
  };

  function openRoot({ name }: Name): void {
    sawRoot = true;
    collector.kind = ROOTS[name] ?? null;
    if (collector.kind !== null) return;
    if (name.toLowerCase() === "html") stop("It is a web page, not a sitemap.");
    else stop(`Its root element is <${name.slice(0, 60)}>; a sitemap has <urlset> or <sitemapindex>.`);
  }

  /** Is the innermost element a direct child of the entry, of the entry's own vocabulary? */
  function isField({ prefix }: Name): boolean {
    const parent = stack.at(-2);
    return entry !== null && parent?.name === ENTRY[collector.kind!] && parent.prefix === prefix;
  }

  function readLink(tag: Name, attributes: Record<string, string>): void {
    if (entry === null || stack.at(-2)?.name !== ENTRY[collector.kind!]) return;
    const { rel = "", hreflang, href } = attributes;
    if (href === undefined) return;
    if (collector.kind === "atom" && isField(tag)) {
      if (entry.loc === "" && (rel === "" || rel === "alternate")) entry.loc = trim(href);
    } else if (collector.kind === "urlset" && hreflang !== undefined && rel.toLowerCase() === "alternate") {
      if (entry.alternates.length < MAX_ALTERNATES) {
        entry.alternates.push({ lang: hreflang.slice(0, 100), href: trim(href).slice(0, MAX_TEXT) });
      }
    }
  }

  parser.on("opentag", (tag) => {
    sinceEvent = 0;
    if (isStopped) return;
    const name = splitName(tag.name);
    stack.push({ ...name, text: "" });
    if (stack.length > MAX_DEPTH)
      return stop(`Its elements are nested deeper than ${MAX_DEPTH}; the rest is not read.`);
    if (!sawRoot) return openRoot(name);
    if (name.name === ENTRY[collector.kind!] && entry === null) {
      const isFeed = collector.kind === "rss" || collector.kind === "atom";
      entry = { loc: "", lastmod: null, alternates: [], guid: "", text: "", isFeed };
    } else if (name.name === "link") {
      readLink(name, tag.attributes);
    }
  });

  const keep = (text: string): void => {
    sinceEvent = 0;
    const frame = stack.at(-1);
    if (frame !== undefined && entry !== null && frame.text.length < MAX_TEXT) frame.text += text.slice(0, MAX_TEXT);
  };
  parser.on("text", keep);
  parser.on("cdata", keep);
  parser.on("comment", () => {
    sinceEvent = 0;
  });

  function closeField(name: string, text: string): void {
    if (entry === null) return;
    const isFeed = entry.isFeed === true;
    if (name === "loc" || (collector.kind === "rss" && name === "link")) entry.loc ||= text;
    else if (name === "guid") entry.guid = text;
    else if (name === "lastmod" || (isFeed && /^(?:pubDate|updated|date)$/.test(name)))
      entry.lastmod ??= text.slice(0, 100);
  }

  function closeEntry(text: string): void {
    if (entry === null) return;
    const { guid, text: _, ...raw } = entry;
    entry = null;
    if (raw.loc === "" && raw.isFeed === true) {
      // Feeds need no links; a guid often is one.
      if (/^https?:/i.test(guid)) collector.add({ ...raw, loc: guid });
      return;
    }
    if (raw.loc === "") {
      collector.fault("no_loc", text);
      // The address may stand in the entry itself: read all the same.
      if (/^https?:\S+$/i.test(text)) collector.add({ ...raw, loc: text });
      return;
    }
    collector.add(raw);
  }

  parser.on("closetag", () => {
    sinceEvent = 0;
    const frame = stack.at(-1);
    if (frame === undefined || isStopped) return;
    const text = trim(frame.text);
    // RSS 1.0 puts dates into another vocabulary.
    if (isField(frame) || (frame.name === "date" && entry?.isFeed === true)) closeField(frame.name, text);
    else if (frame.name === ENTRY[collector.kind!] && stack.at(-2)?.name !== frame.name) closeEntry(text);
    stack.pop();
    if (collector.isFull) isStopped = true;
  });

  const malformed = (line: number | string, what: string): void => {
    errors += 1;
    if (errors === 1) collector.problem(`It is not well-formed XML in line ${line}: ${what.slice(0, 200)}.`);
  };

  parser.on("error", (error) => {
    // "12:7: unclosed tag: url"
    const [, line, what] = /^(?:.*?:)?(\d+):\d+: (.*)$/s.exec(error.message) ?? [];
    malformed(line ?? parser.line, what ?? error.message);
    if (errors >= MAX_ERRORS) isStopped = true;
  });

  let bare = 0;
  const ampersands = createAmpersandFixer((text, at) => {
    bare += 1;
    if (bare > 1) return;
    const line = parser.line + text.slice(0, at).split("\n").length - 1;
    malformed(line, 'a "&" must be written "&amp;"');
  });

  return {
    write(text) {
      if (isStopped) return false;
      sinceEvent += text.length;
      parser.write(ampersands.write(text));
      if (!isStopped && sinceEvent > MAX_PIECE)
        stop(`A single element or text is longer than ${MAX_PIECE} characters.`);
      return !isStopped;
    },
    end() {
      if (!isStopped) parser.write(ampersands.end()).close();
    },
  };
}
