/**
 * Turns text that arrives in pieces into start tags with the attributes that somebody reads, end tags and text.
 * It stands on htmlparser2's tokenizer alone: the tree that its parser keeps costs more time than the rest of the
 * reading, and grows without bound on hostile documents.
 */
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { type Tag, tagOf } from "./html-tags.ts";

/** The attributes that are kept; all others pass by. */
export const ATTRIBUTES = [
  "href", "src", "id", "name", "rel", "content", "alt", "width", "height", "srcset", "role", "title", "type",
  "property", "http-equiv", "hreflang", "lang", "xml:lang", "media", "as", "disabled", "onclick", "aria-label",
  "aria-labelledby", "aria-hidden", "hidden", "action", "formaction", "poster", "data", "background", "xlink:href",
  "data-src", "data-lazy-src", "data-original", "shadowrootmode", "style",
] as const; // prettier-ignore
export type AttributeName = (typeof ATTRIBUTES)[number];

const SLOT = new Map<string, number>(ATTRIBUTES.map((name, slot) => [name, slot]));
const STYLE_SLOT = SLOT.get("style")!;
/** Characters of earlier pieces that are kept for what began in them; a longer name is cut. */
const KEPT_TEXT = 65_536;

export interface TokenHandler {
  open(tag: Tag, selfClosing: boolean): void;
  close(tag: Tag): void;
  text(text: string): void;
  /** Inside svg or math, where title, style and script are ordinary elements. */
  inForeignContent(): boolean;
}

export interface TokenStream {
  write(text: string): void;
  end(): void;
  /** The attribute of the start tag that is being handled; the first one counts, null when there is none. */
  attribute(name: AttributeName): string | null;
}

export function createTokenStream(handler: TokenHandler): TokenStream {
  const values = Array.from(ATTRIBUTES, () => "");
  /** The number of the tag that set the value: no clearing between tags. */
  const setBy = new Int32Array(ATTRIBUTES.length);
  let tagNumber = 0;
  let tag: Tag = tagOf("");
  let slot = -1;
  let value = "";

  let chunk = "";
  let chunkStart = 0;
  /** The end of the earlier pieces: a name, or text before a half-read entity, may have begun there. */
  let earlier = "";

  function slice(from: number, to: number): string {
    if (from >= chunkStart) return chunk.slice(from - chunkStart, to - chunkStart);
    const earlierStart = chunkStart - earlier.length;
    const kept = earlier.slice(Math.max(0, from - earlierStart), Math.max(0, to - earlierStart));
    return kept + chunk.slice(0, Math.max(0, to - chunkStart));
  }

  const callbacks: TokenizerCallbacks = {
    onopentagname(from, to) {
      tag = tagOf(slice(from, to));
      tagNumber++;
      slot = -1;
    },
    onattribname(from, to) {
      const name = slice(from, to);
      slot = SLOT.get(name) ?? SLOT.get(name.toLowerCase()) ?? -1;
      if (slot !== -1 && (setBy[slot] === tagNumber || (slot === STYLE_SLOT && tag.name !== "img"))) slot = -1;
      value = "";
    },
    onattribdata(from, to) {
      if (slot !== -1) value += slice(from, to);
    },
    onattribentity(codePoint) {
      if (slot !== -1) value += String.fromCodePoint(codePoint);
    },
    onattribend() {
      if (slot === -1) return;
      values[slot] = value;
      setBy[slot] = tagNumber;
      slot = -1;
    },
    onopentagend() {
      handler.open(tag, false);
    },
    onselfclosingtag() {
      handler.open(tag, true);
    },
    onclosetag(from, to) {
      handler.close(tagOf(slice(from, to)));
    },
    ontext(from, to) {
      handler.text(slice(from, to));
    },
    ontextentity(codePoint) {
      handler.text(String.fromCodePoint(codePoint));
    },
    oncdata(from, to, offset) {
      // Outside svg and math a CDATA section is a comment.
      if (handler.inForeignContent()) handler.text(slice(from, to - offset));
    },
    oncomment() {},
    ondeclaration() {},
    onprocessinginstruction() {},
    onend() {},
    isInForeignContext: () => handler.inForeignContent(),
  };
  const tokenizer = new Tokenizer({}, callbacks);

  return {
    write(text) {
      earlier = chunk.length >= KEPT_TEXT ? chunk : (earlier + chunk).slice(-KEPT_TEXT);
      chunkStart += chunk.length;
      chunk = text;
      tokenizer.write(text);
    },
    end() {
      tokenizer.end();
    },
    attribute(name) {
      const at = SLOT.get(name)!;
      return setBy[at] === tagNumber ? values[at]! : null;
    },
  };
}
