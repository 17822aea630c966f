/**
 * One sweep over all overdue audits: find, judge everybody, then act. Each stage is a function of plain data, so that the
 * supervisor Workflow can make a step of each, and scheduled() can run them one after the other when the Workflow is not
 * to be had. run-sweep.ts has their order.
 */
import type { AuditReading } from "../storage/audit-repository.ts";
import type { OverdueCursor } from "../storage/look-repository.ts";
import { isLoss, type VerdictKind } from "./liveness.ts";
import { someAtOnce } from "./many.ts";
import { act, type Judgement, keepLooks, lookAt, type ReconcileResult } from "./reconcile.ts";
import type { Watch } from "./supervision.ts";
import { type BreakerDecision, type Failed, nameSome, type SweepReport, type Tally, tallyOf } from "./sweep-report.ts";

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
  /** When it began and when this state was made: the Worker's clock, for its budget only. */
  startedAt: number;
  at: number;
  /** Where this sweep began, when it went on from an earlier one. */
  from: OverdueCursor | null;
  cursor: OverdueCursor | null;
  /** It has come to the end of the list and begun again from the front. */
  wrapped: boolean;
  finished: boolean;
  outOfBudget: boolean;
  heldBefore: number;
}

/** Somebody for whom nothing but another look, a little later, is missing. */
export interface Again {
  audit: string;
  dueAt: number;
  kind: VerdictKind;
  /** How much later; null: not within one sweep. Milliseconds. */
  inMs: number | null;
}

/** A page's output: first what people want to read, then what the next stages need. */
export interface PageJudged extends Tally {
  checked: number;
  dead: Judgement[];
  again: Again[];
  state: SweepState;
}

/** Status calls under way at once; the platform lets six connections wait. */
const ASK_AT_ONCE = 6;
/** A page's verdicts are one step's result, which the platform limits to 1 MiB. */
const LONGEST_PAGE = 400;
/** A lease outlives its stage, which takes it anew; after a crash the next slot must find it free. Milliseconds. */
const LEASE_MARGIN_MS = 15_000;

export const pageLimit = (watch: Watch): number => Math.min(watch.config.WATCHDOG_BATCH_LIMIT, LONGEST_PAGE);

const leaseMs = ({ config }: Watch): number =>
  config.SWEEP_BUDGET_MS + Math.min(LEASE_MARGIN_MS, config.CRON_INTERVAL_MS / 4);

/** Opens a sweep. Null: another one holds the lease. */
export async function openSweep(watch: Watch, options: SweepOptions): Promise<SweepState | null> {
  const { supervisor } = watch;
  if (options.dryRun !== true) {
    await supervisor.began(options.runId, options.startedBy, options.slotAt);
    if (!(await holdsLease(watch, options))) return null;
  }
  const { state } = await supervisor.state();
  const from =
    state.cursorDueAt === null || state.cursorId === null ? null : { dueAt: state.cursorDueAt, id: state.cursorId };
  const now = Date.now();
  return {
    asked: 0,
    startedAt: now,
    at: now,
    from,
    cursor: from,
    wrapped: from === null,
    finished: false,
    outOfBudget: false,
    heldBefore: state.heldSweeps,
  };
}

/** Takes or prolongs the lease; a dry run needs none. False: somebody else sweeps now. */
export const holdsLease = async (watch: Watch, options: SweepOptions): Promise<boolean> =>
  options.dryRun === true || watch.supervisor.takeLease(options.runId, leaseMs(watch));

const budgetEnd = (watch: Watch, state: SweepState): number => state.startedAt + watch.config.SWEEP_BUDGET_MS;

/** Reads and judges one page of overdue audits. Nobody is ended yet; looks at the living are kept. */
export async function judgePage(watch: Watch, before: SweepState, options: SweepOptions): Promise<PageJudged> {
  const limit = pageLimit(watch);
  const rows = await watch.looks.overdue(before.cursor, limit);
  const readings = rows.filter(({ audit }) => !isBeyond(before, audit));
  const { judgements, begun } = await judgeAll(watch, readings, budgetEnd(watch, before));
  if (options.dryRun !== true) await act(watch, living(judgements), { by: "watchdog", runId: options.runId });
  const metItsStart = readings.length < rows.length && begun === readings.length;
  // A page that the budget cut ends with the last row that was judged.
  const read = begun < readings.length ? readings.slice(0, begun) : rows;
  const isLast = read === rows && rows.length < limit;
  return {
    checked: judgements.length,
    ...tallyOf(judgements),
    dead: deadOf(judgements),
    again: judgements.filter(lacksOnlyTheChain).map(againOf),
    state: advance(watch, before, { last: read.at(-1)?.audit, isLast, metItsStart, asked: begun }),
  };
}

const deadOf = (judgements: readonly Judgement[]): Judgement[] =>
  judgements.filter(({ verdict }) => verdict.kind === "dead");

const living = (judgements: readonly Judgement[]): Judgement[] =>
  judgements.filter(({ verdict }) => verdict.kind !== "dead");

/** A sweep that went on from the middle ends where it began. */
const isBeyond = ({ wrapped, from }: SweepState, audit: AuditReading["audit"]): boolean =>
  wrapped &&
  from !== null &&
  (audit.heartbeatDueAt > from.dueAt || (audit.heartbeatDueAt === from.dueAt && audit.id > from.id));

interface PageRead {
  last: AuditReading["audit"] | undefined;
  isLast: boolean;
  metItsStart: boolean;
  asked: number;
}

function advance(watch: Watch, before: SweepState, { last, isLast, metItsStart, asked }: PageRead): SweepState {
  const { config } = watch;
  const state = { ...before, asked: before.asked + asked, at: Date.now() };
  if (last !== undefined) state.cursor = { dueAt: last.heartbeatDueAt, id: last.id };
  if (metItsStart || (isLast && before.wrapped)) {
    state.finished = true;
  } else if (isLast) {
    state.wrapped = true;
    state.cursor = null;
  }
  const spent = state.asked >= config.SWEEP_STATUS_CALLS || state.at >= budgetEnd(watch, state);
  state.outOfBudget = spent && !state.finished;
  return state;
}

/** One broken row never stops a sweep: it is left out, said, and met again by the next one. */
async function judgeAll(
  watch: Watch,
  readings: readonly AuditReading[],
  until: number,
): Promise<{ judgements: Judgement[]; begun: number }> {
  const judgements: Judgement[] = [];
  const begun = await someAtOnce(readings, { atOnce: ASK_AT_ONCE, until }, async (reading) => {
    try {
      judgements.push(await lookAt(watch, reading));
    } catch (error) {
      const why = error instanceof Error ? error.message : error;
      console.error("an audit could not be judged:", reading.audit.id, why);
    }
  });
  // In the order of their silence, whoever was answered first.
  const order = new Map(readings.map(({ audit }, index) => [audit.id, index]));
  judgements.sort((a, b) => (order.get(a.auditId) ?? 0) - (order.get(b.auditId) ?? 0));
  return { judgements, begun };
}

const lacksOnlyTheChain = ({ verdict }: Judgement): boolean =>
  (verdict.kind === "suspect" || verdict.kind === "unknown") &&
  verdict.chainLimitMs !== null &&
  verdict.chainMs < verdict.chainLimitMs &&
  (verdict.limitMs === null ||
    (verdict.rule === "never_found" ? verdict.ageMs > verdict.limitMs : verdict.overdueMs >= verdict.limitMs));

/** "Not found" needs 20 seconds only: this very run can complete such a chain. */
const againOf = ({ auditId, heartbeatDueAt, verdict }: Judgement): Again => ({
  audit: auditId,
  dueAt: heartbeatDueAt,
  kind: verdict.kind,
  inMs:
    verdict.rule === "not_found" || verdict.rule === "never_found"
      ? Math.max(0, (verdict.chainLimitMs ?? 0) - verdict.chainMs)
      : null,
});

/** Those that this run can look at again, and when; null: none, or too many, or too late for it. */
export function planSecondLook(
  watch: Watch,
  state: SweepState,
  again: readonly Again[],
  options: SweepOptions,
): { quick: Again[]; delay: number } | null {
  const { config } = watch;
  const quick = again.filter(({ inMs }) => inMs !== null);
  // A dry run keeps no looks, so that a second one would begin the chain again.
  if (options.dryRun === true || quick.length === 0 || state.asked + quick.length > config.SWEEP_STATUS_CALLS)
    return null;
  const delay = Math.max(...quick.map(({ inMs }) => inMs ?? 0));
  return state.at + delay < budgetEnd(watch, state) ? { quick, delay } : null;
}

export interface Confirmed extends Tally {
  checked: number;
  dead: Judgement[];
}

/** Looks once more at those whose chain was too short. */
export async function confirm(watch: Watch, again: readonly Again[], options: SweepOptions): Promise<Confirmed> {
  const readings = await watch.looks.find(again.map(({ audit }) => audit));
  const until = Date.now() + watch.config.SWEEP_BUDGET_MS;
  const { judgements } = await judgeAll(watch, readings, until);
  await act(watch, living(judgements), { by: "watchdog", runId: options.runId });
  return { checked: judgements.length, ...tallyOf(judgements), dead: deadOf(judgements) };
}

export interface ActedOn {
  failed: Failed[];
  lost: number;
  heldBack: number;
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
    heldBack: held.length,
  };
}

const failedOf = ({ judgement, error, acted }: ReconcileResult): Failed[] =>
  acted === "won" && error !== null ? [{ audit: judgement.auditId, code: error.code }] : [];

export async function recordSweep(
  watch: Watch,
  state: SweepState,
  report: SweepReport,
  again: readonly Again[],
  options: SweepOptions,
): Promise<void> {
  const { breaker } = report;
  const held = breaker === null ? state.heldBefore : breaker.heldSweeps;
  await watch.supervisor.ended(options.runId, {
    outcome: report.outcome,
    checked: report.checked,
    failed: report.failedCount,
    statusCalls: report.statusCalls,
    report: JSON.stringify({ ...report, failed: nameSome(report.failed) }),
    cursor: nextCursor(state, again),
    heldSweeps: held,
    heldCount: held === 0 ? null : (breaker?.lost ?? null),
  });
}

/**
 * A sweep that ran out of budget goes on where it stopped, but comes back first to those that lacked only the chain: two
 * runs later their chain would be broken, and they would never be called dead.
 */
function nextCursor(state: SweepState, again: readonly Again[]): OverdueCursor | null {
  if (state.finished) return null;
  const [first] = again;
  // Just before that row, whose id is the least with its promise.
  return first === undefined ? state.cursor : { dueAt: first.dueAt, id: "" };
}
