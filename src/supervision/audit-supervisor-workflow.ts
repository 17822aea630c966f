/**
 * The supervisor: started by cron, one instance a slot, it fails the dead and leaves everybody else alone. Its steps and
 * what they return are its history, for people to read in the dashboard, with wrangler, and in the local explorer.
 */
import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { reconcileStaleAudits, type Stages } from "./run-sweep.ts";
import { openWatch } from "./supervision.ts";
import type { SweepOptions } from "./sweep.ts";
import type { SweepReport } from "./sweep-report.ts";

export type SupervisorParams = SweepOptions;

/**
 * A stage that fails is tried again soon: the next run is only an interval away. The timeout exceeds what a stage takes
 * when every status call, create(), terminate() and the collector hang, each within its own limit.
 */
const STEP = { retries: { limit: 2, delay: 5_000, backoff: "constant" as const }, timeout: 8 * 60_000 };

export class AuditSupervisorWorkflow extends WorkflowEntrypoint<Env, SupervisorParams> {
  override async run(event: Readonly<WorkflowEvent<SupervisorParams>>, step: WorkflowStep): Promise<SweepReport> {
    const stages: Stages = {
      run: async (name, work) =>
        (await step.do(name, STEP, work as () => Promise<Rpc.Serializable<unknown> & object>)) as never,
      pause: (name, ms) => step.sleep(name, ms),
    };
    return reconcileStaleAudits(this.env, openWatch(this.env), event.payload, stages);
  }
}
