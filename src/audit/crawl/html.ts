/**
 * Reads one HTML document in a stream and says what it contains. Follows the parts of HTML's parsing rules that decide
 * what a search engine sees: where the head ends, what svg, template and noscript hide, which tags cannot nest.
 * Never throws, whatever the document; time and memory grow with its length only.
 */
import { createAnchorCapture } from "./html-anchor.ts";
import { createCollector } from "./html-collect.ts";
import { createElementReader } from "./html-elements.ts";
import type { HtmlFacts } from "./html-facts.ts";
import { isHtmlSpace } from "./html-text.ts";
import { createHtmlTree, FLAG } from "./html-tree.ts";
import { createTokenStream } from "./html-tokens.ts";
import { createTextMeter } from "./main-text.ts";

export interface HtmlReaderOptions {
  /** The document's own address, after redirects. */
  url: string;
  /** The encoding label that the document was decoded with: queries of its links are encoded that way. */
  charset?: string | null;
  /** The document is cut after so much text (UTF-16 units, never more than its bytes). */
  maxBytes: number;
}

export interface HtmlReader {
  /** Decoded text, in pieces of any length. */
  write(text: string): void;
  end(): HtmlFacts;
}

export function createHtmlReader({ url, charset = null, maxBytes }: HtmlReaderOptions): HtmlReader {
  const collector = createCollector();
  const meter = createTextMeter();
  const anchor = createAnchorCapture(collector);
  const tree = createHtmlTree(collector);
  let readLength = 0;
  let truncated = false;

  const tokens = createTokenStream({
    open: (tag, selfClosing) => elements.open(tag, selfClosing),
    close: (tag) => elements.close(tag),
    text(text) {
      if (elements.takesRawText(text) || tree.isHidden()) return;
      if (!tree.inBody()) {
        if (isHtmlSpace(text)) return;
        tree.leaveHead("#text");
      }
      elements.captureText(text);
      const flags = tree.flags();
      if ((flags & (FLAG.foreign | FLAG.svgText | FLAG.noWords)) === 0) meter.add(text, (flags & FLAG.skip) === 0);
    },
    inForeignContent: () => tree.inForeignContent(),
  });
  const elements = createElementReader({ collector, meter, anchor, tree, attribute: (name) => tokens.attribute(name) });

  return {
    write(text) {
      if (truncated || text === "") return;
      truncated = readLength + text.length > maxBytes;
      const piece = truncated ? text.slice(0, maxBytes - readLength) : text;
      readLength += piece.length;
      tokens.write(piece);
    },
    end() {
      tokens.end();
      elements.end();
      return collector.end(url, charset, meter.end(), truncated);
    },
  };
}
