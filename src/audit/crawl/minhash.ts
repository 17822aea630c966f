/**
 * MinHash signatures for near duplicates, by one permutation with optimal densification (Li, Owen and Zhang 2012;
 * Shrivastava 2017): one hash a shingle instead of one for every value, so that signing costs no more than counting.
 *
 * A signature has 128 values of 24 bits. In base64 each value is exactly four characters, so that a band of r values is
 * `substr(minhash, 1 + 4 * r * band, 4 * r)` in SQL, and two signatures can be compared without decoding them.
 */

/** Values in a signature: the estimate of a similarity of 0.9 has a standard error of 0.027. */
export const MINHASH_VALUES = 128;
/** Characters of one value in the base64 text. */
export const MINHASH_CHARS = 4;

const BIN_BITS = 7;
const VALUE_MASK = 0xff_ffff;
const EMPTY = -1;
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Mixes all bits of a 32-bit number (the finaliser of MurmurHash3). */
export function mix32(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** The smallest hash of each bin, of no text so far. */
export const createBins = (): Int32Array => new Int32Array(MINHASH_VALUES).fill(EMPTY);

/** Takes one shingle as two independent 32-bit hashes: one chooses the bin, the other is its value. */
export function addShingle(bins: Int32Array, laneA: number, laneB: number): void {
  const bin = laneA >>> (32 - BIN_BITS);
  const value = laneB & VALUE_MASK;
  const held = bins[bin]!;
  if (held === EMPTY || value < held) bins[bin] = value;
}

/** The signature in base64. Meaningless without at least one shingle. */
export const signatureOf = (bins: Int32Array): string => encode(densify(bins));

/** An empty bin borrows from a filled one that depends on the bin only, so that two documents borrow alike. */
function densify(bins: Int32Array): Int32Array {
  if (!bins.includes(EMPTY)) return bins;
  const full = Int32Array.from(bins);
  if (bins.every((value) => value === EMPTY)) return full.fill(0);
  for (let bin = 0; bin < MINHASH_VALUES; bin++) {
    for (let attempt = 1; full[bin] === EMPTY; attempt++) {
      full[bin] = bins[mix32(bin + Math.imul(attempt, 0x9e3779b1)) >>> (32 - BIN_BITS)]!;
    }
  }
  return full;
}

function encode(values: Int32Array): string {
  let text = "";
  for (const value of values) {
    text += BASE64[value >>> 18]! + BASE64[(value >>> 12) & 63]! + BASE64[(value >>> 6) & 63]! + BASE64[value & 63]!;
  }
  return text;
}

/** The estimated Jaccard similarity of two documents, 0 to 1: the share of equal values in their signatures. */
export function minhashSimilarity(one: string, other: string): number {
  let equal = 0;
  for (let at = 0; at < MINHASH_VALUES * MINHASH_CHARS; at += MINHASH_CHARS) {
    let same = 0;
    while (same < MINHASH_CHARS && one.charCodeAt(at + same) === other.charCodeAt(at + same)) same++;
    if (same === MINHASH_CHARS) equal++;
  }
  return equal / MINHASH_VALUES;
}
