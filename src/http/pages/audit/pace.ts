/** How fast an audit crawls. Pure. */
import type { Beat } from "../../../storage/audit-view-repository.ts";

/** A rate over less than this would jump about. Milliseconds. */
const SHORTEST = 3_000;
/** The rate is that of about the last minute. Milliseconds. */
const RECENT = 60_000;

/**
 * Pages a second up to the last heartbeat, from the kept beats of this attempt (oldest first); null while nothing can be
 * said yet.
 */
export function pagesPerSecond(beats: readonly Beat[], last: { at: number; pagesCrawled: number }): number | null {
  const base = beats.findLast(({ at }) => last.at - at >= RECENT) ?? beats[0];
  if (base === undefined || last.at - base.at < SHORTEST) return null;
  return (1_000 * Math.max(0, last.pagesCrawled - base.pagesCrawled)) / (last.at - base.at);
}

/** "38", "1.4", "0.3": as exact as it is worth. */
export const paceWords = (rate: number): string => (rate >= 10 ? String(Math.round(rate)) : rate.toFixed(1));
