/** Who watches the watchman: is the supervisor late? Pure. */
import type { Config } from "../config.ts";
import { formatDuration } from "../words.ts";

export interface SupervisorHealth {
  late: boolean;
  lastFinishedAt: number | null;
  /** One sentence, when there is something to say. */
  note: string | null;
}

/** So many intervals without a finished run are late (guarantee 10). */
const LATE_INTERVALS = 3;

/** After so many sweeps in a row that would exceed the breaker's limit, it acts: a platform is not at fault for ever. */
export const SWEEPS_UNTIL_BELIEVED = 3;

/** The last sweep held back, and the next ones will: polls leave losses to the supervisor. */
export const isHolding = ({ heldSweeps }: { heldSweeps: number }): boolean =>
  heldSweeps > 0 && heldSweeps < SWEEPS_UNTIL_BELIEVED;

/** `since`: when the supervisor could first have run; a new installation is not late before its third interval. */
export function supervisorHealth(
  state: { lastFinishedAt: number | null; heldSweeps: number; heldCount: number | null },
  since: number | null,
  now: number,
  config: Config,
): SupervisorHealth {
  const limit = LATE_INTERVALS * config.CRON_INTERVAL_MS;
  const from = state.lastFinishedAt ?? since;
  const late = from !== null && now - from > limit;
  const { lastFinishedAt } = state;
  if (late) {
    const when =
      lastFinishedAt === null
        ? "has never finished a run"
        : `has not finished a run for ${formatDuration(now - lastFinishedAt)}`;
    return {
      late,
      lastFinishedAt,
      note: `The supervisor ${when}; every ${formatDuration(config.CRON_INTERVAL_MS)} is expected. Check the cron trigger of the Worker.`,
    };
  }
  if (isHolding(state)) {
    const note = `The last sweep would have ended ${state.heldCount ?? "many"} audits at once and was held: the platform itself may be at fault. After three such sweeps in a row they are ended.`;
    return { late, lastFinishedAt, note };
  }
  return { late, lastFinishedAt, note: null };
}
