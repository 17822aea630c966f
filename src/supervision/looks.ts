/**
 * The chain of looks that all saw the same heartbeat, and the times of day that a run may have for being silent.
 *
 * After a database stall, a sleeping laptop, a pause of the observer or a clock step every run looks silent at first; by
 * the second look a living run has beaten. So most deaths need a chain of looks of a certain length.
 *
 * A look that finds the instance queued or held (paused, rolling back) is no part of a chain: silence is what such an
 * instance owes. Otherwise a run that somebody paused for an hour and resumed just now would be an hour overdue with an
 * hour's chain, and die before its first beat. That it was found so at this heartbeat stays known until the next one,
 * and the rule then asks for more before it believes "not found" or "cannot be asked".
 */
import type { Config } from "../config.ts";

/** Milliseconds of the database's clock; null: not yet. */
export interface Looks {
  /** The heartbeat that the looks saw. */
  seenSeq: number | null;
  /** Since when an unbroken chain of looks has seen it. */
  seenSince: number | null;
  lastLookAt: number | null;
  /** The last look at this heartbeat that found the instance queued. */
  queuedAt: number | null;
  /** The last look at this heartbeat that found it held. */
  heldAt: number | null;
}

/** An attempt that nobody has looked at yet. */
export const NO_LOOKS: Looks = { seenSeq: null, seenSince: null, lastLookAt: null, queuedAt: null, heldAt: null };

/** Two looks further apart than this do not belong to one chain. Milliseconds. */
export const chainGapMs = (config: Config): number => 1.5 * config.CRON_INTERVAL_MS;

/**
 * The looks with one more at `now` that saw heartbeat `seq`. Another seq starts all anew; more than 1.5 cron intervals
 * since the last look, or a clock that went backwards, starts the chain again. The same look taken twice changes nothing.
 */
export function extendChain(looks: Looks, look: { seq: number; now: number }, config: Config): Looks {
  const { seq, now } = look;
  if (looks.seenSeq !== seq) return { ...NO_LOOKS, seenSeq: seq, seenSince: now, lastLookAt: now };
  const gap = looks.lastLookAt === null ? Number.POSITIVE_INFINITY : now - looks.lastLookAt;
  const goesOn = looks.seenSince !== null && gap >= 0 && gap <= chainGapMs(config);
  return { ...looks, seenSince: goesOn ? looks.seenSince : now, lastLookAt: now };
}

/** What to store after a look: the chain with it, ended where the run was found to have a reason for its silence. */
export function recordLook(
  looks: Looks,
  look: { seq: number; now: number; verdict: { kind: string } },
  config: Config,
): Looks {
  const extended = extendChain(looks, look, config);
  if (look.verdict.kind === "queued") return { ...extended, seenSince: null, queuedAt: look.now };
  if (look.verdict.kind === "held") return { ...extended, seenSince: null, heldAt: look.now };
  return extended;
}

/** How long the chain is, the look at `now` included. Milliseconds. */
export const chainMs = (looks: Looks, now: number): number =>
  looks.seenSince === null ? 0 : Math.max(0, now - looks.seenSince);
