/**
 * The rule as the design's table says it, written a second time and in another way: for every answer of the platform the
 * lines of the table from top to bottom, of which the first that applies counts. No code is shared with the rule.
 */
const S = 1_000;
const MIN = 60 * S;
const HOUR = 60 * MIN;

/** What a line of the table may ask about. All in milliseconds. */
export interface Facts {
  overdue: number;
  age: number;
  chain: number;
  beaten: boolean;
  /** How long the last beat promised to be silent at most. */
  promise: number;
  /** How long ago a look found it queued at this heartbeat; null: none did. */
  queuedAgo: number | null;
  /** How long ago a look found it held at this heartbeat; null: none did. */
  heldAgo: number | null;
}

export type Line = readonly [verdict: string, applies: (facts: Facts) => boolean];

const always = () => true;
const foundQueuedOrHeld = (f: Facts) => f.queuedAgo !== null || f.heldAgo !== null;

const claimsToRun: Line[] = [
  ["dead heartbeat_lost", (f) => f.overdue >= 5 * MIN && f.chain >= MIN && f.chain >= f.promise],
  ["suspect", always],
];
const held: Line[] = [["held", always]];
const cannotBeKnown: Line[] = [
  ["unknown", (f) => f.overdue < HOUR || f.chain < MIN || f.chain < f.promise],
  ["unknown", (f) => foundQueuedOrHeld(f) && f.chain < 5 * MIN],
  ["unknown", (f) => Math.min(f.queuedAgo ?? Infinity, f.heldAgo ?? Infinity) < HOUR],
  ["dead heartbeat_lost", always],
];

export const TABLE: Readonly<Record<string, Line[]>> = {
  errored: [["dead unknown", always]],
  terminated: [["dead workflow_terminated", always]],
  complete: [["dead completion_lost", always]],
  not_found: [
    ["dead instance_lost", (f) => f.beaten && !foundQueuedOrHeld(f) && f.chain >= 20 * S],
    ["dead instance_lost", (f) => f.beaten && f.chain >= 5 * MIN],
    ["suspect", (f) => f.beaten],
    ["suspect", (f) => f.age < MIN],
    ["recreate", (f) => f.age <= 10 * MIN],
    ["dead instance_lost", (f) => !foundQueuedOrHeld(f) && f.chain >= 20 * S],
    ["dead instance_lost", (f) => f.chain >= 5 * MIN],
    ["suspect", always],
  ],
  running: claimsToRun,
  waiting: claimsToRun,
  queued: [
    ["queued", (f) => f.overdue < 24 * HOUR],
    ["queued", (f) => f.heldAgo !== null && f.heldAgo < 24 * HOUR],
    ["dead start_failed", always],
  ],
  paused: held,
  waitingForPause: held,
  rollingBack: held,
  unknown: cannotBeKnown,
  unreachable: cannotBeKnown,
};

/** Numbers on both sides of every limit, and exactly on it. */
const around = (...limits: number[]): number[] => limits.flatMap((limit) => [limit - 1, limit, limit + 1]);

export const OVERDUE = around(0, 20 * S, MIN, 5 * MIN, 10 * MIN, HOUR, 24 * HOUR);
export const CHAIN = [0, ...around(20 * S, MIN, 5 * MIN)];
export const AGE = around(MIN, 10 * MIN);
export const PROMISE = [30 * S, ...around(MIN, 5 * MIN)].filter((ms) => ms <= 5 * MIN);
export const AGO = [null, ...around(HOUR, 24 * HOUR), 2 * MIN];
