/** Who starts audits, who looks at them, and the cron: everything that calls the product from outside. */
import type { Config } from "../../src/config.ts";
import type { Env } from "../../src/env.ts";
import { instanceIdOf } from "../../src/storage/audit-repository.ts";
import type { AuditPlan } from "./plan.ts";
import type { Platform } from "./platform.ts";
import { Product } from "./product.ts";
import type { Random } from "./random.ts";
import type { SimulatedD1 } from "./sqlite-d1.ts";
import type { Truth } from "./truth.ts";
import { MINUTE, SECOND, type Slot, type Weather, within } from "./weather.ts";
import type { Context, World } from "./world.ts";

export interface Scene {
  world: World;
  env: Env;
  config: Config;
  platform: Platform;
  d1: SimulatedD1;
  weather: Weather;
  plans: AuditPlan[];
  truth: Truth;
  luck: Random;
}

export class Observers {
  readonly #scene: Scene;
  readonly #product: Product;
  readonly #awake = new Set<Context>();
  readonly #resumed = new Set<string>();
  #started = 0;
  #diesAt: number | null = null;
  #overSince: number | null = null;
  #checkedAt = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#product = new Product(scene.env, (name, work) => this.#inContext(name, work, this.#diesAt));
  }

  get steps(): number {
    return this.#product.steps;
  }

  schedule(): void {
    const { world, weather, plans, truth } = this.#scene;
    for (const plan of plans) {
      world.after(plan.startsAt - weather.start, () => this.#start(plan));
      if (plan.polled !== null) this.#poll(plan, plan.polled, plan.polled.from + 1_000);
    }
    truth.onFailed = (id) => {
      const after = plans.find((plan) => plan.id === id)?.resumedAfter ?? null;
      if (after !== null && !this.#resumed.has(id)) this.#resume(id, after);
    };
    for (const slot of weather.slots) {
      if (slot.delivery === "missing" || within(weather.asleep, slot.at) || within(weather.machineSleeps, slot.at))
        continue;
      world.after(slot.at - weather.start, () => this.#sweep(slot));
      if (slot.delivery === "twice") world.after(slot.at - weather.start + 40, () => this.#sweep(slot));
    }
  }

  /** The machine of every observer stands still until `to`. */
  freeze(to: number): void {
    for (const context of this.#awake) this.#scene.world.freeze(context, to);
  }

  #inContext(name: string, work: () => Promise<void>, diesAtAwait: number | null = null): void {
    const { world, truth, luck } = this.#scene;
    const context = world.context(name);
    // An observer may stand still between what it saw and what it does.
    const slowAtAwait = luck.chance(0.04) ? luck.int(1, 15) : null;
    context.onAwait = (count) => {
      if (diesAtAwait !== null && count >= diesAtAwait) context.dead = true;
      if (count === slowAtAwait) {
        world.freeze(context, world.now + luck.int(2 * SECOND, 90 * SECOND));
        if (name.startsWith("sup") || name.startsWith("sweep")) truth.slowSweeps.push(world.now);
      }
    };
    this.#awake.add(context);
    world.spawn(context, async () => {
      try {
        await work();
      } catch (error) {
        // Databases stall and platforms fail; an observer that cannot look says so and looks again later.
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
        const text = `${error instanceof Error ? error.message : String(error)} ${cause}`;
        if (!/D1_ERROR|internal error; reference|did not answer|instance\.|within \d+ ms|not within/.test(text)) {
          truth.broken(8, name, `threw ${text}`);
        }
      } finally {
        this.#awake.delete(context);
      }
    });
  }

  #start(plan: AuditPlan): void {
    const { world, weather } = this.#scene;
    const at = [...weather.machineSleeps].find(({ from, to }) => world.now >= from && world.now < to)?.to;
    if (at !== undefined) {
      world.after(at - world.now, () => this.#start(plan));
      return;
    }
    this.#started += 1;
    this.#inContext(`start ${plan.id}`, async () => {
      await this.#product.insert(plan);
      await this.#create(plan);
    });
  }

  /** The request that makes the instance, with all that can become of it. */
  async #create(plan: AuditPlan): Promise<void> {
    const { platform } = this.#scene;
    const id = `audit-${plan.id}-1`;
    const params = { auditId: plan.id, attempt: 1 };
    switch (plan.creation) {
      case "caller_dies":
      case "lost":
        return;
      case "refused":
        await this.#product.refused(plan);
        return;
      case "answer_lost":
      case "done":
        // The supervisor may have been quicker, when this one stood still: then the platform says that it exists.
        if (!platform.instances.has(id)) platform.create(id, params, plan);
    }
  }

  #poll(plan: AuditPlan, polled: NonNullable<AuditPlan["polled"]>, at: number): void {
    const { world, weather } = this.#scene;
    if (at > polled.to) return;
    world.after(at - world.now, () => {
      const blind = within(weather.asleep, world.now) || within(weather.machineSleeps, world.now);
      if (!blind) this.#inContext(`poll ${plan.id}`, () => this.#product.poll(plan.id));
      if (this.#isRunning(plan.id) || world.now < plan.startsAt + MINUTE) this.#poll(plan, polled, at + polled.every);
    });
  }

  #resume(id: string, after: number): void {
    this.#resumed.add(id);
    this.#scene.world.after(after, () => this.#inContext(`resume ${id}`, () => this.#product.resume(id)));
  }

  #sweep(slot: Slot): void {
    this.#inContext(
      `sweep ${slot.at}`,
      async () => {
        // The fate of a slot is that of its supervisor, wherever it runs.
        this.#diesAt = slot.diesAtAwait;
        await this.#product.cron(slot.at);
      },
      slot.diesAtAwait,
    );
  }

  #isRunning(id: string): boolean {
    const row = this.#scene.d1.sqlite.prepare("select status from audits where id = ?").get(id) as
      { status: string } | undefined;
    return row?.status === "running";
  }

  /** Nothing runs any more, and the supervisor has had time to clear up. */
  allIsOver(): boolean {
    const { world, plans, d1 } = this.#scene;
    if (this.#started < plans.length || world.now - this.#checkedAt < 20 * SECOND) return false;
    this.#checkedAt = world.now;
    const { running } = d1.sqlite.prepare("select count(*) as running from audits where status = 'running'").get() as {
      running: number;
    };
    if (running > 0) this.#overSince = null;
    else this.#overSince ??= world.now;
    return this.#overSince !== null && world.now - this.#overSince > 15 * MINUTE;
  }

  /** Audits that still say running although nothing runs. */
  undetected(): number {
    const { platform, d1 } = this.#scene;
    const rows = d1.sqlite.prepare("select id, attempt from audits where status = 'running'").all() as {
      id: string;
      attempt: number;
    }[];
    return rows.filter(({ id, attempt }) => {
      const instance = platform.instances.get(instanceIdOf(id, attempt));
      return instance === undefined || instance.dead !== null;
    }).length;
  }
}
