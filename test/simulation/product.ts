/**
 * The product as the simulation drives it: its own service, cron handler, sweep and repositories. Only the two Workflows
 * are stand-ins, since their base class exists in workerd alone: the supervisor's is eight lines, repeated here.
 */
import { type Caller, AuditService } from "../../src/audit/audit-service.ts";
import type { Env } from "../../src/env.ts";
import { AuditRepository } from "../../src/storage/audit-repository.ts";
import { reconcileStaleAudits, type Stages } from "../../src/supervision/run-sweep.ts";
import { onCron } from "../../src/supervision/schedule.ts";
import { openWatch } from "../../src/supervision/supervision.ts";
import type { SweepOptions } from "../../src/supervision/sweep.ts";
import type { AuditPlan } from "./plan.ts";

const CALLER: Caller = { userId: "u", organizationId: "o", projectId: "p" };

/** As audit-supervisor-workflow.ts has it. */
const RETRIES = 2;
const RETRY_DELAY_MS = 5_000;

export class Product {
  /** Steps that supervisors have taken, sleeps included, as the platform bills them. */
  steps = 0;
  readonly #env: Env;
  readonly #supervisors = new Set<string>();
  readonly #spawn: (name: string, work: () => Promise<void>) => void;

  /** `spawn` runs an instance of the supervisor in a context of its own. */
  constructor(env: Env, spawn: (name: string, work: () => Promise<void>) => void) {
    this.#env = env;
    this.#spawn = spawn;
    env.AUDIT_SUPERVISOR = {
      create: async ({ id, params }: { id: string; params: SweepOptions }) => {
        await new Promise((resolve) => setTimeout(resolve, 60));
        if (this.#supervisors.has(id))
          throw new Error(`(instance.already_exists) Workflow instance with id "${id}" already exists`);
        this.#supervisors.add(id);
        this.#spawn(id, () => this.#supervise(params));
      },
    } as unknown as Env["AUDIT_SUPERVISOR"];
  }

  /** The row; the instance is made by the plan, as its fate wants. */
  async insert(plan: AuditPlan): Promise<void> {
    const audits = new AuditRepository(openWatch(this.#env).db, true);
    const { organizationId, projectId, userId } = CALLER;
    const row = { id: plan.id, organizationId, projectId, startedBy: userId, url: "https://a.example/", options: "{}" };
    await audits.insertIfCapacity({ ...row, maxPages: 500, idempotency: null }, 1_000_000);
  }

  /** What the service does when the platform certainly refused. */
  async refused(plan: AuditPlan): Promise<void> {
    await openWatch(this.#env).audits.failAudit({
      auditId: plan.id,
      attempt: 1,
      by: "workflow",
      code: "start_failed",
      detail: "refused",
      evidence: null,
      verdictId: crypto.randomUUID(),
      seq: 0,
      stepRun: null,
      detected: false,
      terminateAfterMs: 0,
    });
  }

  async poll(id: string): Promise<void> {
    await new AuditService(openWatch(this.#env)).getStatus(id);
  }

  async resume(id: string): Promise<void> {
    await new AuditService(openWatch(this.#env)).resume(id, CALLER);
  }

  async cron(slotAt: number): Promise<void> {
    await onCron(this.#env, slotAt);
  }

  async #supervise(options: SweepOptions): Promise<void> {
    const stages: Stages = {
      run: async (_name, work) => {
        this.steps += 1;
        for (let retry = 0; ; retry += 1) {
          try {
            // A step's result crosses a border as JSON.
            return JSON.parse(JSON.stringify((await work()) ?? null)) as never;
          } catch (error) {
            if (retry === RETRIES) throw error;
            await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
          }
        }
      },
      pause: async (_name, ms) => {
        this.steps += 1;
        await new Promise((resolve) => setTimeout(resolve, ms));
      },
    };
    await reconcileStaleAudits(this.#env, openWatch(this.#env), options, stages);
  }
}
