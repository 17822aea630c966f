/** Text for a terminal: what was crawled is hostile, and lines must fit. */
import { stripVTControlCharacters, styleText } from "node:util";

/** C0 and C1 controls, DEL, bidirectional overrides and isolates, line separators, invisible marks (joiners are text). */
// oxlint-disable-next-line no-control-regex -- control characters are what it is about
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

/**
 * Crawled text made harmless for a terminal: a control character (an escape sequence needs one) is shown as its
 * picture, white space as a space, what would reorder or hide the text as a replacement character.
 */
export function safe(text: string): string {
  return text.toWellFormed().replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === "\n" || character === "\r" || character === "\t") return " ";
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return "\ufffd";
  });
}

/** East Asian wide and emoji blocks, near enough for cutting lines. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Columns that the text takes; our own colours take none. */
export function widthOfText(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(stripVTControlCharacters(text))) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Cut to that many columns, with an ellipsis where something is missing. */
export function clip(text: string, columns: number): string {
  if (widthOfText(text) <= columns) return text;
  let kept = "";
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    const next = WIDE.test(segment) ? 2 : 1;
    if (width + next > columns - 1) break;
    kept += segment;
    width += next;
  }
  return `${kept}…`;
}

/** Joins the parts to lines of at most so many columns. A part is never broken, only clipped if it is longer than a line. */
export function flow(parts: readonly string[], columns: number, gap = "   ", indent = ""): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && widthOfText(last) + gap.length + widthOfText(part) <= columns) {
      lines[lines.length - 1] = last + gap + part;
    } else {
      const line = (lines.length > 0 ? indent : "") + part;
      lines.push(clip(line, columns));
    }
  }
  return lines;
}

/** Breaks a sentence into lines. */
export const wrap = (text: string, columns: number, indent = ""): string[] =>
  flow(text.split(" ").filter(Boolean), columns, " ", indent);

const NUMBER = new Intl.NumberFormat("en-US");
/** 1,284 */
export const count = (value: number): string => NUMBER.format(value);
/** "1 page", "2 pages". */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

export type Paint = (style: "red" | "yellow" | "green" | "cyan" | "dim" | "bold", text: string) => string;
export const painter = (colour: boolean): Paint =>
  colour ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text;
