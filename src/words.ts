/** Small helpers for sentences that people read: the terminal, the pages and the rule's reasons use the same ones. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * A length of time in the two largest units that say something: "412 ms", "62 s", "6 min 12 s", "3 h 5 min", "2 d 4 h".
 * Takes milliseconds; rounds down, so that a limit is never said to be reached before it is; negative counts as nothing.
 */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return "an unknown time";
  if (ms <= 0) return "0 s";
  if (ms < SECOND) return `${Math.max(1, Math.floor(ms))} ms`;
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return inUnits(ms, MINUTE, "min", SECOND, "s");
  if (ms < DAY) return inUnits(ms, HOUR, "h", MINUTE, "min");
  return inUnits(ms, DAY, "d", HOUR, "h");
}

function inUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ""}`;
}
