/**
 * What a sweep tells: the outputs of its stages, which people read as the history of the supervisor, and its report,
 * which the database keeps. Pure.
 */
import type { Verdict, VerdictKind } from "./liveness.ts";
import type { LeftBehind } from "./left-behind.ts";

/** Verdicts by their kind, those that somebody got; the dead are told one by one. */
export type Tally = Partial<Record<Exclude<VerdictKind, "dead" | "final">, number>>;

export const tallyOf = (judgements: readonly { verdict: Verdict }[]): Tally => {
  const tally: Tally = {};
  for (const { verdict } of judgements) count(tally, verdict.kind, 1);
  return tally;
};

function count(tally: Tally, kind: VerdictKind, more: number): void {
  if (kind === "dead" || kind === "final") return;
  const sum = (tally[kind] ?? 0) + more;
  if (sum > 0) tally[kind] = sum;
  else delete tally[kind];
}

export function addTallies(...tallies: readonly Tally[]): Tally {
  const sum: Tally = {};
  for (const tally of tallies) {
    for (const [kind, more] of Object.entries(tally)) count(sum, kind as VerdictKind, more);
  }
  return sum;
}

/** The tally without verdicts that a second look has replaced. */
export function withoutKinds(tally: Tally, kinds: readonly VerdictKind[]): Tally {
  const left = { ...tally };
  for (const kind of kinds) count(left, kind, -1);
  return left;
}

export interface BreakerDecision {
  lost: number;
  running: number;
  /** That many were more than its limit. */
  tripped: boolean;
  /** Losses are not acted on in this sweep. */
  holds: boolean;
  /** Sweeps in a row that would have exceeded the limit, this one included. */
  heldSweeps: number;
}

export interface Failed {
  audit: string;
  code: string;
}

export type SweepOutcome = "done" | "held" | "out_of_budget" | "lease_taken" | "failed";

/** `checked` audits were judged; the tally says what the living ones are. */
export interface SweepReport extends Tally, LeftBehind {
  outcome: SweepOutcome;
  checked: number;
  failed: Failed[];
  /** How many; `failed` names only the first. */
  failedCount: number;
  /** Audits that had moved on before they could be failed. */
  lost: number;
  /** Audits that the breaker kept from being failed. */
  heldBack: number;
  statusCalls: number;
  delivered: number;
  breaker: BreakerDecision | null;
  /** What went wrong beside the audits themselves. */
  problems: string[];
}

/** Failed audits that a report names; the rest is a number. A step's result and a row of the database stay small. */
const NAMED = 50;

export const nameSome = (failed: readonly Failed[]): Failed[] => failed.slice(0, NAMED);

export const NOTHING_LEFT: LeftBehind = { terminated: 0, terminating: 0, removed: 0 };

export const emptyReport = (outcome: SweepOutcome): SweepReport => ({
  outcome,
  checked: 0,
  failed: [],
  failedCount: 0,
  lost: 0,
  heldBack: 0,
  statusCalls: 0,
  delivered: 0,
  breaker: null,
  problems: [],
  ...NOTHING_LEFT,
});
