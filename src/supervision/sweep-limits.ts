/** What a sweep makes of its verdicts: when it holds back, and when it looks again. */
import type { Config } from "../config.ts";
import type { Verdict } from "./liveness.ts";

/** Too many lost at once: it may be the platform, or a renamed binding, that failed. See docs/how-it-works.md, breaker. */
export const breakerTrips = (lostCount: number, runningCount: number, config: Config): boolean =>
  lostCount > Math.max(config.BREAKER_MIN, runningCount / 2);

/** Whether a verdict is one of those that the breaker counts and holds back. */
export const isLoss = (verdict: Verdict): boolean =>
  verdict.kind === "dead" && (verdict.code === "heartbeat_lost" || verdict.code === "instance_lost");

/** The longest pause between two looks at an audit that nothing can be done about, in cron intervals: 30 min by default. */
const LONGEST_BACK_OFF_INTERVALS = 15;

/**
 * How long the supervisor leaves an audit alone after this verdict; 0: judged again by the next sweep. Held, queued and
 * unknown back off from one cron interval (2 min), doubling, to 15 (30 min), but never past the limit that would kill.
 * `previousDelay` is what this function said after the supervisor's last look, null or 0 if nothing. Milliseconds.
 */
export function nextLookDelayMs(verdict: Verdict, previousDelay: number | null, config: Config): number {
  if (verdict.kind !== "held" && verdict.kind !== "queued" && verdict.kind !== "unknown") return 0;
  const doubled = Math.max(config.CRON_INTERVAL_MS, 2 * (previousDelay ?? 0));
  const backOff = Math.min(doubled, LONGEST_BACK_OFF_INTERVALS * config.CRON_INTERVAL_MS);
  if (verdict.limitMs === null) return backOff;
  const left = verdict.limitMs - verdict.overdueMs;
  // Past the limit only the chain is missing, and looks must be close to each other to make one.
  return left <= 0 && verdict.kind === "unknown" ? 0 : Math.min(backOff, Math.max(left, config.CRON_INTERVAL_MS));
}
