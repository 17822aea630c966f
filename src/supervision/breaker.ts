/**
 * The breaker: when a sweep would call too many runs lost at once, it may be the platform, or a renamed binding, that
 * failed. It then holds those endings back for two intervals, and believes the third sweep in a row.
 */
import { breakerTrips, isLoss } from "./liveness.ts";
import type { Judgement } from "./reconcile.ts";
import type { Watch } from "./supervision.ts";
import { SWEEPS_UNTIL_BELIEVED } from "./supervisor-health.ts";
import type { SweepOptions, SweepState } from "./sweep.ts";
import type { BreakerDecision } from "./sweep-report.ts";

export async function decideBreaker(
  watch: Watch,
  state: SweepState,
  dead: readonly Judgement[],
  options: SweepOptions,
): Promise<BreakerDecision> {
  const { running } = await watch.looks.counts();
  const lost = dead.filter(({ verdict }) => isLoss(verdict)).length;
  const tripped = breakerTrips(lost, running, watch.config);
  const heldSweeps = tripped && options.force !== true ? await heldSweepsNow(watch, state, options) : 0;
  return { lost, running, tripped, holds: heldSweeps > 0 && heldSweeps < SWEEPS_UNTIL_BELIEVED, heldSweeps };
}

/** Sweeps count when they are of different slots: two in one slot, or three by hand, see the same outage. */
async function heldSweepsNow(watch: Watch, { heldBefore }: SweepState, { slotAt }: SweepOptions): Promise<number> {
  if (heldBefore === 0) return 1;
  const last = await watch.supervisor.lastHeldSlot();
  return last === null || slotAt - last >= watch.config.CRON_INTERVAL_MS / 2 ? heldBefore + 1 : heldBefore;
}
