/**
 * Virtual time. Everything that belongs to the simulation runs in a context (a Workflow instance, a sweep, a poll), and
 * every await of it ends in a timer of that context. So a context can be crashed, frozen or slowed at any await, and
 * the product's own code, which knows nothing of this, is what runs.
 *
 * Outside of a context the patched globals do what they always did.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { Random } from "./random.ts";

export interface Context {
  readonly name: string;
  /** Dead contexts never run again: their timers and answers vanish. */
  dead: boolean;
  /** Until then nothing of this context runs; virtual time. Set by `freeze` only. */
  frozenUntil: number;
  /** What would have run meanwhile. */
  parked: Event[];
  /** How wrong this machine's own clock is. Milliseconds. */
  readonly skew: number;
  /** Called at every await of the context, with their number from 1: faults strike here. */
  onAwait?: (count: number) => void;
  awaits: number;
}

interface Event {
  at: number;
  order: number;
  context: Context;
  run: () => void;
  canceled: boolean;
}

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  dateNow: Date.now,
  log: console.log,
  warn: console.warn,
  error: console.error,
  randomUUID: () => randomUUID(),
};

const contexts = new AsyncLocalStorage<{ world: World; context: Context }>();

export class World {
  /** Virtual milliseconds since the epoch. */
  now: number;
  /** How far the database's clock is off. */
  clockOffset = 0;
  /** What went wrong outside of anything that expects it. */
  readonly crashes: unknown[] = [];
  readonly outside: Context = this.context("outside");
  readonly #heap = new Heap();
  readonly #ids: Random;
  #order = 0;
  #events = 0;

  constructor(start: number, seed: number) {
    this.now = start;
    this.#ids = new Random(seed, "ids");
  }

  get events(): number {
    return this.#events;
  }

  get databaseNow(): number {
    return this.now + this.clockOffset;
  }

  context(name: string, skew = 0): Context {
    return { name, dead: false, frozenUntil: 0, parked: [], skew, awaits: 0 };
  }

  /** Calls `run` in `context` after `delay` virtual milliseconds, unless the context dies before. */
  after(delay: number, run: () => void, context: Context = this.outside): Event {
    const event = { at: this.now + Math.max(0, delay), order: this.#order++, context, run, canceled: false };
    this.#heap.push(event);
    return event;
  }

  /** Starts work in a context. What it throws and nobody expects is kept in `crashes`. */
  spawn(context: Context, work: () => Promise<void>, delay = 0): void {
    this.after(
      delay,
      () => {
        work().catch((error: unknown) => this.crashes.push(error));
      },
      context,
    );
  }

  /** Nothing of the context runs until `until`, or until it is thawed. */
  freeze(context: Context, until: number): void {
    if (until <= context.frozenUntil) return;
    context.frozenUntil = until;
    this.after(until - this.now, () => {
      if (context.frozenUntil <= this.now) this.thaw(context);
    });
  }

  thaw(context: Context): void {
    context.frozenUntil = this.now;
    for (const event of context.parked.splice(0)) {
      event.at = this.now;
      this.#heap.push(event);
    }
  }

  /** The context that is running now. */
  current(): Context {
    return contexts.getStore()?.context ?? this.outside;
  }

  /** One await of the running context that ends after `delay`; never, if the context dies before. */
  wait(delay: number): Promise<void> {
    const context = this.current();
    return new Promise((resolve) => {
      this.after(delay, resolve, context);
    });
  }

  /** Lets virtual time pass until `end`, or until `finished` says so. */
  async run(end: number, finished: () => boolean): Promise<void> {
    const restore = patchGlobals();
    try {
      for (;;) {
        const event = this.#heap.pop();
        if (event === undefined) return;
        if (event.at > end) {
          this.now = end;
          return;
        }
        if (event.canceled || event.context.dead) continue;
        this.now = Math.max(this.now, event.at);
        if (event.context.frozenUntil > this.now) {
          event.context.parked.push(event);
          continue;
        }
        this.#fire(event);
        // All that can go on without time passing goes on now.
        await new Promise<void>((resolve) => {
          real.setImmediate(resolve);
        });
        if (finished()) return;
      }
    } finally {
      restore();
    }
  }

  #fire(event: Event): void {
    const { context } = event;
    this.#events += 1;
    context.awaits += 1;
    context.onAwait?.(context.awaits);
    if (context.dead) return;
    if (context.frozenUntil > this.now) {
      context.parked.push(event);
      return;
    }
    contexts.run({ world: this, context }, event.run);
  }

  uuid(): `${string}-${string}-${string}-${string}-${string}` {
    const hex = () => this.#ids.int(0, 0xffffffff).toString(16).padStart(8, "0");
    return `${hex()}-${hex().slice(0, 4)}-4${hex().slice(0, 3)}-a${hex().slice(0, 3)}-${hex()}${hex().slice(0, 4)}`;
  }
}

/** Timers, clocks, random ids and logs of code that runs in a context are the world's. */
function patchGlobals(): () => void {
  const timer = (repeat: boolean, fallback: typeof setTimeout | typeof setInterval) =>
    ((run: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) => {
      const here = contexts.getStore();
      if (here === undefined) return fallback(run, delay, ...args);
      const { world, context } = here;
      const handle: { event?: Event } = {};
      const arm = () => {
        handle.event = world.after(
          repeat ? Math.max(1, delay) : delay,
          () => {
            if (repeat) arm();
            run(...args);
          },
          context,
        );
      };
      arm();
      return handle;
    }) as unknown as typeof setTimeout;
  const clear = (fallback: typeof clearTimeout) =>
    ((handle: unknown) => {
      if (typeof handle === "object" && handle !== null && "event" in handle) {
        const { event } = handle as { event?: Event };
        if (event !== undefined) event.canceled = true;
      } else fallback(handle as NodeJS.Timeout);
    }) as typeof clearTimeout;
  globalThis.setTimeout = timer(false, real.setTimeout);
  globalThis.setInterval = timer(true, real.setInterval);
  globalThis.clearTimeout = clear(real.clearTimeout);
  globalThis.clearInterval = clear(real.clearInterval);
  const log =
    (fallback: typeof console.log): typeof console.log =>
    (...words) => {
      if (contexts.getStore() === undefined) fallback(...words);
    };
  console.log = log(real.log);
  console.warn = log(real.warn);
  console.error = log(real.error);
  Date.now = () => {
    const here = contexts.getStore();
    return here === undefined ? real.dateNow() : here.world.now + here.context.skew;
  };
  crypto.randomUUID = () => contexts.getStore()?.world.uuid() ?? real.randomUUID();
  return () => {
    globalThis.setTimeout = real.setTimeout;
    globalThis.setInterval = real.setInterval;
    globalThis.clearTimeout = real.clearTimeout;
    globalThis.clearInterval = real.clearInterval;
    Date.now = real.dateNow;
    console.log = real.log;
    console.warn = real.warn;
    console.error = real.error;
    crypto.randomUUID = real.randomUUID;
  };
}

/** A binary heap by time, then by order of arrival. */
class Heap {
  readonly #items: Event[] = [];

  push(event: Event): void {
    const items = this.#items;
    let i = items.push(event) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!before(event, items[parent])) break;
      items[i] = items[parent] as Event;
      i = parent;
    }
    items[i] = event;
  }

  pop(): Event | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && before(items[child + 1], items[child])) child += 1;
      if (!before(items[child], last)) break;
      items[i] = items[child] as Event;
      i = child;
    }
    items[i] = last;
    return top;
  }
}

const before = (a: Event | undefined, b: Event | undefined): boolean =>
  a !== undefined && b !== undefined && (a.at < b.at || (a.at === b.at && a.order < b.order));
