/** What every audit of a seed does and what befalls it, drawn beforehand: so that all designs meet the same fate. */
import type { Random } from "./random.ts";
import { HOUR, MINUTE, SECOND } from "./weather.ts";

/** How a dead instance looks from outside. */
export type DeathLook = "running" | "waiting" | "errored" | "terminated" | "gone" | "complete" | "unknown";

export type Fault =
  /** The compute dies for good. */
  | { kind: "crash"; atAwait: number; look: DeathLook }
  /** The compute dies and the platform starts it again: steps done stay done. */
  | { kind: "evict"; atAwait: number; back: number }
  /** Nothing of it runs for a while. */
  | { kind: "freeze"; atAwait: number; forMs: number }
  /** A request never comes back and nothing bounds it. */
  | { kind: "hang"; atBatch: number }
  /** A batch throws, so that the step is retried. */
  | { kind: "throw"; atBatch: number; message: string }
  /** One step goes on for longer than its timeout, beating all the while: its callback runs on beside the retry. */
  | { kind: "overlong"; atBatch: number }
  /** Somebody pauses it on the platform, and resumes it. */
  | { kind: "pause"; afterMs: number; forMs: number };

export interface AuditPlan {
  id: string;
  startsAt: number;
  /** Batches of pages in each crawl step. */
  crawlSteps: number[];
  /** Longest request of a batch. Milliseconds. */
  slowest: number;
  /** A wait (Retry-After) before a batch now and then; 0: none. Milliseconds. */
  waits: number;
  queuedFor: number;
  creation: "done" | "refused" | "lost" | "answer_lost" | "caller_dies";
  faults: Fault[];
  /** Somebody looks at it so often, and for how long; null: nobody. */
  polled: { every: number; from: number; to: number } | null;
  /** Somebody resumes it so long after it was failed; null: nobody does. */
  resumedAfter: number | null;
  /** Machine clock of the run. */
  skew: number;
}

const LOOKS: readonly (readonly [number, DeathLook])[] = [
  [5, "running"],
  [1, "waiting"],
  [2, "errored"],
  [1, "terminated"],
  [2, "gone"],
  [1, "complete"],
  [1, "unknown"],
];

function drawFault(random: Random, awaits: number, batches: number): Fault {
  const atAwait = random.int(1, awaits);
  const atBatch = random.int(0, batches - 1);
  return random.weighted<() => Fault>([
    [10, () => ({ kind: "crash", atAwait, look: random.weighted(LOOKS) })],
    [3, () => ({ kind: "evict", atAwait, back: random.int(100, 30_000) })],
    [3, () => ({ kind: "freeze", atAwait, forMs: random.pick([20 * SECOND, 80 * SECOND, 4 * MINUTE]) })],
    [3, () => ({ kind: "freeze", atAwait, forMs: random.int(7 * MINUTE, 20 * MINUTE) })],
    [2, () => ({ kind: "hang", atBatch })],
    [2, () => ({ kind: "throw", atBatch, message: "Durable Object reset because its code was updated." })],
    [1, () => ({ kind: "overlong", atBatch })],
    [
      2,
      () => ({ kind: "pause", afterMs: random.int(SECOND, 8 * MINUTE), forMs: random.pick([3 * MINUTE, 40 * MINUTE]) }),
    ],
  ])();
}

/** `light` audits do few things, so that ten thousand of them fit. */
export function drawAudit(random: Random, id: string, start: number, light: boolean): AuditPlan {
  const crawlSteps = Array.from({ length: light ? random.int(1, 2) : random.int(1, 6) }, () =>
    random.int(1, light ? 3 : 8),
  );
  const batches = crawlSteps.reduce((sum, n) => sum + n, 0);
  const faults: Fault[] = [];
  const troubles = random.weighted([
    [light ? 85 : 45, 0],
    [light ? 15 : 40, 1],
    [light ? 0 : 15, 2],
  ]);
  for (let i = 0; i < troubles; i += 1) faults.push(drawFault(random, 30 + 8 * batches, batches));
  const startsAt = start + random.int(0, light ? 10 * MINUTE : 25 * MINUTE);
  return {
    id,
    startsAt,
    crawlSteps,
    slowest: random.pick([500, 5 * SECOND, 20 * SECOND, light ? 30 * SECOND : 100 * SECOND]),
    waits: random.chance(light ? 0.5 : 0.15) ? random.int(SECOND, 10 * MINUTE) : 0,
    queuedFor: random.chance(0.06) ? random.pick([2 * MINUTE, 12 * MINUTE, 50 * MINUTE]) : random.int(50, 2_000),
    creation: random.weighted([
      [92, "done"],
      [1, "refused"],
      [3, "lost"],
      [2, "answer_lost"],
      [2, "caller_dies"],
    ]),
    faults,
    polled: random.chance(light ? 0.002 : 0.25) ? drawPolls(random, startsAt) : null,
    resumedAfter: random.chance(0.35) ? random.pick([SECOND, 20 * SECOND, 3 * MINUTE]) : null,
    skew: random.int(-120 * SECOND, 120 * SECOND),
  };
}

function drawPolls(random: Random, startsAt: number): AuditPlan["polled"] {
  const from = startsAt + random.pick([0, 0, 5 * MINUTE]);
  return {
    every: random.pick([5 * SECOND, 10 * SECOND, 30 * SECOND]),
    from,
    to: from + random.pick([10 * MINUTE, 40 * MINUTE, 2 * HOUR]),
  };
}
