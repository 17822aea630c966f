/**
 * The order of a sweep's stages. `stage` runs each: the supervisor Workflow makes it a step with that name, scheduled()
 * and the commands just call it. A sweep with nothing or one page to judge is one stage: free plans pay steps by the day.
 */
import type { Env } from "../env.ts";
import { deliverOutbox } from "../telemetry/outbox.ts";
import { endLeftBehind, type LeftBehind } from "./left-behind.ts";
import type { Judgement } from "./reconcile.ts";
import type { Watch } from "./supervision.ts";
import {
  type ActedOn,
  type BreakerDecision,
  confirm,
  confirmDelayMs,
  decideBreaker,
  failPage,
  judgePage,
  leaseMs,
  openSweep,
  type PageJudged,
  recordSweep,
  type SweepOptions,
  type SweepReport,
  type SweepState,
  type Tally,
} from "./sweep.ts";

export interface Stages {
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
  pause(name: string, ms: number): Promise<void>;
}

/** Stages without a Workflow: one after the other, here and now. */
export const directStages: Stages = {
  run: (_name, work) => work(),
  pause: (_name, ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

const NOTHING_LEFT: LeftBehind = { terminated: 0, terminating: 0, removed: 0 };

interface FirstPage {
  /** The whole story, when there was no more than one page. */
  report: SweepReport | null;
  page: PageJudged | null;
}

/** Sweeps once. The core of the supervisor; may be called without its Workflow. */
export async function reconcileStaleAudits(
  env: Env,
  watch: Watch,
  options: SweepOptions,
  stages: Stages = directStages,
): Promise<SweepReport> {
  const first = await stages.run("find overdue audits 1", () => sweepFirstPage(env, watch, options));
  if (first.report !== null || first.page === null) return first.report ?? nothing("lease_taken");
  return sweepOn(env, watch, options, stages, first.page);
}

/** Opens the sweep and judges its first page; ends it, too, when that was all. */
async function sweepFirstPage(env: Env, watch: Watch, options: SweepOptions): Promise<FirstPage> {
  const state = await openSweep(watch, options);
  if (state === null) {
    const report = nothing("lease_taken");
    await watch.supervisor.skipped(options.runId, report.outcome, JSON.stringify(report));
    return { report, page: null };
  }
  let page = await judgePage(watch, state, options);
  // The end of the list, but not the end of the sweep: it went on from the middle, and the front is still to be read.
  if (!page.state.finished && page.read < watch.config.WATCHDOG_BATCH_LIMIT && !page.state.outOfBudget)
    page = await judgeFront(watch, page, options);
  if (!page.state.finished && !page.state.outOfBudget) return { report: null, page };
  const report = await endSweep(env, watch, options, directStages, [page]);
  return { report, page: null };
}

async function judgeFront(watch: Watch, tail: PageJudged, options: SweepOptions): Promise<PageJudged> {
  const front = await judgePage(watch, tail.state, options);
  return {
    state: front.state,
    read: tail.read + front.read,
    tally: add(tail.tally, front.tally),
    dead: [...tail.dead, ...front.dead],
    again: [...tail.again, ...front.again],
  };
}

async function sweepOn(
  env: Env,
  watch: Watch,
  options: SweepOptions,
  stages: Stages,
  first: PageJudged,
): Promise<SweepReport> {
  const pages = [first];
  let { state } = first;
  let judged = first.read;
  while (!state.finished && !state.outOfBudget) {
    const name = `judge audits ${judged + 1}-${judged + watch.config.WATCHDOG_BATCH_LIMIT}`;
    const before = state;
    const page = await stages.run(name, () => judgeUnderLease(watch, before, options));
    if (page === null) return nothing("lease_taken");
    pages.push(page);
    state = page.state;
    judged += page.read;
  }
  return endSweep(env, watch, options, stages, pages);
}

/** Null: the lease has run out and somebody else sweeps; what was judged is judged again there. */
async function judgeUnderLease(watch: Watch, state: SweepState, options: SweepOptions): Promise<PageJudged | null> {
  return (await holdsLease(watch, options)) ? judgePage(watch, state, options) : null;
}

/** Prolongs the lease; a dry run needs none. */
const holdsLease = async (watch: Watch, options: SweepOptions): Promise<boolean> =>
  options.dryRun === true || watch.supervisor.takeLease(options.runId, leaseMs(watch));

/** Everybody has been judged: now the looks that are missing, the endings, and what else a sweep takes care of. */
async function endSweep(
  env: Env,
  watch: Watch,
  options: SweepOptions,
  stages: Stages,
  pages: readonly PageJudged[],
): Promise<SweepReport> {
  const last = pages.at(-1);
  if (last === undefined) return nothing("done");
  const { state } = last;
  const again = pages.flatMap((page) => page.again);
  const groups = pages.map((page) => page.dead);
  let statusCalls = state.asked;
  const delay = confirmDelayMs(watch, state, again);
  if (delay !== null) {
    await stages.pause("wait before the second look", delay);
    const confirmed = await stages.run(`judge again ${again.length} that were not found`, () =>
      confirm(watch, again, options),
    );
    statusCalls += confirmed.asked;
    groups.push(confirmed.dead);
  }
  const dead = groups.flat();
  const base = {
    checked: pages.reduce((sum, page) => sum + page.read, 0),
    tally: pages.map((page) => page.tally).reduce(add, {}),
    statusCalls,
  };
  const breaker = await stages.run(`weigh ${dead.length} losses`, async () =>
    (await holdsLease(watch, options)) ? decideBreaker(watch, state, dead, options) : null,
  );
  if (breaker === null) return nothing("lease_taken");
  if (options.dryRun === true) return dryReport(base, dead, breaker);

  const acted: ActedOn[] = [];
  let done = 0;
  for (const group of groups.filter(({ length }) => length > 0)) {
    const name = `fail audits ${done + 1}-${done + group.length}`;
    acted.push(await stages.run(name, () => failPage(watch, group, breaker, options)));
    done += group.length;
  }
  const left = await stages.run("end what is left behind", () => endLeftBehind(watch));
  const delivery = await stages.run("deliver analytics", () => deliverOutbox(env, watch.db));
  const report: SweepReport = {
    outcome: breaker.holds ? "held" : state.outOfBudget ? "out_of_budget" : "done",
    ...base,
    failed: acted.flatMap(({ failed }) => failed),
    lost: acted.reduce((sum, { lost }) => sum + lost, 0),
    held: acted.reduce((sum, { held }) => sum + held, 0),
    delivered: delivery.delivered,
    breaker,
    ...left,
  };
  await stages.run("record run", async () => {
    await recordSweep(watch, state, report, again, options);
    return { outcome: report.outcome, checked: report.checked, failed: report.failed.length };
  });
  return report;
}

const add = (one: Tally, other: Tally): Tally => {
  const sum = { ...one };
  for (const [kind, count] of Object.entries(other)) sum[kind] = (sum[kind] ?? 0) + count;
  return sum;
};

const dryReport = (
  base: Pick<SweepReport, "checked" | "tally" | "statusCalls">,
  dead: readonly Judgement[],
  breaker: BreakerDecision,
): SweepReport => ({
  outcome: breaker.holds ? "held" : "done",
  ...base,
  failed: dead.flatMap(({ auditId, verdict }) =>
    verdict.kind === "dead" ? [{ audit: auditId, code: verdict.code }] : [],
  ),
  lost: 0,
  held: breaker.holds ? breaker.lost : 0,
  delivered: 0,
  breaker,
  ...NOTHING_LEFT,
});

const nothing = (outcome: SweepReport["outcome"]): SweepReport => ({
  outcome,
  checked: 0,
  tally: {},
  failed: [],
  lost: 0,
  held: 0,
  statusCalls: 0,
  delivered: 0,
  breaker: null,
  ...NOTHING_LEFT,
});
