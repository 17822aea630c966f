/**
 * Counts the words of a page and signs its main text while the text streams by, without ever holding it: each word is
 * hashed as its characters pass, five word hashes in a row are a shingle. Case and punctuation do not count.
 */
import { createMinHasher, mix32 } from "./minhash.ts";
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

/** Places in the state of a meter; from RING on lie the hashes of the last words, in pairs. */
const KEY_A = 0;
const KEY_B = 1;
const WORD_A = 2;
const WORD_B = 3;
const RING = 4;
const STATE_LENGTH = RING + 2 * SHINGLE_WORDS;

export function createTextMeter(): TextMeter {
  const hasher = createMinHasher();
  // Not in variables: one that holds 32 bits and outlives a call is boxed anew at every change.
  const state = new Int32Array(STATE_LENGTH);
  state[KEY_A] = FNV_OFFSET_A;
  state[KEY_B] = FNV_OFFSET_B;
  let ringAt = RING;
  let mainWords = 0;
  let bodyWords = 0;
  let unspacedMain = 0;
  let unspacedBody = 0;

  let inWord = false;
  let wordIsMain = false;
  let start = "";

  function takeWord(wordA: number, wordB: number): void {
    bodyWords++;
    if (wordIsMain) takeMainWord(wordA, wordB);
  }

  function closeWord(): void {
    if (!inWord) return;
    inWord = false;
    takeWord(state[WORD_A]!, state[WORD_B]!);
  }

  function takeMainWord(wordA: number, wordB: number): void {
    mainWords++;
    const keyA = Math.imul(state[KEY_A]! ^ wordA, FNV_PRIME_A);
    state[KEY_A] = keyA ^ (keyA >>> 15);
    const keyB = Math.imul(state[KEY_B]! ^ wordB, FNV_PRIME_B);
    state[KEY_B] = keyB ^ (keyB >>> 13);
    state[ringAt] = wordA;
    state[ringAt + 1] = wordB;
    ringAt = ringAt === STATE_LENGTH - 2 ? RING : ringAt + 2;
    if (mainWords >= SHINGLE_WORDS) takeShingle();
  }

  function takeShingle(): void {
    let laneA = 0;
    let laneB = 0;
    let from = ringAt;
    for (let i = 0; i < SHINGLE_WORDS; i++) {
      laneA = (Math.imul(laneA ^ state[from]!, FNV_PRIME_A) + 0x9e3779b9) | 0;
      laneB = (Math.imul(laneB ^ state[from + 1]!, FNV_PRIME_B) + 0x7f4a7c15) | 0;
      from = from === STATE_LENGTH - 2 ? RING : from + 2;
    }
    hasher.add(mix32(laneA), mix32(laneB));
  }

  function openWord(isMain: boolean): void {
    inWord = true;
    wordIsMain = isMain;
    state[WORD_A] = FNV_OFFSET_A;
    state[WORD_B] = FNV_OFFSET_B;
  }

  function hashChar(code: number): void {
    const lower = lowerChar(code);
    state[WORD_A] = Math.imul(state[WORD_A]! ^ lower, FNV_PRIME_A);
    state[WORD_B] = Math.imul(state[WORD_B]! ^ lower, FNV_PRIME_B) + lower;
  }

  /** One character of any kind. */
  function take(code: number, isMain: boolean): void {
    const kind = charKind(code);
    if (kind === CHAR.word) {
      if (!inWord) openWord(isMain);
      hashChar(code);
    } else if (kind === CHAR.separator) {
      closeWord();
    } else if (kind === CHAR.joiner) {
      // The second half of a surrogate pair tells words apart; an apostrophe does not.
      if (inWord && code >= 0xdc00) hashChar(code);
    } else {
      closeWord();
      openWord(isMain);
      hashChar(code);
      closeWord();
      if (kind === CHAR.unspaced) {
        unspacedBody++;
        if (isMain) unspacedMain++;
      }
    }
  }

  function addToStart(text: string): void {
    const piece = text.slice(0, 2_000).replace(/\s+/g, " ");
    start += piece.startsWith(" ") && (start === "" || start.endsWith(" ")) ? piece.slice(1) : piece;
  }

  return {
    add(text, isMain) {
      if (isMain && start.length < TEXT_START_LENGTH) addToStart(text);
      // Most text is ASCII, and every character of a crawl comes by: the word at hand stays in local variables.
      let wordA = state[WORD_A]!;
      let wordB = state[WORD_B]!;
      let isOpen = inWord;
      for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        const ascii = code < 128 ? ASCII_CLASS[code]! : ASCII.other;
        if (ascii > ASCII.other) {
          if (!isOpen) {
            isOpen = true;
            wordIsMain = isMain;
            wordA = FNV_OFFSET_A;
            wordB = FNV_OFFSET_B;
          }
          wordA = Math.imul(wordA ^ ascii, FNV_PRIME_A);
          wordB = (Math.imul(wordB ^ ascii, FNV_PRIME_B) + ascii) | 0;
        } else if (ascii === ASCII.separator) {
          if (isOpen) takeWord(wordA, wordB);
          isOpen = false;
        } else {
          inWord = isOpen;
          state[WORD_A] = wordA;
          state[WORD_B] = wordB;
          take(code, isMain);
          isOpen = inWord;
          wordA = state[WORD_A]!;
          wordB = state[WORD_B]!;
        }
      }
      inWord = isOpen;
      state[WORD_A] = wordA;
      state[WORD_B] = wordB;
    },
    breakWord() {
      closeWord();
      if (start !== "" && start.length < TEXT_START_LENGTH && !start.endsWith(" ")) start += " ";
    },
    bodyWords: () => bodyWords,
    end() {
      closeWord();
      return {
        wordCount: wordsOf(mainWords, unspacedMain),
        bodyWordCount: wordsOf(bodyWords, unspacedBody),
        textKey: mainWords === 0 ? null : hex32(mix32(state[KEY_A]!)) + hex32(mix32(state[KEY_B]!)),
        minhash: mainWords < MIN_WORDS_TO_SIGN ? null : hasher.signature(),
        textStart: start.trim().slice(0, TEXT_START_LENGTH),
      };
    },
  };
}
