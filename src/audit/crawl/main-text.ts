/**
 * Counts the words of a page and signs its main text while the text streams by, without ever holding it: each word is
 * hashed as its characters pass, five word hashes in a row are a shingle. Case and punctuation do not count.
 */
import { createMinHasher, mix32 } from "./minhash.ts";
import { CHAR, charKind, lowerChar } from "./word-chars.ts";

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

export function createTextMeter(): TextMeter {
  const hasher = createMinHasher();
  const ringA = new Int32Array(SHINGLE_WORDS);
  const ringB = new Int32Array(SHINGLE_WORDS);
  let ringAt = 0;
  let mainWords = 0;
  let bodyWords = 0;
  let keyA = FNV_OFFSET_A;
  let keyB = FNV_OFFSET_B;
  let unspacedMain = 0;
  let unspacedBody = 0;

  let inWord = false;
  let wordIsMain = false;
  let wordA = FNV_OFFSET_A;
  let wordB = FNV_OFFSET_B;
  let start = "";

  function closeWord(): void {
    if (!inWord) return;
    inWord = false;
    bodyWords++;
    if (wordIsMain) takeMainWord();
  }

  function takeMainWord(): void {
    mainWords++;
    keyA = Math.imul(keyA ^ wordA, FNV_PRIME_A);
    keyA ^= keyA >>> 15;
    keyB = Math.imul(keyB ^ wordB, FNV_PRIME_B);
    keyB ^= keyB >>> 13;
    ringA[ringAt] = wordA;
    ringB[ringAt] = wordB;
    ringAt = ringAt === SHINGLE_WORDS - 1 ? 0 : ringAt + 1;
    if (mainWords >= SHINGLE_WORDS) takeShingle();
  }

  function takeShingle(): void {
    let laneA = 0;
    let laneB = 0;
    let from = ringAt;
    for (let i = 0; i < SHINGLE_WORDS; i++) {
      laneA = Math.imul(laneA ^ ringA[from]!, FNV_PRIME_A) + 0x9e3779b9;
      laneB = Math.imul(laneB ^ ringB[from]!, FNV_PRIME_B) + 0x7f4a7c15;
      from = from === SHINGLE_WORDS - 1 ? 0 : from + 1;
    }
    hasher.add(mix32(laneA), mix32(laneB));
  }

  function openWord(isMain: boolean): void {
    inWord = true;
    wordIsMain = isMain;
    wordA = FNV_OFFSET_A;
    wordB = FNV_OFFSET_B;
  }

  function hashChar(code: number): void {
    const lower = lowerChar(code);
    wordA = Math.imul(wordA ^ lower, FNV_PRIME_A);
    wordB = Math.imul(wordB ^ lower, FNV_PRIME_B) + lower;
  }

  function addToStart(text: string): void {
    const piece = text.slice(0, 2_000).replace(/\s+/g, " ");
    start += piece.startsWith(" ") && (start === "" || start.endsWith(" ")) ? piece.slice(1) : piece;
  }

  return {
    add(text, isMain) {
      if (isMain && start.length < TEXT_START_LENGTH) addToStart(text);
      for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        const kind = charKind(code);
        if (kind === CHAR.word) {
          if (!inWord) openWord(isMain);
          hashChar(code);
        } else if (kind === CHAR.separator) {
          if (inWord) closeWord();
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
        textKey: mainWords === 0 ? null : hex32(mix32(keyA)) + hex32(mix32(keyB)),
        minhash: mainWords < MIN_WORDS_TO_SIGN ? null : hasher.signature(),
        textStart: start.trim().slice(0, TEXT_START_LENGTH),
      };
    },
  };
}
