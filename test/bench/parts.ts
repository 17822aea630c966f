/** The three parts of the benchmark. Each serves its own sites, starts its own runtime, and returns its figures. */
import { type AuditRun, runAudit } from "./audit-run.ts";
import { startBareLoop } from "./bare-loop.ts";
import { withRuntime } from "./bench-runtime.ts";
import { type BenchSite, serveBenchSite } from "./bench-site.ts";
import { linkinatorStart, runLinkinator } from "./linkinator.ts";
import { median, round } from "./measures.ts";

/** Names as in the JSON file; every value is a number with its unit in the name, or a ratio. */
export type Figures = Record<string, number>;
export type Say = (line: string) => void;

const ROUNDS = 3;
const CONNECTIONS = 6;
const SLOW_MS = 50;

async function withSite<T>(pages: number, delayMs: number, work: (site: BenchSite) => Promise<T>): Promise<T> {
  const site = await serveBenchSite(pages, delayMs);
  try {
    return await work(site);
  } finally {
    site.close();
  }
}

const perPage = (run: AuditRun, value: number): number => value / run.pages;

const phases = (run: AuditRun): string =>
  Object.entries(run.stepSeconds)
    .map(([kind, seconds]) => `${kind} ${seconds.toFixed(2)} s`)
    .join(", ");

/** Seconds of one round; linkinator's as the command takes them, its start included. */
interface Round {
  audit: AuditRun;
  bare: number;
  linkinator: number;
}

/** The audit, linkinator and the bare loop on the same site, one after the other, three times. */
export async function measureCrawl(say: Say): Promise<Figures> {
  return withSite(2000, 0, async (site) => {
    const bareLoop = await startBareLoop();
    try {
      return await withRuntime([site], async (runtime) => {
        // Fills the site's cache, and shows that every page is there.
        await bareLoop.run(site);
        const startSeconds = await linkinatorStart();
        const rounds: Round[] = [];
        for (let n = 1; n <= ROUNDS; n += 1) {
          const bare = await bareLoop.run(site);
          const audit = await runAudit(runtime, site);
          const linkinator = await runLinkinator(site);
          rounds.push({ audit, bare, linkinator });
          say(
            `  round ${n}: audit ${(site.pages / audit.seconds).toFixed(0)} pages/s, linkinator ` +
              `${(site.pages / linkinator).toFixed(0)}, bare loop ${(site.pages / bare).toFixed(0)}  (${phases(audit)})`,
          );
        }
        const middle = (of: (one: Round) => number): number => median(rounds.map(of));
        return {
          audit_pages_per_second: round(middle(({ audit }) => site.pages / audit.seconds)),
          linkinator_pages_per_second: round(middle(({ linkinator }) => site.pages / linkinator)),
          bare_loop_pages_per_second: round(middle(({ bare }) => site.pages / bare)),
          audit_vs_linkinator: round(middle(({ audit, linkinator }) => linkinator / audit.seconds)),
          audit_vs_linkinator_without_start: round(
            middle(({ audit, linkinator }) => (linkinator - startSeconds) / audit.seconds),
          ),
          audit_vs_bare_loop: round(middle(({ audit, bare }) => audit.seconds / bare)),
          d1_rows_written_per_page: round(middle(({ audit }) => perPage(audit, audit.rowsWritten))),
          d1_rows_read_per_page: round(middle(({ audit }) => perPage(audit, audit.rowsRead))),
          d1_batches_per_page: round(
            middle(({ audit }) => perPage(audit, audit.batches)),
            3,
          ),
          workflow_steps_per_1000_pages: round(middle(({ audit }) => 1000 * perPage(audit, audit.steps))),
          issues_found: middle(({ audit }) => audit.issues),
        };
      });
    } finally {
      await bareLoop.close();
    }
  });
}

/** Pages that the bare loop fetches of the slow site: enough to know its pace. */
const SLOW_SAMPLE = 600;

/**
 * The same site answering after 50 ms: how much of what six connections allow the whole audit uses. Beside it the bare
 * loop's share, which has nothing to do but wait: what is missing there, timers and the machine have taken.
 */
export async function measureSlow(say: Say): Promise<Figures> {
  return withSite(2000, SLOW_MS, async (site) => {
    const bareLoop = await startBareLoop();
    try {
      const audit = await withRuntime([site], (runtime) => runAudit(runtime, site));
      const sample = { ...site, pages: SLOW_SAMPLE, addresses: site.addresses.slice(0, SLOW_SAMPLE) };
      const bare = SLOW_SAMPLE / (await bareLoop.run(sample));
      const allowed = (1000 / SLOW_MS) * CONNECTIONS;
      const pace = site.pages / audit.seconds;
      say(`  ${pace.toFixed(1)} of ${allowed} pages/s, bare loop ${bare.toFixed(1)}  (${phases(audit)})`);
      return {
        slow_site_pages_per_second: round(pace),
        slow_site_share_of_six_connections: round(pace / allowed, 3),
        slow_site_bare_loop_share: round(bare / allowed, 3),
      };
    } finally {
      await bareLoop.close();
    }
  });
}

/** Whether a page costs more in a large site: 500 pages against 5,000, from the same generator, in turns. */
export async function measureGrowth(say: Say): Promise<Figures> {
  return withSite(500, 0, (small) =>
    withSite(5000, 0, (large) =>
      withRuntime([small, large], async (runtime) => {
        const runs: { small: AuditRun[]; large: AuditRun[] } = { small: [], large: [] };
        // One small audit first, not counted: it warms the code up and fills the site's cache.
        await runAudit(runtime, small);
        for (let n = 1; n <= ROUNDS; n += 1) {
          const pair = { small: await runAudit(runtime, small), large: await runAudit(runtime, large) };
          runs.small.push(pair.small);
          runs.large.push(pair.large);
          const cost = (run: AuditRun): string =>
            `${(1000 * perPage(run, run.seconds)).toFixed(2)} ms and ${perPage(run, run.rowsWritten).toFixed(2)} rows written a page`;
          say(`  round ${n}: 500 pages ${cost(pair.small)}; 5,000 pages ${cost(pair.large)}  (${phases(pair.large)})`);
        }
        const growth = (of: (run: AuditRun) => number): number =>
          median(runs.large.map((run) => perPage(run, of(run)))) /
          median(runs.small.map((run) => perPage(run, of(run))));
        const time = growth((run) => run.seconds);
        const rows = growth((run) => run.rowsWritten);
        return {
          time_growth_500_to_5000: round(time),
          rows_growth_500_to_5000: round(rows),
          rows_read_growth_500_to_5000: round(growth((run) => run.rowsRead)),
          cost_growth_500_to_5000: round(Math.max(time, rows)),
          d1_rows_written_per_page_at_5000: round(median(runs.large.map((run) => perPage(run, run.rowsWritten)))),
        };
      }),
    ),
  );
}
