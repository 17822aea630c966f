/**
 * The audit: discover, crawl, check links, analyze, finish. Each step is one entry of the history that people read, does
 * a bounded amount of work, and may be repeated at any time. Nothing outside of a step has an effect.
 *
 * Who else may end the audit meanwhile, and how a dead run is found, is the business of src/supervision.
 */
import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { analyzeSite } from "./phases/analyze-site.ts";
import { checkTargets } from "./phases/check-targets.ts";
import { crawlPages } from "./phases/crawl-pages.ts";
import { discoverUrls } from "./phases/discover-urls.ts";
import { finish, recordFailure } from "./phases/finish.ts";
import { StepRunner, SUPERSEDED, SupersededRun } from "./step-runner.ts";

export interface AuditParams {
  auditId: string;
  attempt: number;
}

export class SiteAuditWorkflow extends WorkflowEntrypoint<Env, AuditParams> {
  override async run(event: Readonly<WorkflowEvent<AuditParams>>, step: WorkflowStep): Promise<string> {
    const { auditId, attempt } = event.payload;
    const runner = new StepRunner(this.env, step, auditId, attempt);
    try {
      return await runAudit(runner);
    } catch (error) {
      if (error instanceof SupersededRun) return SUPERSEDED;
      // Only the text of an error crosses a step's border, so that it is classified by its text.
      await runner.run({ name: "record failure", phase: null }, (context) => recordFailure(context, error));
      return "failed";
    }
  }
}

async function runAudit(runner: StepRunner): Promise<string> {
  const discovered = await runner.run({ name: "discover urls", phase: "discovering" }, discoverUrls);
  if (discovered.fatal !== null) {
    await runner.run({ name: "finish", phase: "finishing" }, (context) => finish(context, discovered.fatal));
    return "failed";
  }
  const { maxPages, stepPages, stepTargets } = discovered;
  for (let crawled = discovered.crawled; ;) {
    const upTo = Math.min(crawled + stepPages, maxPages);
    const name = `crawl pages ${crawled + 1}-${upTo}`;
    const result = await runner.run({ name, phase: "crawling" }, crawlPages);
    if (result.done) break;
    crawled = result.crawled;
  }
  for (let checked = 0; ;) {
    const name = `check external links ${checked + 1}-${checked + stepTargets}`;
    const result = await runner.run({ name, phase: "checking_links" }, checkTargets);
    if (result.done) break;
    checked = result.checked;
  }
  await runner.run({ name: "analyze site", phase: "analyzing" }, analyzeSite);
  const ended = await runner.run({ name: "finish", phase: "finishing" }, (context) => finish(context, null));
  return ended.status;
}
