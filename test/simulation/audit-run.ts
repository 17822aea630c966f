/**
 * What an audit does in the simulation: the product's own step runner, heartbeat, fence and gate; only the pages come out
 * of nowhere. Every page row carries the execution that wrote it, so that a write beside the fence shows.
 */
import { sql } from "drizzle-orm";
import { finish, recordFailure } from "../../src/audit/phases/finish.ts";
import { StepRunner, SUPERSEDED, SupersededRun } from "../../src/audit/step-runner.ts";
import type { StepContext } from "../../src/audit/audit-context.ts";
import type { Env } from "../../src/env.ts";
import { fenceHolds } from "../../src/storage/fence.ts";
import type { Instance } from "./platform.ts";
import type { Random } from "./random.ts";
import type { Step } from "./steps.ts";
import type { World } from "./world.ts";

export interface RunTools {
  world: World;
  env: Env;
  random: Random;
}

export async function runAudit(tools: RunTools, instance: Instance, step: Step): Promise<string> {
  const { auditId, attempt } = instance.params;
  const runner = new StepRunner(tools.env, step as never, auditId, attempt);
  try {
    let batch = 0;
    await runner.run({ name: "discover urls", phase: "discovering" }, (context) =>
      savePage(tools, instance, context, 0),
    );
    for (const [index, batches] of instance.plan.crawlSteps.entries()) {
      const first = batch;
      await runner.run({ name: `crawl pages ${index + 1}`, phase: "crawling" }, async (context) => {
        for (let i = 0; i < batches; i += 1) await crawlBatch(tools, instance, context, first + i);
      });
      batch += batches;
    }
    await runner.run({ name: "analyze site", phase: "analyzing" }, async ({ pulse }) => {
      await tools.world.wait(tools.random.int(50, 3_000));
      await pulse.beat();
    });
    return (await runner.run({ name: "finish", phase: "finishing" }, (context) => finish(context, null))).status;
  } catch (error) {
    if (error instanceof SupersededRun) return SUPERSEDED;
    await runner.run({ name: "record failure", phase: null }, (context) => recordFailure(context, error));
    return "failed";
  }
}

async function crawlBatch(tools: RunTools, instance: Instance, context: StepContext, batch: number): Promise<void> {
  const { world, random } = tools;
  const { pulse } = context;
  const { plan, faults } = instance;
  const index = faults.findIndex((fault) => "atBatch" in fault && fault.atBatch === batch);
  const [fault] = index >= 0 ? faults.splice(index, 1) : [];
  if (fault?.kind === "throw") throw new Error(fault.message);
  if (fault?.kind === "hang") {
    instance.dead = { at: world.now, how: "hang, running" };
    await new Promise(() => {});
  }
  if (fault?.kind === "overlong") {
    // Beats on past the step's timeout: its retry takes the fence, and from then on every write of this one is refused.
    for (let i = 0; i < 80; i += 1) {
      await pulse.during(30_000, () => world.wait(14_000));
      await savePage(tools, instance, context, batch);
    }
  }
  if (plan.waits > 0 && batch % 4 === 1) await pulse.wait(plan.waits);
  const limit = plan.slowest + 1_000;
  await pulse.during(limit, () => world.wait(random.int(50, plan.slowest)));
  await savePage(tools, instance, context, batch + 1);
}

async function savePage(_: RunTools, instance: Instance, { pulse }: StepContext, page: number): Promise<void> {
  const { auditId, stepRun } = pulse.fence;
  const id = page + 1;
  await pulse.save(
    [
      sql`insert or ignore into audit_urls (audit_id, id, url, key, queue, depth, state, source)
        select ${auditId}, ${id}, ${`https://a.example/${id}`}, ${String(id)}, 0, 0, 1, 1 where ${fenceHolds(pulse.fence)}`,
      sql`insert or replace into audit_pages (audit_id, url_id, fetched_at, status, final_status, indexability, title_key, word_count, extras)
        select ${auditId}, ${id}, 0, 200, 200, 'indexable', '', 1, ${stepRun} where ${fenceHolds(pulse.fence)}`,
    ],
    { pagesCrawled: id, pagesTotal: instance.plan.crawlSteps.reduce((sum, n) => sum + n, 1) },
  );
}
