/**
 * From bytes to text. The encoding is, in this order: the byte-order mark, the HTTP charset, what the document declares
 * in its first 1,024 bytes, UTF-8 if the bytes are valid UTF-8, windows-1252.
 */
import { parseContentType } from "./content-type.ts";
import { prescanCharset } from "./meta-prescan.ts";

const PRESCAN_BYTES = 1_024;

/** Where nothing is declared, so many bytes are kept back at most until one beyond ASCII shows what they are. */
const GUESS_BYTES = 65_536;

export interface DecoderOptions {
  /** The Content-Type header of the response. */
  contentType?: string | null;
}

export interface StreamDecoder {
  /** Text that has become certain; "" while the encoding is still open. */
  write(bytes: Uint8Array): string;
  /** The rest of the text. */
  end(): string;
  /** The encoding's name in lower case; null as long as it is open. */
  readonly charset: string | null;
  /** Where the encoding is known from; null as long as it is open. */
  readonly source: CharsetSource | null;
}

export type CharsetSource = "bom" | "header" | "document" | "guess";

/** Labels that were asked for: making a decoder only to learn its name costs more than decoding a small page. */
const names = new Map<string, string | null>();
const MOST_NAMES = 100;

/** The encoding's standard name, or null for an unknown label. */
export function encodingOf(label: string): string | null {
  const known = names.get(label);
  if (known !== undefined) return known;
  if (names.size >= MOST_NAMES) names.clear();
  const name = nameOf(label);
  if (label.length <= 100) names.set(label, name);
  return name;
}

function nameOf(label: string): string | null {
  try {
    return new TextDecoder(label.trim()).encoding.toLowerCase();
  } catch {
    return null;
  }
}

function byteOrderMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : null;
}

/** A document that can be read byte by byte is not what it says in UTF-16; x-user-defined is windows-1252 (HTML). */
function declaredIn(bytes: Uint8Array): string | null {
  const start = String.fromCharCode(...bytes.subarray(0, PRESCAN_BYTES));
  const label = prescanCharset(start, (candidate) => candidate === "x-user-defined" || encodingOf(candidate) !== null);
  if (label === null) return null;
  if (/^x-user-defined$/i.test(label)) return "windows-1252";
  const encoding = encodingOf(label)!;
  return encoding.startsWith("utf-16") ? "utf-8" : encoding;
}

/** Length of the UTF-8 sequence that starts at `at`: 0 if it is invalid, -1 if the bytes end within it. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  for (let index = 1; index < length; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) return -1;
    if (byte >> 6 !== 0b10) return 0;
  }
  return length;
}

/** UTF-8 or windows-1252, by which of the two explains more of what lies beyond ASCII; null: nothing does yet. */
function guess(bytes: Uint8Array, isEnd: boolean): "utf-8" | "windows-1252" | null {
  let valid = 0;
  let invalid = 0;
  for (let at = 0; at < bytes.length;) {
    if (bytes[at]! < 0x80) {
      at++;
      continue;
    }
    const length = sequenceLength(bytes, at);
    if (length === -1) {
      // Cut off in the middle of a character, unless this is all there is beyond ASCII.
      if (isEnd && valid === 0) invalid++;
      break;
    }
    if (length === 0) invalid++;
    else valid++;
    at += Math.max(1, length);
  }
  if (valid === 0 && invalid === 0) return null;
  return valid > invalid ? "utf-8" : "windows-1252";
}

function concat(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

/** Decodes one body piece by piece. Never throws: what is invalid becomes U+FFFD, an unknown label is ignored. */
export function createDecoder({ contentType = null }: DecoderOptions = {}): StreamDecoder {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  /** What is held is looked at when it has reached this length, then twice this: small pieces must not cost squares. */
  let lookAt = 3;
  let decoder: TextDecoder | null = null;
  let charset: string | null = null;
  let source: CharsetSource | null = null;
  const { charset: label } = parseContentType(contentType);
  const headerCharset = label === null ? null : encodingOf(label);

  function settle(name: string, from: CharsetSource): void {
    [charset, source, decoder] = [name, from, new TextDecoder(name)];
  }

  /** Settles the encoding if these first bytes show it; at the end, or with much held, in any case. */
  function decide(bytes: Uint8Array, isEnd: boolean): void {
    const mark = byteOrderMark(bytes);
    if (mark !== null) return settle(mark, "bom");
    if (headerCharset !== null) return settle(headerCharset, "header");
    if (bytes.length < PRESCAN_BYTES && !isEnd) return;
    const declared = declaredIn(bytes);
    if (declared !== null) return settle(declared, "document");
    const guessed = guess(bytes, isEnd);
    if (guessed !== null || isEnd || bytes.length >= GUESS_BYTES) settle(guessed ?? "utf-8", "guess");
  }

  function release(isEnd: boolean): string {
    const bytes = concat(held, heldBytes);
    decide(bytes, isEnd);
    held = decoder === null ? [bytes] : [];
    lookAt = Math.max(PRESCAN_BYTES, bytes.length * 2);
    return decoder?.decode(bytes, { stream: !isEnd }) ?? "";
  }

  return {
    write(bytes) {
      if (decoder !== null) return decoder.decode(bytes, { stream: true });
      held.push(bytes);
      heldBytes += bytes.length;
      return heldBytes < lookAt ? "" : release(false);
    },
    end() {
      return decoder === null ? release(true) : decoder.decode();
    },
    get charset() {
      return charset;
    },
    get source() {
      return source;
    },
  };
}
