/**
 * One sweep over all overdue audits: find, judge everybody, then act; deliver analytics, end what was left behind,
 * record. Each stage is a function of plain data, so that the supervisor Workflow can make a step of each, and scheduled()
 * can run them one after the other when the Workflow is not to be had.
 */
import type { AuditReading } from "../storage/audit-repository.ts";
import type { OverdueCursor } from "../storage/look-repository.ts";
import type { LeftBehind } from "./left-behind.ts";
import { breakerTrips, isLoss } from "./liveness.ts";
import { act, type Judgement, keepLooks, lookAt, type ReconcileResult } from "./reconcile.ts";
import type { Watch } from "./supervision.ts";

export interface SweepOptions {
  runId: string;
  startedBy: "cron" | "scheduled" | "manual";
  slotAt: number;
  /** Asks and judges, records and ends nothing. */
  dryRun?: boolean;
  /** Acts although the breaker would hold. */
  force?: boolean;
}

/** Where a sweep stands between two stages. */
export interface SweepState {
  asked: number;
  startedAt: number;
  /** Where this sweep began, when it went on from an earlier one. */
  from: OverdueCursor | null;
  cursor: OverdueCursor | null;
  /** It has come to the end of the list and begun again from the front. */
  wrapped: boolean;
  finished: boolean;
  outOfBudget: boolean;
  heldBefore: number;
}

export interface PageJudged {
  state: SweepState;
  read: number;
  tally: Tally;
  /** What must be acted on or looked at again; everybody else is done with. */
  dead: Judgement[];
  again: Judgement[];
}

/** Verdicts by their kind. */
export type Tally = Record<string, number>;

/** Status calls under way at once; the platform lets six connections wait. */
const ASK_AT_ONCE = 6;

/** A lease outlives its stage; every stage takes it anew. Milliseconds. */
const LEASE_MARGIN_MS = 20_000;

export const leaseMs = (watch: Watch): number => watch.config.SWEEP_BUDGET_MS / 2 + LEASE_MARGIN_MS;

/** Opens a sweep. Null: another one holds the lease. */
export async function openSweep(watch: Watch, options: SweepOptions): Promise<SweepState | null> {
  const { supervisor } = watch;
  if (options.dryRun !== true) {
    await supervisor.began(options.runId, options.startedBy, options.slotAt);
    if (!(await supervisor.takeLease(options.runId, leaseMs(watch)))) return null;
  }
  const { state } = await supervisor.state();
  const from =
    state.cursorDueAt === null || state.cursorId === null ? null : { dueAt: state.cursorDueAt, id: state.cursorId };
  return {
    asked: 0,
    startedAt: Date.now(),
    from,
    cursor: from,
    wrapped: from === null,
    finished: false,
    outOfBudget: false,
    heldBefore: state.heldSweeps,
  };
}

/** Reads and judges one page of overdue audits. Nothing is acted on yet; looks of the living are kept. */
export async function judgePage(watch: Watch, before: SweepState, options: SweepOptions): Promise<PageJudged> {
  const { looks, config } = watch;
  const limit = config.WATCHDOG_BATCH_LIMIT;
  const rows = await looks.overdue(before.cursor, limit);
  const readings = rows.filter(({ audit }) => !isBeyond(before, audit));
  const judgements = await judgeAll(watch, readings);
  const dead = judgements.filter(({ verdict }) => verdict.kind === "dead");
  const others = judgements.filter(({ verdict }) => verdict.kind !== "dead");
  if (options.dryRun !== true) await act(watch, others, { by: "watchdog", runId: options.runId });
  return {
    state: advance(watch, before, rows, readings.length < rows.length, judgements.length),
    read: judgements.length,
    tally: tallyOf(judgements),
    dead,
    again: others.filter((judgement) => lacksOnlyTheChain(judgement)),
  };
}

/** A sweep that went on from the middle ends where it began. */
const isBeyond = ({ wrapped, from }: SweepState, audit: AuditReading["audit"]): boolean =>
  wrapped &&
  from !== null &&
  (audit.heartbeatDueAt > from.dueAt || (audit.heartbeatDueAt === from.dueAt && audit.id > from.id));

function advance(
  watch: Watch,
  before: SweepState,
  rows: readonly AuditReading[],
  metItsStart: boolean,
  asked: number,
): SweepState {
  const { config } = watch;
  const last = rows.at(-1)?.audit;
  const state = { ...before, asked: before.asked + asked };
  if (last !== undefined) state.cursor = { dueAt: last.heartbeatDueAt, id: last.id };
  if (metItsStart || (rows.length < config.WATCHDOG_BATCH_LIMIT && before.wrapped)) {
    state.finished = true;
  } else if (rows.length < config.WATCHDOG_BATCH_LIMIT) {
    state.wrapped = true;
    state.cursor = null;
  }
  const spent = state.asked >= config.SWEEP_STATUS_CALLS || Date.now() - state.startedAt >= config.SWEEP_BUDGET_MS;
  state.outOfBudget = spent && !state.finished;
  return state;
}

/** One broken row never stops a sweep: it is left out, said, and met again by the next one. */
async function judgeAll(watch: Watch, readings: readonly AuditReading[]): Promise<Judgement[]> {
  const judgements: Judgement[] = [];
  const queue = [...readings];
  const work = async (): Promise<void> => {
    for (let reading = queue.shift(); reading !== undefined; reading = queue.shift()) {
      try {
        judgements.push(await lookAt(watch, reading));
      } catch (error) {
        console.error(
          "an audit could not be judged:",
          reading.audit.id,
          error instanceof Error ? error.message : error,
        );
      }
    }
  };
  await Promise.all(Array.from({ length: ASK_AT_ONCE }, work));
  return judgements;
}

/** Nothing but another look, a little later, is missing. */
const lacksOnlyTheChain = ({ verdict }: Judgement): boolean =>
  (verdict.kind === "suspect" || verdict.kind === "unknown") &&
  verdict.chainLimitMs !== null &&
  verdict.chainMs < verdict.chainLimitMs &&
  (verdict.limitMs === null ||
    (verdict.rule === "never_found" ? verdict.ageMs > verdict.limitMs : verdict.overdueMs >= verdict.limitMs));

export const tallyOf = (judgements: readonly Judgement[]): Tally => {
  const tally: Tally = {};
  for (const { verdict } of judgements) tally[verdict.kind] = (tally[verdict.kind] ?? 0) + 1;
  return tally;
};

/** How long until those that were not found may be looked at again within this run; null: none, or too many or too late. */
export function confirmDelayMs(watch: Watch, state: SweepState, again: readonly Judgement[]): number | null {
  const { config } = watch;
  const quick = again.filter(isQuick);
  if (quick.length === 0 || state.asked + quick.length > config.SWEEP_STATUS_CALLS) return null;
  const delay = Math.max(
    ...quick.map(({ verdict }) => (verdict.kind === "final" ? 0 : (verdict.chainLimitMs ?? 0) - verdict.chainMs)),
  );
  const left = config.SWEEP_BUDGET_MS - (Date.now() - state.startedAt);
  return delay < left ? delay : null;
}

/** A chain that this very run can complete: "not found" needs 20 seconds only. */
const isQuick = ({ verdict }: Judgement): boolean => verdict.rule === "not_found" || verdict.rule === "never_found";

/** Looks once more at those whose chain was too short. */
export async function confirm(
  watch: Watch,
  again: readonly Judgement[],
  options: SweepOptions,
): Promise<{ asked: number; dead: Judgement[] }> {
  const ids = again.filter(isQuick).map(({ auditId }) => auditId);
  const judgements = await judgeAll(watch, await watch.looks.find(ids));
  if (options.dryRun !== true) {
    const others = judgements.filter(({ verdict }) => verdict.kind !== "dead");
    await act(watch, others, { by: "watchdog", runId: options.runId });
  }
  return { asked: judgements.length, dead: judgements.filter(({ verdict }) => verdict.kind === "dead") };
}

export interface BreakerDecision {
  tripped: boolean;
  /** Losses are not acted on in this sweep. */
  holds: boolean;
  lost: number;
  running: number;
  /** Sweeps in a row that would have exceeded the limit, this one included. */
  heldSweeps: number;
}

/** After so many sweeps in a row that would exceed the limit, it acts: the platform is not at fault for ever. */
const SWEEPS_UNTIL_BELIEVED = 3;

export async function decideBreaker(
  watch: Watch,
  state: SweepState,
  dead: readonly Judgement[],
  options: SweepOptions,
): Promise<BreakerDecision> {
  const { running } = await watch.looks.counts();
  const lost = dead.filter(({ verdict }) => isLoss(verdict)).length;
  const tripped = breakerTrips(lost, running, watch.config);
  const heldSweeps = tripped ? state.heldBefore + 1 : 0;
  const holds = tripped && options.force !== true && heldSweeps < SWEEPS_UNTIL_BELIEVED;
  return { tripped, holds, lost, running, heldSweeps };
}

export interface ActedOn {
  failed: { audit: string; code: string }[];
  lost: number;
  held: number;
}

/** Ends the dead of one page, but for those that the breaker holds. */
export async function failPage(
  watch: Watch,
  dead: readonly Judgement[],
  breaker: BreakerDecision,
  options: SweepOptions,
): Promise<ActedOn> {
  const held = breaker.holds ? dead.filter(({ verdict }) => isLoss(verdict)) : [];
  const ending = dead.filter((judgement) => !held.includes(judgement));
  const acting = { by: "watchdog", runId: options.runId } as const;
  const results = await act(watch, ending, acting);
  await keepLooks(watch, held, acting);
  return {
    failed: results.flatMap(failedOf),
    lost: results.filter(({ acted }) => acted === "lost").length,
    held: held.length,
  };
}

const failedOf = ({ judgement, error, acted }: ReconcileResult): { audit: string; code: string }[] =>
  acted === "won" && error !== null ? [{ audit: judgement.auditId, code: error.code }] : [];

export interface SweepReport extends LeftBehind {
  outcome: "done" | "held" | "out_of_budget" | "lease_taken" | "failed";
  checked: number;
  tally: Tally;
  failed: { audit: string; code: string }[];
  lost: number;
  held: number;
  statusCalls: number;
  delivered: number;
  breaker: BreakerDecision | null;
}

/** Failed audits that a report names; the rest is a number. */
const NAMED = 50;

export async function recordSweep(
  watch: Watch,
  state: SweepState,
  report: SweepReport,
  again: readonly Judgement[],
  options: SweepOptions,
): Promise<void> {
  const { breaker } = report;
  const held = breaker === null ? state.heldBefore : breaker.heldSweeps;
  await watch.supervisor.ended(options.runId, {
    outcome: report.outcome,
    checked: report.checked,
    failed: report.failed.length,
    statusCalls: report.statusCalls,
    report: JSON.stringify({ ...report, failed: report.failed.slice(0, NAMED) }),
    cursor: nextCursor(state, again),
    heldSweeps: held,
    heldCount: held === 0 ? null : (breaker?.lost ?? null),
  });
}

/**
 * A sweep that ran out of budget goes on where it stopped, but comes back first to those that lacked only the chain: two
 * runs later their chain would be broken, and they would never be called dead.
 */
function nextCursor(state: SweepState, again: readonly Judgement[]): OverdueCursor | null {
  if (state.finished) return null;
  const [first] = again;
  // Just before that row, whose id is the least with its promise.
  return first === undefined ? state.cursor : { dueAt: first.heartbeatDueAt, id: "" };
}
