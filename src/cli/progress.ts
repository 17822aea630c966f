/** How an audit under way is said in one line. Pure: takes the answer, when it came, and now. */
import type { AuditResponse } from "../http/api/schemas.ts";
import type { Phase } from "../storage/schema.ts";
import { formatDuration } from "../words.ts";
import { count, plural, safe, widthOfText } from "./text.ts";

export interface Sample {
  audit: AuditResponse;
  /** When the answer came, on the clock that `now` is read from. Milliseconds. */
  at: number;
}

export const PHASE_WORDS: Record<Phase, string> = {
  discovering: "Discovering",
  crawling: "Crawling",
  checking_links: "Checking links",
  analyzing: "Analyzing",
  finishing: "Finishing",
};

/** Rates are taken over so long, so that they neither jump nor lag. */
const RATE_WINDOW_MS = 10_000;

/** Pages a second over the last samples; null while too little is known. */
export function pagesPerSecond(samples: readonly Sample[]): number | null {
  const last = samples.at(-1);
  if (last === undefined) return null;
  const first = samples.find(
    (sample) => last.at - sample.at <= RATE_WINDOW_MS && sample.audit.attempt === last.audit.attempt,
  );
  if (first === undefined || last.at - first.at < 900) return null;
  return Math.max(0, ((last.audit.pagesCrawled - first.audit.pagesCrawled) * 1_000) / (last.at - first.at));
}

/** Drops what is too old to matter for the rate. */
export const recent = (samples: readonly Sample[], now: number): Sample[] =>
  samples.filter((sample) => now - sample.at <= 2 * RATE_WINDOW_MS);

const rateWords = (rate: number): string => `${rate < 10 ? Number(rate.toFixed(1)) : count(Math.round(rate))} a second`;

/** Age of the last heartbeat by the database's clock, plus the time since it was told; whole seconds read calmer. */
const heartbeatAge = ({ audit, at }: Sample, now: number): number =>
  Math.floor((audit.heartbeat.ageMs + Math.max(0, now - at)) / 1_000) * 1_000;

function pageWords(audit: AuditResponse): string {
  if (audit.phase === "discovering" && audit.pagesCrawled === 0) {
    return audit.pagesTotal > 1 ? `${plural(audit.pagesTotal, "page")} known` : "looking for pages";
  }
  if (audit.pagesTotal <= audit.pagesCrawled) return plural(audit.pagesCrawled, "page");
  // While crawling, every page may lead to more.
  const about = audit.phase === "crawling" && audit.pagesTotal < audit.maxPages ? "about " : "";
  return `${count(audit.pagesCrawled)} of ${about}${plural(audit.pagesTotal, "page")}`;
}

/** "Crawling: 412 of about 1,300 pages, 38 a second, last heartbeat 4 s ago" */
export function progressSentence(samples: readonly Sample[], now: number): string {
  const last = samples.at(-1);
  if (last === undefined) return "Starting";
  const { audit } = last;
  const rate = audit.phase === "crawling" ? pagesPerSecond(samples) : null;
  const { verdict } = audit;
  if (audit.heartbeat.overdue && verdict && verdict.kind !== "alive") {
    return `${PHASE_WORDS[audit.phase]}, overdue: ${safe(verdict.reason)}`;
  }
  const parts = [pageWords(audit), ...(rate === null ? [] : [rateWords(rate)])];
  return `${PHASE_WORDS[audit.phase]}: ${parts.join(", ")}, last heartbeat ${formatDuration(heartbeatAge(last, now))} ago`;
}

/** How much of the crawl is done, 0 to 1; null where nothing is known. */
function share({ audit }: Sample): number | null {
  if (audit.phase === "discovering") return null;
  if (audit.phase !== "crawling") return 1;
  return audit.pagesTotal > 0 ? Math.min(1, audit.pagesCrawled / audit.pagesTotal) : null;
}

const BAR_MAX = 24;
const BAR_MIN = 6;

/** The same with a bar before it, for one line of that many columns. */
export function progressLine(samples: readonly Sample[], now: number, columns: number): string {
  const full = progressSentence(samples, now);
  const last = samples.at(-1);
  if (last === undefined) return full;
  const fits = (text: string): boolean => widthOfText(text) + BAR_MIN + 1 <= columns;
  const text = fits(full) ? full : full.replace("last heartbeat", "heartbeat");
  const room = Math.min(BAR_MAX, columns - widthOfText(text) - 1);
  if (room < BAR_MIN) return text;
  return `${bar(share(last), room, now)} ${text}`;
}

/** A filled bar, or one with a piece wandering through it while the end is unknown. */
function bar(done: number | null, width: number, now: number): string {
  if (done !== null) {
    const filled = Math.round(done * width);
    return "━".repeat(filled) + "─".repeat(width - filled);
  }
  const piece = Math.max(2, Math.floor(width / 5));
  const start = Math.floor(now / 200) % (width - piece + 1);
  return "─".repeat(start) + "━".repeat(piece) + "─".repeat(width - piece - start);
}
