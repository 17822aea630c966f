/** What the cron does: starts the supervisor for its slot, and sweeps by itself when the supervisor is not to be had. */
import type { Env } from "../env.ts";
import { reconcileStaleAudits } from "./run-sweep.ts";
import { openWatch, type Watch } from "./supervision.ts";
import type { SweepOptions } from "./sweep.ts";
import { withTimeout } from "../time-limit.ts";

const MINUTE_MS = 60_000;

/**
 * `supervise-2026-11-30T16-24`: one instance a slot, so that a duplicate delivery collapses. UTC, to the minute, as crons
 * go; a test's interval below a minute needs the seconds and milliseconds, too.
 */
export const slotId = (slotAt: number, intervalMs: number = MINUTE_MS): string =>
  `supervise-${new Date(slotAt)
    .toISOString()
    .slice(0, intervalMs < MINUTE_MS ? 23 : 16)
    .replaceAll(/[:.]/g, "-")}`;

export async function onCron(env: Env, scheduledAt: number): Promise<void> {
  const watch = openWatch(env);
  const runId = slotId(scheduledAt, watch.config.CRON_INTERVAL_MS);
  const options: SweepOptions = { runId, startedBy: "cron", slotAt: scheduledAt };
  // Written down before it runs: a run that never begins must show as one without an end. A database that does not
  // answer now may do so by the time the supervisor tries.
  await watch.supervisor.began(runId, "cron", scheduledAt).catch(told("the run could not be noted"));
  const created = await createSupervisor(env, watch, options);
  const previousLeftOpen = await leftOpen(watch, scheduledAt);
  if (created && !previousLeftOpen) return;
  const itself: SweepOptions = { ...options, runId: `${runId}-by-cron`, startedBy: "scheduled" };
  // A second delivery of the slot finds the sweep of the first one noted.
  if (!(await watch.supervisor.began(itself.runId, itself.startedBy, itself.slotAt))) return;
  const why = created ? "its last run recorded no end" : "the supervisor Workflow could not be created";
  console.warn(`the cron sweeps by itself: ${why}`);
  await reconcileStaleAudits(env, watch, itself);
}

const told =
  (what: string) =>
  (error: unknown): null => {
    console.warn(`${what}:`, error instanceof Error ? error.message : error);
    return null;
  };

/** True: an instance of this slot exists. */
async function createSupervisor(env: Env, watch: Watch, options: SweepOptions): Promise<boolean> {
  try {
    await withTimeout(
      env.AUDIT_SUPERVISOR.create({
        id: options.runId,
        params: options,
        retention: { successRetention: "3 days", errorRetention: "3 days" },
      }),
      watch.config.STATUS_TIMEOUT_MS,
      "the platform did not create the supervisor",
    );
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes("instance.already_exists")) return true;
    console.warn("the supervisor could not be created:", error instanceof Error ? error.message : error);
    return false;
  }
}

async function leftOpen(watch: Watch, slotAt: number): Promise<boolean> {
  const last = await watch.supervisor.lastCronRun(slotAt).catch(told("the last run could not be read"));
  return last !== null && last.endedAt === null;
}
