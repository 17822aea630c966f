import { createHtmlReader } from "../../../src/audit/crawl/html.ts";
import type { HtmlFacts } from "../../../src/audit/crawl/html-facts.ts";

export const PAGE = "https://shop.example/dir/page";

/** Reads a document in one piece. */
export function readHtml(html: string, url = PAGE, options: { charset?: string; maxBytes?: number } = {}): HtmlFacts {
  const reader = createHtmlReader({ url, maxBytes: 5_000_000, ...options });
  reader.write(html);
  return reader.end();
}

/** Reads a document in pieces of the given length. */
export function readInPieces(html: string, length: number, url = PAGE): HtmlFacts {
  const reader = createHtmlReader({ url, maxBytes: 5_000_000 });
  for (let at = 0; at < html.length; at += length) reader.write(html.slice(at, at + length));
  return reader.end();
}

/** So many different words. */
export function words(count: number, seed = 0): string {
  const syllables = [
    "ba",
    "ke",
    "li",
    "mo",
    "nu",
    "ra",
    "se",
    "ti",
    "vo",
    "wu",
    "zan",
    "dor",
    "fel",
    "gim",
    "hup",
    "jat",
  ];
  return Array.from({ length: count }, (_, index) => {
    let number = Math.imul(index + 1 + seed * 7919, 2_654_435_761) >>> 0;
    let word = "";
    for (let i = 0; i < 3; i++) {
      word += syllables[number % syllables.length];
      number = Math.floor(number / syllables.length);
    }
    return word;
  }).join(" ");
}
