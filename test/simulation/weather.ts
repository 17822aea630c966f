/** What goes wrong around the audits, the same for ours and for the usual design: all of it drawn from the seed. */
import type { Random } from "./random.ts";
import type { DatabaseWeather } from "./sqlite-d1.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

export interface Window {
  from: number;
  to: number;
}

export interface Stall extends Window {
  /** Requests wait until the end, are refused after a while, or some get through. */
  kind: "queue" | "refuse" | "flaky";
}

export interface Outage extends Window {
  /** What a status call does. */
  kind: "throws" | "hangs" | "not_found" | "flaky";
}

export interface Slot {
  at: number;
  /** Missing: nothing fires. Duplicate: it fires twice. Dies: the sweep's compute dies at that await. */
  delivery: "once" | "twice" | "missing";
  diesAtAwait: number | null;
}

export interface Weather {
  start: number;
  end: number;
  stalls: Stall[];
  outages: Outage[];
  /** Nobody polls and no cron fires. */
  asleep: Window[];
  /** The whole machine stands still: runs, polls, database. */
  machineSleeps: Window[];
  clockSteps: { at: number; by: number }[];
  slots: Slot[];
}

export const within = (windows: readonly Window[], at: number): boolean =>
  windows.some(({ from, to }) => at >= from && at < to);

export function drawWeather(random: Random, start: number, hours: number, cronMs: number): Weather {
  const end = start + hours * HOUR;
  const windows = (chance: number, lengths: readonly number[], apart: number): Window[] => {
    const found: Window[] = [];
    for (let at = start + random.int(0, apart); at < end - 30 * MINUTE; at += apart + random.int(0, apart)) {
      if (random.chance(chance)) found.push({ from: at, to: at + random.pick(lengths) });
    }
    return found;
  };
  const calm = random.chance(0.2);
  const rate = calm ? 0 : 0.5;
  const stalls = windows(rate, [2 * SECOND, 20 * SECOND, 80 * SECOND, 5 * MINUTE], 15 * MINUTE).map((w) => ({
    ...w,
    kind: random.weighted<Stall["kind"]>([
      [3, "queue"],
      [3, "refuse"],
      [2, "flaky"],
    ]),
  }));
  const outages = windows(rate, [30 * SECOND, 2 * MINUTE, 5 * MINUTE], 15 * MINUTE).map((w) => ({
    ...w,
    kind: random.weighted<Outage["kind"]>([
      [2, "throws"],
      [1, "hangs"],
      [3, "not_found"],
      [1, "flaky"],
    ]),
  }));
  const once = (chance: number, length: number): Window[] => {
    const from = start + random.int(5 * MINUTE, HOUR);
    return !calm && random.chance(chance) ? [{ from, to: from + length }] : [];
  };
  const asleep = once(0.12, HOUR);
  const machineSleeps = once(0.12, random.pick([5 * MINUTE, 20 * MINUTE, HOUR]));
  const clockSteps = once(0.2, 0).map(({ from }) => ({
    at: from,
    by: random.pick([-10 * MINUTE, -MINUTE, -5 * SECOND, 5 * SECOND, MINUTE, 10 * MINUTE, HOUR]),
  }));
  const slots: Slot[] = [];
  for (let at = Math.ceil(start / cronMs) * cronMs; at < end; at += cronMs) {
    const delivery = calm
      ? "once"
      : random.weighted<Slot["delivery"]>([
          [90, "once"],
          [5, "twice"],
          [5, "missing"],
        ]);
    slots.push({ at, delivery, diesAtAwait: !calm && random.chance(0.03) ? random.int(1, 40) : null });
  }
  return { start, end, stalls, outages, asleep, machineSleeps, clockSteps, slots };
}

/** What the database does with a request that arrives at `now`. */
export function databaseWeather(weather: Weather, random: Random, now: number): DatabaseWeather {
  const delay = random.int(1, 25);
  const stall = weather.stalls.find(({ from, to }) => now >= from && now < to);
  if (stall === undefined) {
    const luck = random.next();
    if (luck < 0.0005) return { delay, refuse: "Network connection lost." };
    if (luck < 0.001) return { delay, loseAnswer: "Network connection lost." };
    return { delay };
  }
  const left = stall.to - now;
  if (stall.kind === "queue") return { delay: left + delay };
  const refusal = "D1 DB is overloaded. Requests queued for too long.";
  if (stall.kind === "refuse" || random.chance(0.8))
    return { delay: Math.min(left, random.int(20, 30_000)), refuse: refusal };
  return random.chance(0.3) ? { delay, loseAnswer: "Network connection lost." } : { delay: random.int(20, 8_000) };
}
