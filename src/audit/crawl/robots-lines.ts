/**
 * The lines of a robots.txt, read as Google's open parser reads them: bytes, any line ending, a cap on the length of a
 * line, comments cut off, a missing colon forgiven. Texts here are byte strings: one character for each octet.
 */

import { trimEnds } from "./trim-ends.ts";

/** Octets. Google and RFC 9309, 2.5 read at least 500 KiB; what follows is ignored. */
export const ROBOTS_MAX_BYTES = 500 * 1024;

/** Octets of a line that count: 8 times the longest address of old browsers, as in Google's parser. */
export const ROBOTS_MAX_LINE = 2_083 * 8;

export interface RobotsLine {
  /** From 1. */
  number: number;
  key: string;
  value: string;
  hasColon: boolean;
  tooLong: boolean;
}

export type RobotsEncoding = "utf-8" | "utf-16le" | "utf-16be";

/** The bytes as UTF-8 without a byte-order mark (Google also forgives a broken one), cut at the size limit. */
export function readRobotsBytes(input: Uint8Array | string): {
  bytes: Uint8Array;
  encoding: RobotsEncoding;
  cut: boolean;
} {
  let bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  let encoding: RobotsEncoding = "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) encoding = "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) encoding = "utf-16be";
  const cut = bytes.length > ROBOTS_MAX_BYTES;
  if (cut) bytes = bytes.subarray(0, ROBOTS_MAX_BYTES);
  if (encoding !== "utf-8") bytes = new TextEncoder().encode(new TextDecoder(encoding).decode(bytes));
  let start = 0;
  for (const mark of [0xef, 0xbb, 0xbf]) {
    if (bytes[start] !== mark) break;
    start++;
  }
  return { bytes: bytes.subarray(start), encoding, cut };
}

function byteString(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  }
  return pieces.join("");
}

/** A byte string as text: UTF-8 where it is valid, else octet for octet. */
export function textOf(bytes: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(
      Uint8Array.from(bytes, (char) => char.charCodeAt(0)),
    );
  } catch {
    return bytes;
  }
}

const BLANK = /[ \t\v\f]/;
const trim = (text: string): string => trimEnds(text, BLANK);

/** `key : value`; without a colon, exactly two words. Null for anything else. */
function split(line: string): { key: string; value: string; hasColon: boolean } | null {
  const colon = line.indexOf(":");
  if (colon !== -1) {
    const key = trim(line.slice(0, colon));
    return key === "" ? null : { key, value: trim(line.slice(colon + 1)), hasColon: true };
  }
  const [key, value, more] = line.split(/[ \t]+/);
  return key === undefined || value === undefined || more !== undefined ? null : { key, value, hasColon: false };
}

/** Every line that holds a record. `dropLast`: the last line was cut by the size limit and must not count. */
export function* robotsLines(bytes: Uint8Array, dropLast: boolean): Generator<RobotsLine> {
  const lines = byteString(bytes).split(/\r\n|\r|\n/);
  if (dropLast) lines.pop();
  for (const [index, whole] of lines.entries()) {
    const tooLong = whole.length >= ROBOTS_MAX_LINE;
    const capped = tooLong ? whole.slice(0, ROBOTS_MAX_LINE - 1) : whole;
    // oxlint-disable-next-line no-control-regex -- a NUL ends the line in Google's parser
    const record = split(trim(capped.replace(/[\u0000#].*$/s, "")));
    if (record !== null) yield { number: index + 1, ...record, tooLong };
    else if (tooLong) yield { number: index + 1, key: "", value: "", hasColon: false, tooLong };
  }
}
