/**
 * Counts the words of a page and signs its main text while the text streams by, without ever holding it: each word is
 * hashed as its characters pass, five word hashes in a row are a shingle. Case and punctuation do not count.
 */
import { addShingle, createBins, mix32, signatureOf } from "./minhash.ts";
import { ASCII, ASCII_CLASS, CHAR, charKind, lowerChar } from "./word-chars.ts";

const SHINGLE_WORDS = 5;
/** Under this many words two texts resemble each other by chance. */
const MIN_WORDS_TO_SIGN = 20;
const TEXT_START_LENGTH = 200;
/** Scripts without spaces: characters that make up about one word. */
const UNSPACED_CHARS_PER_WORD = 4;

const FNV_OFFSET_A = 0x811c9dc5 | 0;
const FNV_OFFSET_B = 0x2f0b4c47 | 0;
const FNV_PRIME_A = 0x01000193;
const FNV_PRIME_B = 0x85ebca6b;

export interface TextSummary {
  /** Words of the main text. */
  wordCount: number;
  /** Words of the whole body. */
  bodyWordCount: number;
  /** 64 bits of hash in hex; null without a word. */
  textKey: string | null;
  minhash: string | null;
  textStart: string;
}

export interface TextMeter {
  /** A piece of text. A word may go on in the next piece until `breakWord`. */
  add(text: string, isMain: boolean): void;
  /** Two blocks meet: what follows is another word. */
  breakWord(): void;
  /** Words of the body so far. */
  bodyWords(): number;
  end(): TextSummary;
}

const wordsOf = (count: number, unspaced: number): number =>
  count - unspaced + Math.ceil(unspaced / UNSPACED_CHARS_PER_WORD);

const hex32 = (value: number): string => (value >>> 0).toString(16).padStart(8, "0");

/**
 * Places in the state of a meter. It lies in one array, and the functions that run for every character stand outside of
 * the meter: variables of a closure are boxed at every change, which made this the dearest part of a crawl.
 */
const AT = {
  keyA: 0,
  keyB: 1,
  wordA: 2,
  wordB: 3,
  inWord: 4,
  wordIsMain: 5,
  mainWords: 6,
  bodyWords: 7,
  unspacedMain: 8,
  unspacedBody: 9,
  ringAt: 10,
} as const;
/** From here on lie the hashes of the last words, in pairs. */
const RING = 11;
const STATE_LENGTH = RING + 2 * SHINGLE_WORDS;

/** A word has ended. */
function takeWord(state: Int32Array, bins: Int32Array, wordA: number, wordB: number): void {
  state[AT.bodyWords]!++;
  if (state[AT.wordIsMain] === 0) return;
  const words = state[AT.mainWords]! + 1;
  state[AT.mainWords] = words;
  const keyA = Math.imul(state[AT.keyA]! ^ wordA, FNV_PRIME_A);
  state[AT.keyA] = keyA ^ (keyA >>> 15);
  const keyB = Math.imul(state[AT.keyB]! ^ wordB, FNV_PRIME_B);
  state[AT.keyB] = keyB ^ (keyB >>> 13);
  const ringAt = state[AT.ringAt]!;
  state[ringAt] = wordA;
  state[ringAt + 1] = wordB;
  state[AT.ringAt] = ringAt === STATE_LENGTH - 2 ? RING : ringAt + 2;
  if (words >= SHINGLE_WORDS) takeShingle(state, bins);
}

function takeShingle(state: Int32Array, bins: Int32Array): void {
  let laneA = 0;
  let laneB = 0;
  let from = state[AT.ringAt]!;
  for (let i = 0; i < SHINGLE_WORDS; i++) {
    laneA = (Math.imul(laneA ^ state[from]!, FNV_PRIME_A) + 0x9e3779b9) | 0;
    laneB = (Math.imul(laneB ^ state[from + 1]!, FNV_PRIME_B) + 0x7f4a7c15) | 0;
    from = from === STATE_LENGTH - 2 ? RING : from + 2;
  }
  addShingle(bins, mix32(laneA), mix32(laneB));
}

function openWord(state: Int32Array, isMain: boolean): void {
  state[AT.inWord] = 1;
  state[AT.wordIsMain] = isMain ? 1 : 0;
  state[AT.wordA] = FNV_OFFSET_A;
  state[AT.wordB] = FNV_OFFSET_B;
}

function closeWord(state: Int32Array, bins: Int32Array): void {
  if (state[AT.inWord] === 0) return;
  state[AT.inWord] = 0;
  takeWord(state, bins, state[AT.wordA]!, state[AT.wordB]!);
}

function hashChar(state: Int32Array, code: number): void {
  const lower = lowerChar(code);
  state[AT.wordA] = Math.imul(state[AT.wordA]! ^ lower, FNV_PRIME_A);
  state[AT.wordB] = Math.imul(state[AT.wordB]! ^ lower, FNV_PRIME_B) + lower;
}

/** One character of any kind. */
function takeChar(state: Int32Array, bins: Int32Array, code: number, isMain: boolean): void {
  const kind = charKind(code);
  if (kind === CHAR.word) {
    if (state[AT.inWord] === 0) openWord(state, isMain);
    hashChar(state, code);
  } else if (kind === CHAR.separator) {
    closeWord(state, bins);
  } else if (kind === CHAR.joiner) {
    // The second half of a surrogate pair tells words apart; an apostrophe does not.
    if (state[AT.inWord] === 1 && code >= 0xdc00) hashChar(state, code);
  } else {
    closeWord(state, bins);
    openWord(state, isMain);
    hashChar(state, code);
    closeWord(state, bins);
    if (kind === CHAR.unspaced) {
      state[AT.unspacedBody]!++;
      if (isMain) state[AT.unspacedMain]!++;
    }
  }
}

/** Most text is ASCII, and every character of a crawl comes by: the word at hand stays in local variables. */
function takeText(state: Int32Array, bins: Int32Array, text: string, isMain: boolean): void {
  let wordA = state[AT.wordA]!;
  let wordB = state[AT.wordB]!;
  let inWord = state[AT.inWord] === 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const ascii = code < 128 ? ASCII_CLASS[code]! : ASCII.other;
    if (ascii > ASCII.other) {
      if (!inWord) {
        inWord = true;
        state[AT.wordIsMain] = isMain ? 1 : 0;
        wordA = FNV_OFFSET_A;
        wordB = FNV_OFFSET_B;
      }
      wordA = Math.imul(wordA ^ ascii, FNV_PRIME_A);
      wordB = (Math.imul(wordB ^ ascii, FNV_PRIME_B) + ascii) | 0;
    } else if (ascii === ASCII.separator) {
      if (inWord) takeWord(state, bins, wordA, wordB);
      inWord = false;
    } else {
      state[AT.inWord] = inWord ? 1 : 0;
      state[AT.wordA] = wordA;
      state[AT.wordB] = wordB;
      takeChar(state, bins, code, isMain);
      inWord = state[AT.inWord] === 1;
      wordA = state[AT.wordA]!;
      wordB = state[AT.wordB]!;
    }
  }
  state[AT.inWord] = inWord ? 1 : 0;
  state[AT.wordA] = wordA;
  state[AT.wordB] = wordB;
}

export function createTextMeter(): TextMeter {
  const bins = createBins();
  const state = new Int32Array(STATE_LENGTH);
  state[AT.keyA] = FNV_OFFSET_A;
  state[AT.keyB] = FNV_OFFSET_B;
  state[AT.ringAt] = RING;
  let start = "";

  function addToStart(text: string): void {
    const piece = text.slice(0, 2_000).replace(/\s+/g, " ");
    start += piece.startsWith(" ") && (start === "" || start.endsWith(" ")) ? piece.slice(1) : piece;
  }

  return {
    add(text, isMain) {
      if (isMain && start.length < TEXT_START_LENGTH) addToStart(text);
      takeText(state, bins, text, isMain);
    },
    breakWord() {
      closeWord(state, bins);
      if (start !== "" && start.length < TEXT_START_LENGTH && !start.endsWith(" ")) start += " ";
    },
    bodyWords: () => state[AT.bodyWords]!,
    end() {
      closeWord(state, bins);
      const mainWords = state[AT.mainWords]!;
      return {
        wordCount: wordsOf(mainWords, state[AT.unspacedMain]!),
        bodyWordCount: wordsOf(state[AT.bodyWords]!, state[AT.unspacedBody]!),
        textKey: mainWords === 0 ? null : hex32(mix32(state[AT.keyA]!)) + hex32(mix32(state[AT.keyB]!)),
        minhash: mainWords < MIN_WORDS_TO_SIGN ? null : signatureOf(bins),
        textStart: start.trim().slice(0, TEXT_START_LENGTH),
      };
    },
  };
}
