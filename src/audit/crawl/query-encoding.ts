/**
 * The query of a link is percent-encoded in the encoding of the document it stands in, its path always in UTF-8 (URL
 * standard, "query state"). Runtimes can only encode UTF-8, so the tables are made by turning their decoders round.
 */

type Encoder = ReadonlyMap<string, string>;

const encoders = new Map<string, Encoder | null>();

function hex(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

/** Encodings without a table: UTF-8 needs none, UTF-16 documents use UTF-8, and iso-2022-jp has shift states. */
const WITHOUT_TABLE = /^(?:utf-|iso-2022-jp|replacement|x-user-defined)/;
const TWO_BYTES = /^(?:shift_jis|euc-jp|euc-kr|big5|gbk|gb18030)$/;

/** Lead bytes that the standard's encoders avoid, because their characters have another place as well. */
function isAvoidedLead(encoding: string, lead: number): boolean {
  if (encoding === "shift_jis") return lead === 0xed || lead === 0xee;
  return encoding === "big5" && lead < 0xa1;
}

function buildEncoder(encoding: string): Encoder {
  const codes: number[][] = [];
  for (let byte = 0x80; byte <= 0xff; byte++) codes.push([byte]);
  if (TWO_BYTES.test(encoding)) {
    for (let lead = 0x81; lead <= 0xfe; lead++) {
      if (isAvoidedLead(encoding, lead)) continue;
      for (let trail = 0x40; trail <= 0xfe; trail++) codes.push([lead, trail]);
    }
  }
  // One decoding for the whole table: a line each, since no trail byte is a line feed.
  const bytes = Uint8Array.from(codes.flatMap((code) => [...code, 0x0a]));
  const lines = new TextDecoder(encoding).decode(bytes).split("\n");
  const table = new Map<string, string>();
  codes.forEach((code, at) => {
    const char = lines[at] ?? "";
    const isOneChar = char.length > 0 && String.fromCodePoint(char.codePointAt(0)!) === char;
    if (isOneChar && char > "\u007f" && char !== "\ufffd" && !table.has(char)) table.set(char, code.map(hex).join(""));
  });
  return table;
}

function encoderFor(label: string): Encoder | null {
  let encoding: string;
  try {
    encoding = new TextDecoder(label).encoding.toLowerCase();
  } catch {
    return null;
  }
  if (WITHOUT_TABLE.test(encoding)) return null;
  let encoder = encoders.get(encoding);
  if (encoder === undefined) {
    encoder = buildEncoder(encoding);
    encoders.set(encoding, encoder);
  }
  return encoder;
}

/** Anything beyond ASCII. */
const FOREIGN = /[^\u0000-\u007f]/u; // oxlint-disable-line no-control-regex

/**
 * An address as written in a document of the given encoding, with the non-ASCII characters of its query escaped in
 * that encoding; characters that it does not have become `%26%23<number>%3B`, as browsers send them.
 */
export function encodeQuery(href: string, charset: string | null | undefined): string {
  if (!charset) return href;
  const hash = href.indexOf("#");
  const end = hash === -1 ? href.length : hash;
  const mark = href.indexOf("?");
  if (mark === -1 || mark > end) return href;
  const query = href.slice(mark, end);
  if (!FOREIGN.test(query)) return href;
  const encoder = encoderFor(charset);
  if (encoder === null) return href;
  const encoded = Array.from(query, (char) =>
    char <= "\u007f" ? char : (encoder.get(char) ?? `%26%23${char.codePointAt(0)}%3B`),
  ).join("");
  return href.slice(0, mark) + encoded + href.slice(end);
}
