/**
 * A model of the usual design on the same traces: every poll asks the platform, and a watchdog every 5 minutes takes the
 * first 100 audits that started over 15 minutes ago and asks for each. Only errored, terminated and "not found" count; no
 * heartbeat, no second look. It sees what really became of each instance, without what our product did to it.
 */
import type { Trace } from "./simulate.ts";
import type { Instance } from "./platform.ts";
import { Random } from "./random.ts";
import { MINUTE, SECOND, within } from "./weather.ts";

export interface UsualResult {
  falseKills: number;
  /** From the death of the compute to the failed row, for those that were found. Milliseconds. */
  detections: number[];
  /** Dead audits that still said running at the end. */
  undetected: number;
  statusCalls: number;
  steps: number;
  auditHours: number;
}

const WATCHDOG_EVERY = 5 * MINUTE;
const STALE_AFTER = 15 * MINUTE;
const BATCH = 100;

interface Run {
  id: string;
  startedAt: number;
  instance: Instance | undefined;
  /** When the row stopped saying running. */
  endedAt: number | null;
  /** When it would have ended by itself. */
  finishesAt: number | null;
  deadAt: number | null;
}

export function simulateUsual(trace: Trace): UsualResult {
  const { weather, plans, instances, starts, end } = trace;
  const random = new Random(trace.seed, "usual");
  const runs = plans
    .filter(({ id }) => starts.has(id))
    .map((plan): Run => {
      const instance = instances.get(`audit-${plan.id}-1`);
      const startedAt = starts.get(plan.id) ?? 0;
      const finishesAt = instance?.endedWell === true ? (instance.history.at(-1)?.at ?? null) : null;
      const deadAt = instance === undefined ? startedAt : (instance.dead?.at ?? null);
      return { id: plan.id, startedAt, instance, endedAt: null, finishesAt, deadAt };
    })
    .toSorted((a, b) => a.startedAt - b.startedAt);
  const byId = new Map(runs.map((run) => [run.id, run]));
  const result: UsualResult = { falseKills: 0, detections: [], undetected: 0, statusCalls: 0, steps: 0, auditHours: 0 };

  const isRunning = (run: Run, at: number) =>
    run.startedAt <= at && (run.endedAt ?? Infinity) > at && (run.finishesAt ?? Infinity) > at;
  const ask = (run: Run, at: number) => {
    result.statusCalls += 1;
    if (!meansDead(said(run, at, trace, random))) return;
    run.endedAt = at;
    if (run.deadAt === null || run.deadAt > at) result.falseKills += 1;
    else result.detections.push(at - run.deadAt);
  };
  for (const { at, look } of looks(trace)) {
    if (at > end || within(weather.stalls, at)) continue;
    if (look !== "watchdog") {
      const run = byId.get(look);
      if (run !== undefined && isRunning(run, at)) ask(run, at);
      continue;
    }
    result.steps += 1;
    const stale = runs.filter((run) => run.startedAt < at - STALE_AFTER && isRunning(run, at));
    for (const run of stale.slice(0, BATCH)) ask(run, at);
  }
  for (const run of runs) {
    const until = Math.min(run.endedAt ?? end, run.finishesAt ?? end, end);
    result.auditHours += (until - run.startedAt) / (60 * MINUTE);
    if (run.deadAt !== null && run.endedAt === null && run.finishesAt === null) result.undetected += 1;
  }
  return result;
}

/** All polls and watchdog ticks in the order of time. */
function looks({ weather, plans }: Trace): { at: number; look: string }[] {
  const blind = (at: number) => within(weather.asleep, at) || within(weather.machineSleeps, at);
  const found: { at: number; look: string }[] = [];
  for (const { id, polled } of plans) {
    if (polled === null) continue;
    for (let at = polled.from + SECOND; at < polled.to; at += polled.every)
      if (!blind(at)) found.push({ at, look: id });
  }
  const missing = new Set(
    weather.slots.filter(({ delivery }) => delivery === "missing").map(({ at }) => Math.floor(at / WATCHDOG_EVERY)),
  );
  for (let at = Math.ceil(weather.start / WATCHDOG_EVERY) * WATCHDOG_EVERY; at < weather.end; at += WATCHDOG_EVERY) {
    // A cron that goes missing for one goes missing for the other, as often.
    const gone = missing.has(at / WATCHDOG_EVERY) && new Random(at, "cron").chance(0.4);
    if (!gone && !blind(at)) found.push({ at, look: "watchdog" });
  }
  return found.toSorted((a, b) => a.at - b.at);
}

function said({ instance }: Run, at: number, { weather }: Trace, random: Random): string {
  const outage = weather.outages.find(({ from, to }) => at >= from && at < to);
  const kind = outage?.kind === "flaky" ? random.pick(["throws", "hangs", "not_found", "fine", "fine"]) : outage?.kind;
  if (kind === "not_found") return "not_found";
  if (kind === "throws" || kind === "hangs") return "nothing";
  if (instance === undefined || instance.createdAt > at) return "not_found";
  const status = instance.history.findLast((entry) => entry.at <= at)?.status;
  return status === "gone" ? "not_found" : (status ?? "queued");
}

const meansDead = (status: string): boolean =>
  status === "errored" || status === "terminated" || status === "not_found";
