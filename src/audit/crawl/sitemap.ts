/**
 * Reads a sitemap of any kind as a stream, without ever holding the whole of it: XML, an index, RSS, Atom or a list of
 * addresses, plain or gzipped (https://www.sitemaps.org/protocol.html,
 * https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap).
 */
import { createDecoder } from "./encoding.ts";
import { type ByteSource, GzipError, gunzipIfNeeded } from "./gunzip.ts";
import {
  type LastmodFacts,
  SITEMAP_MAX_BYTES,
  SitemapCollector,
  type SitemapCollectorOptions,
  type SitemapEntry,
  type SitemapKind,
} from "./sitemap-collector.ts";
import { createSitemapXml, type TextReader } from "./sitemap-xml.ts";

export { SITEMAP_MAX_BYTES, SITEMAP_MAX_LOC_LENGTH, SITEMAP_MAX_LOCS } from "./sitemap-collector.ts";
export type { LastmodFacts, SitemapEntry, SitemapKind } from "./sitemap-collector.ts";

export interface ReadSitemapOptions extends SitemapCollectorOptions {
  /** The Content-Type header, for its charset only: what the file is, its bytes say. */
  contentType?: string | null;
  /** It was found in an index: then it must not be an index itself. It is read all the same. */
  isInIndex?: boolean;
  /** Gets the entries in pieces, in their order, and what kind of file lists them. False ends the reading. */
  onEntries: (entries: SitemapEntry[], kind: SitemapKind | null) => boolean | void | Promise<boolean | void>;
  /** Entries of a piece at most; 500 unless said. */
  batchSize?: number;
}

export interface SitemapSummary {
  /** Null: it is no sitemap. */
  kind: SitemapKind | null;
  /** Entries that could be used. */
  entries: number;
  /** Uncompressed bytes read. */
  bytes: number;
  /** Everything that breaks the protocol, a sentence each; for `sitemap.invalid`. */
  problems: string[];
  lastmod: LastmodFacts;
  /** It broke off, or exceeds a limit, or the reading was ended. */
  isPartial: boolean;
}

/** A list of addresses, one a line. */
function createSitemapText(collector: SitemapCollector): TextReader {
  let rest = "";
  const line = (text: string): void => {
    const loc = text.trim();
    if (loc !== "") collector.add({ loc, lastmod: null, alternates: [] });
  };
  return {
    write(text) {
      const lines = (rest + text).split(/\r\n|\r|\n/);
      rest = lines.pop()!;
      for (const each of lines) line(each);
      if (rest.length > 100_000) {
        collector.problem("It is neither XML nor a list of addresses.");
        return false;
      }
      return !collector.isFull;
    },
    end() {
      line(rest);
    },
  };
}

/** Chooses the reader by the first character that is no white space. */
function createSitemapReader(collector: SitemapCollector): TextReader {
  let reader: TextReader | null = null;
  let blank = "";
  return {
    write(text) {
      if (reader !== null) return reader.write(text);
      blank += text;
      const start = blank.trimStart();
      if (start === "") return blank.length < 100_000;
      const isXml = start.startsWith("<");
      if (isXml && start.length < blank.length && start.startsWith("<?xml")) {
        collector.problem("There is white space before its XML declaration; strict readers refuse that.");
      }
      if (!isXml) collector.kind = "text";
      reader = isXml ? createSitemapXml(collector) : createSitemapText(collector);
      return reader.write(start);
    },
    end() {
      if (reader === null) collector.problem("It is empty.");
      else reader.end();
    },
  };
}

/** How the bytes ended: all read, broken off (why), or ended by a limit or a reader. */
type End = "all" | "broken" | "stopped";

/**
 * Reads one sitemap from its body. Never throws for what the server sends: damage, breaks and excess become
 * `problems`, and what was readable before them counts.
 */
export async function readSitemap(source: ByteSource, options: ReadSitemapOptions): Promise<SitemapSummary> {
  const { contentType = null, onEntries, batchSize = 500 } = options;
  const collector = new SitemapCollector(options);
  const reader = createSitemapReader(collector);
  const decoder = createDecoder({ contentType });
  let bytes = 0;

  let isEnded = false;

  /** Hands on pieces of at least so many entries; false ends the reading. */
  const deliver = async (least: number): Promise<boolean> => {
    while (!isEnded && collector.waiting >= least) {
      isEnded = (await onEntries(collector.take(batchSize), collector.kind)) === false;
    }
    return !isEnded;
  };

  const take = async (): Promise<End> => {
    for await (const piece of brokenOffQuietly(gunzipIfNeeded(source), collector)) {
      if (piece === null) return "broken";
      bytes += piece.length;
      if (bytes > SITEMAP_MAX_BYTES) {
        collector.problem(`It is larger than ${SITEMAP_MAX_BYTES} bytes uncompressed; the rest is not read.`);
        return "stopped";
      }
      // Small pieces, so that one huge chunk does not become one huge batch.
      for (let at = 0; at < piece.length; at += 65_536) {
        const text = decoder.write(piece.subarray(at, at + 65_536));
        const goesOn = text === "" || reader.write(text);
        if (!(await deliver(batchSize)) || !goesOn) return "stopped";
      }
    }
    return "all";
  };

  const end = await take();
  if (end !== "stopped") {
    const text = decoder.end();
    const goesOn = text === "" || reader.write(text);
    if (goesOn && end === "all") reader.end();
  }
  await deliver(1);
  if (collector.kind === "index" && options.isInIndex === true) {
    collector.problem("It is a sitemap index inside another index, which the protocol does not allow.");
  }
  if (collector.kind === "text" && collector.count === 0)
    collector.problem("It is neither XML nor a list of addresses.");
  const { kind, count: entries, problems, lastmod } = collector;
  return { kind, entries, bytes, problems, lastmod, isPartial: end !== "all" };
}

/** The pieces of a body; null where it breaks off, with the reason among the problems. */
async function* brokenOffQuietly(
  source: AsyncGenerator<Uint8Array>,
  collector: SitemapCollector,
): AsyncGenerator<Uint8Array | null> {
  try {
    yield* source;
  } catch (error) {
    const why = error instanceof GzipError ? "its gzip data is damaged" : "the connection ended";
    collector.problem(`It breaks off before its end: ${why}.`);
    yield null;
  }
}
