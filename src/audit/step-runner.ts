/**
 * How a step of the audit runs: it opens with the beat that takes the fence, works, closes with a beat, and tells its
 * story as a small JSON. A refused beat ends the whole run quietly: somebody else has ended or taken over the audit.
 */
import type { WorkflowStep } from "cloudflare:workers";
import { type Config, readConfig, STEP_RETRY_DELAY_MS } from "../config.ts";
import type { Env } from "../env.ts";
import { type Database, type DatabaseCost, openDatabase } from "../storage/database.ts";
import { SupersededError } from "../storage/fence.ts";
import type { Phase } from "../storage/schema.ts";
import { openStep, type Pulse, textOf } from "../supervision/heartbeat.ts";
import { loadContext, type StepContext } from "./audit-context.ts";
import { stepTimeoutMs } from "./step-limits.ts";

export const SUPERSEDED = "superseded";

/** Ends run() without a trace: the row belongs to somebody else. */
export class SupersededRun extends Error {
  override name = "SupersededRun";
}

export interface StepSpec {
  name: string;
  /** Null: the phase stays what it is. */
  phase: Phase | null;
}

type StepOutput<T> = { superseded: true } | { superseded: false; result: T; cost?: DatabaseCost };

/** Tries after the first: enough for a passing fault, few enough to end soon when it lasts. */
const RETRIES = 3;

export class StepRunner {
  readonly #env: Env;
  readonly #step: WorkflowStep;
  readonly #auditId: string;
  readonly #attempt: number;
  readonly #config: Config;
  readonly #db: Database;
  #index = 0;
  #phase: Phase = "discovering";

  constructor(env: Env, step: WorkflowStep, auditId: string, attempt: number) {
    this.#env = env;
    this.#step = step;
    this.#auditId = auditId;
    this.#attempt = attempt;
    this.#config = readConfig(env as unknown as Record<string, unknown>);
    this.#db = openDatabase(env.DB);
  }

  async run<T>(spec: StepSpec, work: (context: StepContext) => Promise<T>): Promise<T> {
    this.#index += 1;
    this.#phase = spec.phase ?? this.#phase;
    const stepIndex = this.#index;
    const phase = this.#phase;
    const config = {
      retries: { limit: RETRIES, delay: STEP_RETRY_DELAY_MS, backoff: "constant" as const },
      timeout: stepTimeoutMs(this.#config),
    };
    // What crosses the step's border is JSON; phases return plain data.
    const text = await this.#step.do(
      spec.name,
      config,
      async ({ attempt: stepTry }) =>
        this.#execute({ stepIndex, stepTry, phase }, work) as Promise<Rpc.Serializable<unknown> & object>,
    );
    const output = text as unknown as StepOutput<T>;
    if (output.superseded) throw new SupersededRun(spec.name);
    return output.result;
  }

  async #execute<T>(
    step: { stepIndex: number; stepTry: number; phase: Phase },
    work: (context: StepContext) => Promise<T>,
  ): Promise<StepOutput<T>> {
    const cost: DatabaseCost = { batches: 0, queries: 0, rowsRead: 0, rowsWritten: 0 };
    let pulse: Pulse | null = null;
    try {
      pulse = await openStep(this.#db, this.#config, { auditId: this.#auditId, attempt: this.#attempt, ...step }, cost);
      const result = await work(await loadContext(this.#env, this.#db, this.#config, pulse));
      return this.#env.MEASURE_DB === "1" ? { superseded: false, result, cost } : { superseded: false, result };
    } catch (error) {
      // Returned as data: an error that crosses the step's border loses its class and would be retried.
      if (error instanceof SupersededError) return { superseded: true };
      console.warn(
        `step ${step.stepIndex} (${step.phase}), try ${step.stepTry} of audit ${this.#auditId} failed:`,
        textOf(error),
      );
      throw error;
    } finally {
      pulse?.close();
    }
  }
}
