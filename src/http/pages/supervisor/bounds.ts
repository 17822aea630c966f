/** How late a death may be seen when nobody polls: the published bounds (docs/guarantees.md, 5), from the last heartbeat. Pure. */
import { type Config, promiseMs } from "../../../config.ts";

/**
 * Milliseconds from the last heartbeat to the verdict, for a supervisor that misses no slot: the promise, what the rule
 * waits for, one cron interval, and a whole sweep.
 */
export function boundMs(code: string, config: Config): number {
  const unwatched = promiseMs(config) + config.CRON_INTERVAL_MS + config.SWEEP_BUDGET_MS;
  switch (code) {
    case "heartbeat_lost":
      return unwatched + config.STALE_RUNNING_AFTER_MS;
    case "instance_lost":
      return unwatched + config.INSTANCE_LOST_CONFIRM_MS;
    case "start_failed":
      return unwatched + config.START_FAILED_AFTER_MS;
    default:
      return unwatched;
  }
}
