/** What is a word, character by character, cheap enough to run over every text of a crawl. */

/**
 * A separator, part of a word, a character that counts as a word by itself (with or without being one), or a joiner,
 * which belongs to a word only inside of it: "don't".
 */
export const CHAR = { separator: 0, word: 1, ideograph: 2, unspaced: 3, joiner: 4 } as const;
export type CharKind = (typeof CHAR)[keyof typeof CHAR];

const ASCII_KIND: CharKind[] = [];
const ASCII_LOWER = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const isDigit = code >= 48 && code <= 57;
  const isUpper = code >= 65 && code <= 90;
  const isLower = code >= 97 && code <= 122;
  ASCII_KIND[code] = isDigit || isUpper || isLower ? CHAR.word : CHAR.separator;
  ASCII_LOWER[code] = isUpper ? code + 32 : code;
}
ASCII_KIND[39] = CHAR.joiner;

/** Values of ASCII_CLASS below those of characters. */
export const ASCII = { separator: 0, other: 1 } as const;

/** For ASCII in one look: the lower case of a character of a word, a separator, or what charKind must decide. */
export const ASCII_CLASS: Uint8Array = Uint8Array.from(ASCII_KIND, (kind, code) =>
  kind === CHAR.word ? ASCII_LOWER[code]! : kind === CHAR.separator ? ASCII.separator : ASCII.other,
);

/** Code is a UTF-16 unit. The first half of a surrogate pair decides what the pair is. */
export function charKind(code: number): CharKind {
  if (code < 128) return ASCII_KIND[code]!;
  if (code === 0xad) return CHAR.joiner;
  if (code < 0xc0) return code === 0xaa || code === 0xb5 || code === 0xba ? CHAR.word : CHAR.separator;
  if (code < 0x0e00) return code === 0xd7 || code === 0xf7 ? CHAR.separator : CHAR.word;
  // Thai, Lao; Myanmar; Khmer: written without spaces.
  if (code < 0x0f00 || (code >= 0x1000 && code < 0x10a0) || (code >= 0x1780 && code < 0x1800)) return CHAR.unspaced;
  if (code < 0x2000) return code === 0x1680 ? CHAR.separator : CHAR.word;
  if (code < 0x2070) return code === 0x2019 || code === 0x200c || code === 0x200d ? CHAR.joiner : CHAR.separator;
  if (code < 0x2e80)
    return code >= 0x20a0 && code < 0x2c00 && !(code >= 0x2100 && code < 0x2190) ? CHAR.separator : CHAR.word;
  if (code >= 0x3000 && code <= 0x3004) return CHAR.separator;
  if (code >= 0x3008 && code <= 0x3020) return CHAR.separator;
  if (code < 0xa000) return CHAR.ideograph;
  if (code >= 0xd840 && code <= 0xd88f) return CHAR.ideograph;
  // Emoji and other pictures.
  if (code >= 0xd83c && code <= 0xd83e) return CHAR.separator;
  if (code >= 0xdc00 && code <= 0xdfff) return CHAR.joiner;
  if (code >= 0xf900 && code < 0xfb00) return CHAR.ideograph;
  if (code >= 0xe000 && code < 0xf900) return CHAR.separator;
  if ((code >= 0xfe00 && code < 0xfe50) || code === 0xfeff) return CHAR.separator;
  if (code >= 0xff00 && code < 0xff10) return CHAR.separator;
  return CHAR.word;
}

/** Lower case of one UTF-16 unit for the alphabets that have the notion at fixed offsets; others stay. */
export function lowerChar(code: number): number {
  if (code < 128) return ASCII_LOWER[code]!;
  if (code === 0xad) return CHAR.joiner;
  if (code < 0xc0) return code;
  if (code <= 0xde) return code === 0xd7 ? code : code + 32;
  if (code >= 0x391 && code <= 0x3a9) return code + 32;
  if (code >= 0x410 && code <= 0x42f) return code + 32;
  if (code >= 0x400 && code <= 0x40f) return code + 80;
  if (code >= 0x100 && code <= 0x17f) return LATIN_EXTENDED_LOWER[code - 0x100]!;
  return code;
}

const LATIN_EXTENDED_LOWER = Array.from({ length: 0x80 }, (_, at) => {
  const lower = String.fromCharCode(0x100 + at).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : 0x100 + at;
});
