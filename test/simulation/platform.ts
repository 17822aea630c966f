/**
 * A stand-in for Cloudflare Workflows: instances with the platform's statuses, steps with retries, timeouts and replay, a
 * control plane that fails as the weather says. The binding looks like the real one.
 */
import type { AuditParams } from "../../src/audit/site-audit-workflow.ts";
import type { AuditPlan, Fault } from "./plan.ts";
import type { Random } from "./random.ts";
import { type Step, stepOf } from "./steps.ts";
import { MINUTE, type Outage } from "./weather.ts";
import type { Context, World } from "./world.ts";

export type Status =
  "queued" | "running" | "paused" | "waiting" | "errored" | "terminated" | "complete" | "waitingForPause" | "unknown";

/** The true story of an instance, which nobody in the simulation may read. */
export interface Instance {
  id: string;
  params: AuditParams;
  plan: AuditPlan;
  createdAt: number;
  status: Status;
  error: { name: string; message: string } | null;
  /** Gone: the platform does not know it any more. */
  gone: boolean;
  /** Every status it had, since when. For the model of the usual design. */
  history: { at: number; status: Status | "gone" }[];
  context: Context;
  /** When its compute died for good, and how; null: it lives, or ended as it should. */
  dead: { at: number; how: string } | null;
  /** Times when nothing of it ran. */
  freezes: { from: number; to: number }[];
  endedWell: boolean;
  /** Outputs of the steps that are done; they survive an eviction. */
  done: Map<string, unknown>;
  tries: Map<string, number>;
  /** What is left to befall it. */
  faults: Fault[];
  pausedUntil: Promise<void> | null;
}

/** A pause that is followed by no denial for so long has been seen by a look. */
const PAUSE_IS_SEEN_MS = 10 * MINUTE;

const ERRORS = [
  { name: "Error", message: "Worker exceeded memory limit." },
  { name: "WorkflowInternalError", message: "Attempt failed due to internal workflows error" },
] as const;

export class Platform {
  statusCalls = 0;
  readonly instances = new Map<string, Instance>();
  readonly #world: World;
  readonly #random: Random;
  readonly #outages: readonly Outage[];
  readonly #runAudit: (instance: Instance, step: Step) => Promise<string>;

  constructor(
    world: World,
    random: Random,
    outages: readonly Outage[],
    runAudit: (instance: Instance, step: Step) => Promise<string>,
  ) {
    this.#world = world;
    this.#random = random;
    this.#outages = outages;
    this.#runAudit = runAudit;
  }

  /** The binding, as a Worker sees it. */
  binding(planOf: (params: AuditParams) => AuditPlan): unknown {
    return {
      create: async ({ id, params }: { id: string; params: AuditParams }) => {
        await this.#controlPlane(false);
        if (this.instances.has(id))
          throw new Error(`(instance.already_exists) Workflow instance with id "${id}" already exists`);
        this.create(id, params, planOf(params));
        return this.#handle(id);
      },
      get: async (id: string) => {
        await this.#world.wait(this.#random.int(1, 20));
        return this.#handle(id);
      },
    };
  }

  create(id: string, params: AuditParams, plan: AuditPlan): void {
    const context = this.#world.context(id, plan.skew);
    const instance: Instance = {
      id,
      params,
      plan,
      createdAt: this.#world.now,
      status: "queued",
      error: null,
      gone: false,
      history: [],
      context,
      dead: null,
      freezes: [],
      endedWell: false,
      done: new Map(),
      tries: new Map(),
      // A resumed attempt has had its share.
      faults: params.attempt === 1 ? [...plan.faults] : [],
      pausedUntil: null,
    };
    this.instances.set(id, instance);
    this.set(instance, "queued");
    this.#world.after(plan.queuedFor, () => {
      if (instance.status === "queued") this.#start(instance);
    });
    for (const fault of instance.faults) {
      if (fault.kind === "pause")
        this.#world.after(plan.queuedFor + fault.afterMs, () => this.#pause(instance, fault.forMs));
    }
  }

  set(instance: Instance, status: Status): void {
    instance.status = status;
    instance.history.push({ at: this.#world.now, status });
  }

  /** The compute dies for good, and looks like `look` from outside. */
  kill(instance: Instance, look: Status | "gone", how: string): void {
    instance.context.dead = true;
    instance.dead = { at: this.#world.now, how };
    if (look === "gone") {
      instance.gone = true;
      instance.history.push({ at: this.#world.now, status: "gone" });
      return;
    }
    if (look === "errored") instance.error = this.#random.pick(ERRORS);
    this.set(instance, look);
  }

  #start(instance: Instance): void {
    const world = this.#world;
    this.set(instance, "running");
    const before = instance.context.awaits;
    const context = world.context(instance.id, instance.plan.skew);
    context.awaits = before;
    instance.context = context;
    context.onAwait = (count) => this.#strike(instance, count);
    world.spawn(context, async () => {
      try {
        await this.#runAudit(
          instance,
          stepOf(world, instance, () => this.#becomePaused(instance)),
        );
        instance.endedWell = true;
        if (!instance.gone && instance.status !== "terminated") this.set(instance, "complete");
      } catch (error) {
        instance.dead ??= { at: world.now, how: "threw" };
        instance.error = { name: "Error", message: error instanceof Error ? error.message : String(error) };
        this.set(instance, "errored");
      }
    });
  }

  #strike(instance: Instance, count: number): void {
    const { faults, context } = instance;
    const index = faults.findIndex((fault) => "atAwait" in fault && fault.atAwait <= count);
    const fault = faults[index];
    if (fault === undefined || !("atAwait" in fault)) return;
    faults.splice(index, 1);
    if (fault.kind === "freeze" && fault.forMs > MINUTE && this.#deniedWithin(fault.forMs)) return;
    if (fault.kind === "crash") this.kill(instance, fault.look, `crash, ${fault.look}`);
    else if (fault.kind === "freeze") {
      this.#world.freeze(context, this.#world.now + fault.forMs);
      instance.freezes.push({ from: this.#world.now, to: context.frozenUntil });
    } else {
      context.dead = true;
      instance.freezes.push({ from: this.#world.now, to: this.#world.now + fault.back });
      this.#world.after(fault.back, () => {
        void this.#startAgain(instance);
      });
    }
  }

  async #startAgain(instance: Instance): Promise<void> {
    if (instance.pausedUntil !== null) await instance.pausedUntil;
    if (instance.status === "running" && instance.dead === null) this.#start(instance);
  }

  #pause(instance: Instance, forMs: number): void {
    if (this.#deniedWithin(PAUSE_IS_SEEN_MS)) return;
    // Whoever pauses what is dead already makes it "held", for as long as they like; that is no fate to judge by.
    if (instance.dead !== null || (instance.status !== "running" && instance.status !== "queued")) return;
    const wasQueued = instance.status === "queued";
    this.set(instance, wasQueued ? "paused" : "waitingForPause");
    instance.pausedUntil = new Promise((resolve) => {
      this.#world.after(forMs, () => {
        instance.pausedUntil = null;
        if (instance.status === "paused" || instance.status === "waitingForPause") {
          if (wasQueued) this.#start(instance);
          else this.set(instance, "running");
        }
        resolve();
      });
    });
  }

  #becomePaused(instance: Instance): boolean {
    if (instance.pausedUntil === null || this.#deniedWithin(PAUSE_IS_SEEN_MS)) return false;
    this.set(instance, "paused");
    return true;
  }

  /**
   * Whether the platform will deny its instances within that time. A run that is silent while the platform denies it is
   * dead by the rule after 20 seconds, and nothing could tell otherwise: so no run is made to stand still just then. One
   * that was seen paused or queued before, and runs that are silent because of the database, stay in the game.
   */
  #deniedWithin(ms: number): boolean {
    const { now } = this.#world;
    return this.#outages.some(
      ({ kind, from, to }) => (kind === "not_found" || kind === "flaky") && from <= now + ms && to >= now,
    );
  }

  #handle(id: string): unknown {
    const find = (): Instance => {
      const instance = this.instances.get(id);
      if (instance === undefined || instance.gone) throw new Error("(instance.not_found) Provided id does not exist");
      return instance;
    };
    return {
      id,
      status: async () => {
        this.statusCalls += 1;
        await this.#controlPlane(true);
        const instance = find();
        const { status, error } = instance;
        this.#wakeMeanly(instance);
        return error === null ? { status } : { status, error };
      },
      terminate: async () => {
        await this.#controlPlane(false);
        const instance = find();
        if (["errored", "terminated", "complete"].includes(instance.status)) {
          throw new Error("(instance.cannot_terminate) Cannot terminate instance since its on a finite state");
        }
        instance.context.dead = true;
        this.set(instance, "terminated");
      },
    };
  }

  /** The meanest moment to come to life again: silent for long enough, and somebody has just asked and is about to judge. */
  #wakeMeanly({ context, freezes }: Instance): void {
    const { now } = this.#world;
    const freeze = freezes.at(-1);
    if (
      freeze === undefined ||
      context.frozenUntil <= now ||
      now - freeze.from < 6 * MINUTE ||
      this.#random.chance(0.4)
    )
      return;
    freeze.to = now;
    this.#world.thaw(context);
  }

  async #controlPlane(isStatus: boolean): Promise<void> {
    await this.#world.wait(this.#random.int(20, 300));
    const outage = this.#outages.find(({ from, to }) => this.#world.now >= from && this.#world.now < to);
    if (outage === undefined) return;
    const kind =
      outage.kind === "flaky"
        ? this.#random.pick(["throws", "hangs", "not_found", "fine", "fine"] as const)
        : outage.kind;
    if (kind === "fine") return;
    if (kind === "hangs") await this.#world.wait(90_000);
    if (kind === "not_found" && isStatus) throw new Error("(instance.not_found) Provided id does not exist");
    throw new Error("internal error; reference = 0a1b2c3d");
  }
}
