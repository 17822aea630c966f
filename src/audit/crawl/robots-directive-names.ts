/** The words before the colon in a robots.txt: what counts as which directive, and what is only a near miss. */

export interface RobotsProblem {
  /** From 1. */
  line: number;
  message: string;
}

export type RobotsDirectiveName = "user-agent" | "allow" | "disallow" | "sitemap" | "crawl-delay";

/** Beginnings that Google's parser accepts, its list of frequent misspellings included. */
const ACCEPTED: [RobotsDirectiveName, RegExp][] = [
  ["user-agent", /^(?:user-agent|useragent|user agent)/i],
  ["allow", /^allow/i],
  ["disallow", /^(?:disallow|dissallow|dissalow|disalow|diasllow|disallaw)/i],
  ["sitemap", /^(?:sitemap|site-map)/i],
  ["crawl-delay", /^crawl-?delay$/i],
];

export function directiveOf(key: string): RobotsDirectiveName | null {
  return ACCEPTED.find(([, pattern]) => pattern.test(key))?.[0] ?? null;
}

/** Levenshtein distance of two short words. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}

/** The directive that a word misses by one or two letters, or null: also for a word that is right or quite another. */
export function nearMiss(key: string): RobotsDirectiveName | null {
  const word = key.toLowerCase();
  if (word.length > 16) return null;
  let best: RobotsDirectiveName | null = null;
  let distance = 3;
  for (const [name] of ACCEPTED) {
    const found = editDistance(word, name);
    if (found === 0) return null;
    if (found < distance) [best, distance] = [name, found];
  }
  return best;
}

/** A robots.txt cannot begin with a tag; what does is a page of the site. */
export function looksLikeHtml(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, 512));
  return /^\s*<(?:!doctype|!--|html|head|body|title|meta|script|div|\?xml)/i.test(start);
}

/** More are counted as one: a broken file of half a megabyte has thousands. */
const MAX_PROBLEMS = 50;
const MAX_MESSAGE = 300;

export class ProblemList {
  readonly list: RobotsProblem[] = [];

  add(line: number, message: string): void {
    if (this.list.length > MAX_PROBLEMS) return;
    const text = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message;
    const isLast = this.list.length === MAX_PROBLEMS;
    this.list.push({ line, message: isLast ? "There are more lines with problems from here on." : text });
  }
}
