/**
 * The order of a sweep's stages. `stages` runs each: the supervisor Workflow makes it a step with that name, scheduled()
 * and the commands just call it. A sweep with nothing or one page to judge is one stage: free plans pay steps by the day.
 */
import type { Env } from "../env.ts";
import { deliverOutbox } from "../telemetry/outbox.ts";
import { endLeftBehind } from "./left-behind.ts";
import { decideBreaker } from "./breaker.ts";
import type { Judgement } from "./reconcile.ts";
import type { Watch } from "./supervision.ts";
import {
  type ActedOn,
  type Again,
  confirm,
  failPage,
  holdsLease,
  judgePage,
  openSweep,
  pageLimit,
  type PageJudged,
  planSecondLook,
  recordSweep,
  type SweepOptions,
} from "./sweep.ts";
import {
  addTallies,
  type BreakerDecision,
  emptyReport,
  nameSome,
  NOTHING_LEFT,
  type SweepReport,
  type Tally,
  withoutKinds,
} from "./sweep-report.ts";

export interface Stages {
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
  pause(name: string, ms: number): Promise<void>;
}

/** Stages without a Workflow: one after the other, here and now. */
export const directStages: Stages = {
  run: (_name, work) => work(),
  pause: (_name, ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

interface Sweep {
  env: Env;
  watch: Watch;
  options: SweepOptions;
  stages: Stages;
}

/** Sweeps once. The core of the supervisor; may be called without its Workflow. */
export async function reconcileStaleAudits(
  env: Env,
  watch: Watch,
  options: SweepOptions,
  stages: Stages = directStages,
): Promise<SweepReport> {
  const sweep = { env, watch, options, stages };
  const first = await stages.run("find overdue audits 1", () => sweepFirstPage(sweep));
  return "state" in first ? sweepOn(sweep, first) : first;
}

/** Opens the sweep and judges its first page. When that was all, it ends the sweep, too, and brings its whole story. */
async function sweepFirstPage(sweep: Sweep): Promise<PageJudged | SweepReport> {
  const { watch, options } = sweep;
  const state = await openSweep(watch, options);
  if (state === null) return leaseTaken(sweep);
  let page = await judgePage(watch, state, options);
  // The end of the list, but not the end of the sweep: it went on from the middle, and the front is still to be read.
  if (page.state.wrapped && page.state.cursor === null && !page.state.finished && !page.state.outOfBudget)
    page = join(page, await judgePage(watch, page.state, options));
  if (!page.state.finished && !page.state.outOfBudget) return page;
  return endSweep({ ...sweep, stages: directStages }, [page]);
}

const join = (one: PageJudged, other: PageJudged): PageJudged => ({
  checked: one.checked + other.checked,
  ...addTallies(tallyIn(one), tallyIn(other)),
  dead: [...one.dead, ...other.dead],
  again: [...one.again, ...other.again],
  state: other.state,
});

/** The verdicts among a stage's figures. */
function tallyIn({ alive, suspect, queued, held, unknown, recreate }: Tally): Tally {
  return addTallies({
    alive: alive ?? 0,
    suspect: suspect ?? 0,
    queued: queued ?? 0,
    held: held ?? 0,
    unknown: unknown ?? 0,
    recreate: recreate ?? 0,
  });
}

async function sweepOn(sweep: Sweep, first: PageJudged): Promise<SweepReport> {
  const { watch, options, stages } = sweep;
  const pages = [first];
  let { state } = first;
  let judged = first.checked;
  while (!state.finished && !state.outOfBudget) {
    const before = state;
    const page = await stages.run(`judge audits ${judged + 1}-${judged + pageLimit(watch)}`, () =>
      underLease(sweep, () => judgePage(watch, before, options)),
    );
    if (page === null) return stages.run("record run", () => leaseTaken(sweep));
    pages.push(page);
    state = page.state;
    judged += page.checked;
  }
  return endSweep(sweep, pages);
}

/** Null: the lease has run out and somebody else sweeps; what was judged is judged again there. */
async function underLease<T>({ watch, options }: Sweep, work: () => Promise<T>): Promise<T | null> {
  return (await holdsLease(watch, options)) ? work() : null;
}

async function leaseTaken({ watch, options }: Sweep): Promise<SweepReport> {
  const report = emptyReport("lease_taken");
  if (options.dryRun !== true) await watch.supervisor.skipped(options.runId, report.outcome, JSON.stringify(report));
  return report;
}

/** Everybody has been judged: now the looks that are missing, the endings, and what else a sweep takes care of. */
async function endSweep(sweep: Sweep, pages: readonly PageJudged[]): Promise<SweepReport> {
  const { watch, options, stages } = sweep;
  const state = pages.at(-1)?.state;
  if (state === undefined) return emptyReport("done");
  const again = pages.flatMap((page) => page.again);
  const second = await lookAgain(sweep, pages, again);
  if (second === null) return stages.run("record run", () => leaseTaken(sweep));
  const groups = [...pages.map((page) => page.dead), ...second.groups].filter(({ length }) => length > 0);
  const dead = groups.flat();
  const breaker = await stages.run(`weigh ${dead.length} deaths`, () =>
    underLease(sweep, () => decideBreaker(watch, state, dead, options)),
  );
  if (breaker === null) return stages.run("record run", () => leaseTaken(sweep));
  const base = {
    checked: pages.reduce((sum, page) => sum + page.checked, 0),
    ...addTallies(withoutKinds(addTallies(...pages.map(tallyIn)), second.replaced), ...second.tallies),
    statusCalls: state.asked + second.asked,
    breaker,
  };
  if (options.dryRun === true) return dryReport(base, dead, breaker);

  const acted: ActedOn[] = [];
  let done = 0;
  for (const group of groups) {
    const name = `fail audits ${done + 1}-${done + group.length}`;
    acted.push(await stages.run(name, () => failPage(watch, group, breaker, options)));
    done += group.length;
  }
  const problems: string[] = [];
  const left = await chore(stages, "end what is left behind", () => endLeftBehind(watch), problems);
  const delivery = await chore(stages, "deliver analytics", () => deliverOutbox(sweep.env, watch.db), problems);
  const failed = acted.flatMap((page) => page.failed);
  const report: SweepReport = {
    outcome: breaker.holds ? "held" : state.outOfBudget ? "out_of_budget" : "done",
    ...base,
    failed: nameSome(failed),
    failedCount: failed.length,
    lost: acted.reduce((sum, { lost }) => sum + lost, 0),
    heldBack: acted.reduce((sum, { heldBack }) => sum + heldBack, 0),
    delivered: delivery?.delivered ?? 0,
    problems,
    ...(left ?? NOTHING_LEFT),
  };
  await stages.run("record run", async () => {
    await recordSweep(watch, state, report, again, options);
    return { outcome: report.outcome, checked: report.checked, failed: report.failedCount };
  });
  return report;
}

interface SecondLook {
  groups: Judgement[][];
  tallies: Tally[];
  replaced: Again["kind"][];
  asked: number;
}

/** Null: somebody else sweeps by now. */
async function lookAgain(
  sweep: Sweep,
  pages: readonly PageJudged[],
  again: readonly Again[],
): Promise<SecondLook | null> {
  const { watch, options, stages } = sweep;
  const found: SecondLook = { groups: [], tallies: [], replaced: [], asked: 0 };
  const state = pages.at(-1)?.state;
  const plan = state === undefined ? null : planSecondLook(watch, state, again, options);
  if (plan === null) return found;
  await stages.pause("wait before the second look", plan.delay);
  const size = pageLimit(watch);
  for (let at = 0; at < plan.quick.length; at += size) {
    const some = plan.quick.slice(at, at + size);
    const confirmed = await stages.run(`judge again ${at + 1}-${at + some.length}`, () =>
      underLease(sweep, () => confirm(watch, some, options)),
    );
    if (confirmed === null) return null;
    found.groups.push(confirmed.dead);
    found.tallies.push(tallyIn(confirmed));
    found.replaced.push(...some.map(({ kind }) => kind));
    found.asked += confirmed.checked;
  }
  return found;
}

/** What a sweep takes care of beside the audits: a failure is told, and left to the next sweep. */
async function chore<T extends object>(
  stages: Stages,
  name: string,
  work: () => Promise<T>,
  problems: string[],
): Promise<T | null> {
  const result = await stages.run(name, async (): Promise<T | { problem: string }> => {
    try {
      return await work();
    } catch (error) {
      const problem = `${name}: ${(error instanceof Error ? error.message : String(error)).slice(0, 200)}`;
      console.error("a sweep could not", problem);
      return { problem };
    }
  });
  if (!("problem" in result)) return result;
  problems.push(result.problem);
  return null;
}

const dryReport = (
  base: Tally & Pick<SweepReport, "checked" | "statusCalls" | "breaker">,
  dead: readonly Judgement[],
  breaker: BreakerDecision,
): SweepReport => ({
  ...emptyReport(breaker.holds ? "held" : "done"),
  ...base,
  failed: nameSome(
    dead.flatMap(({ auditId, verdict }) => (verdict.kind === "dead" ? [{ audit: auditId, code: verdict.code }] : [])),
  ),
  failedCount: dead.length,
  heldBack: breaker.holds ? breaker.lost : 0,
});
