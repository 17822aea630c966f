/**
 * How a run says that it is alive. Everything that the audit knows of supervision is here: a step opens with a beat that
 * takes the fence, saves its work together with beats, and beats while it waits.
 *
 * Promises (docs/how-it-works.md): a working step beats at least every HEARTBEAT_EVERY_MS and promises twice that; before
 * a wait it promises the wait and 30 s more. A beat that the database did not take is tried again for six minutes inside
 * the step: a stall is no refusal.
 */
import { type SQL, sql } from "drizzle-orm";
import { BEAT_RETRY_FOR_MS, BEAT_TRY_MS, type Config, MAX_WAIT_MS, promiseMs } from "../config.ts";
import { dbNow } from "../storage/clock.ts";
import { changes, type Database, type DatabaseCost, runBatch } from "../storage/database.ts";
import { type Fence, fencedBatch, fenceHolds, SupersededError } from "../storage/fence.ts";
import type { Phase } from "../storage/schema.ts";
import { withTimeout } from "../time-limit.ts";

export interface StepIdentity {
  auditId: string;
  attempt: number;
  /** Position of the step in its run, from 1. */
  stepIndex: number;
  /** Which try of the step this execution is, from 1. */
  stepTry: number;
  phase: Phase;
}

/** What a step reports with a beat; absent fields stay as they are. */
export interface Progress {
  pagesCrawled?: number;
  pagesTotal?: number;
}

/** Tries of one step never reach so many; keeps `step_order` an ordering of (step, try). */
const TRIES_PER_STEP = 1_000;

/** How long after a failed beat it is tried again; with the limit of a try this stays below 15 s. Milliseconds. */
const BEAT_RETRY_PAUSE_MS = 4_000;

/** One row a minute and attempt for the pulse; costs a read on every other beat. */
const keepBeat = (fence: Fence): SQL => sql`
  insert or ignore into audit_beats (audit_id, attempt, minute, at, seq, pages_crawled)
  select id, attempt, heartbeat_at / 60000, heartbeat_at, heartbeat_seq, pages_crawled from audits
  where id = ${fence.auditId} and ${fenceHolds(fence)}`;

const beatAssignments = (promise: number, progress: Progress): SQL => {
  const parts = [
    sql`heartbeat_at = ${dbNow}`,
    sql`heartbeat_seq = heartbeat_seq + 1`,
    sql`heartbeat_due_at = ${dbNow} + ${promise}`,
  ];
  if (progress.pagesCrawled !== undefined) parts.push(sql`pages_crawled = ${progress.pagesCrawled}`);
  if (progress.pagesTotal !== undefined) parts.push(sql`pages_total = ${progress.pagesTotal}`);
  return sql.join(parts, sql`, `);
};

/**
 * The opening beat: takes the fence for this execution of the step and marks the phase. Throws SupersededError when the
 * attempt is over, or when a later execution has the fence already.
 */
export async function openStep(db: Database, config: Config, step: StepIdentity, cost: DatabaseCost): Promise<Pulse> {
  const fence: Fence = { auditId: step.auditId, attempt: step.attempt, stepRun: crypto.randomUUID() };
  const order = step.stepIndex * TRIES_PER_STEP + Math.min(step.stepTry, TRIES_PER_STEP - 1);
  const take = sql`
    update audits set ${beatAssignments(promiseMs(config), {})}, step_run = ${fence.stepRun}, step_order = ${order}, phase = ${step.phase}
    where id = ${fence.auditId} and attempt = ${fence.attempt} and status = 'running' and step_order <= ${order}`;
  const beginPhase = sql`
    insert or ignore into audit_phases (audit_id, attempt, phase, began_at)
    select id, attempt, phase, heartbeat_at from audits where id = ${fence.auditId} and ${fenceHolds(fence)}`;
  const endEarlierPhases = sql`
    update audit_phases set ended_at = ${dbNow}
    where audit_id = ${fence.auditId} and attempt = ${fence.attempt} and phase <> ${step.phase} and ended_at is null and ${fenceHolds(fence)}`;
  await persistently(async () => {
    const results = await runBatch(db, [take, beginPhase, endEarlierPhases, keepBeat(fence)], cost);
    if (changes(results) > 0) return;
    await countLateBeat(db, fence);
    throw new SupersededError(`${fence.auditId} attempt ${fence.attempt} is no longer ours to work on`);
  });
  return new Pulse(db, config, fence, step.phase, cost);
}

/** The heartbeat of one execution of one step. Close it when the step ends, however it ends. */
export class Pulse {
  readonly fence: Fence;
  readonly cost: DatabaseCost;
  readonly #db: Database;
  readonly #config: Config;
  readonly #phase: Phase;
  readonly #ticker: ReturnType<typeof setInterval>;
  readonly #bounds = new Set<{ until: number }>();
  #last: Promise<unknown> = Promise.resolve();
  #lastBeatAt = Date.now();
  #saving = 0;
  #superseded: SupersededError | null = null;

  constructor(db: Database, config: Config, fence: Fence, phase: Phase, cost: DatabaseCost) {
    this.#db = db;
    this.#config = config;
    this.#phase = phase;
    this.fence = fence;
    this.cost = cost;
    // Twice as often as needed, so that a beat is never late by a whole interval.
    this.#ticker = setInterval(() => this.#tick(), config.HEARTBEAT_EVERY_MS / 2);
  }

  /** Writes rows and a beat in one batch; every statement must carry `fenceHolds(pulse.fence)`. */
  async save(
    statements: readonly SQL[],
    progress: Progress = {},
    promise: number = promiseMs(this.#config),
  ): Promise<void> {
    this.#lastBeatAt = Date.now();
    this.#saving += 1;
    // One after the other: a later save must never be overtaken by an earlier one that is tried again.
    const mine = this.#last.then(() => this.#write(statements, progress, promise)).finally(() => (this.#saving -= 1));
    this.#last = mine.catch(() => {});
    await mine;
  }

  async beat(progress: Progress = {}): Promise<void> {
    await this.save([], progress);
  }

  /** Says what the phase has come to; the last word of a phase stays. `statements` go into the same batch. */
  async savePhase(
    counts: Record<string, number>,
    progress: Progress = {},
    statements: readonly SQL[] = [],
  ): Promise<void> {
    const { auditId, attempt } = this.fence;
    const mark = sql`
      update audit_phases set counts = ${JSON.stringify(counts)}
      where audit_id = ${auditId} and attempt = ${attempt} and phase = ${this.#phase} and ${fenceHolds(this.fence)}`;
    await this.save([...statements, mark], progress);
  }

  /**
   * Runs something that ends by itself within `limitMs`, and beats meanwhile. Nothing beats outside of such a bound: a
   * step that hangs must fall silent, or nobody would ever find out.
   */
  async during<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
    const bound = { until: Date.now() + limitMs };
    this.#bounds.add(bound);
    try {
      return await work();
    } finally {
      this.#bounds.delete(bound);
    }
  }

  /** Waits for `ms`, announced beforehand; longer waits go by in slices with a beat between. */
  async wait(ms: number): Promise<void> {
    const margin = promiseMs(this.#config);
    const longest = Math.max(MAX_WAIT_MS - margin, 1);
    for (let left = ms; left > 0; left -= longest) {
      const slice = Math.min(left, longest);
      await this.save([], {}, slice + margin);
      await new Promise((resolve) => setTimeout(resolve, slice));
      this.assertCurrent();
    }
    await this.beat();
  }

  /** Throws SupersededError once a beat has been refused: work that is not saved any more should stop. */
  assertCurrent(): void {
    if (this.#superseded !== null) throw this.#superseded;
  }

  close(): void {
    clearInterval(this.#ticker);
  }

  #tick(): void {
    const now = Date.now();
    if (this.#saving > 0) return;
    if (now - this.#lastBeatAt < this.#config.HEARTBEAT_EVERY_MS / 2) return;
    if (![...this.#bounds].some((bound) => bound.until > now)) return;
    // A refusal is remembered by #write; a database error comes back in the next save.
    this.save([]).catch(() => {});
  }

  async #write(statements: readonly SQL[], progress: Progress, promise: number): Promise<void> {
    this.assertCurrent();
    const rows = [...statements, keepBeat(this.fence)];
    try {
      await persistently(() => fencedBatch(this.#db, this.fence, beatAssignments(promise, progress), rows, this.cost));
    } catch (error) {
      if (error instanceof SupersededError) await this.#refused(error);
      throw error;
    }
  }

  async #refused(error: SupersededError): Promise<void> {
    this.#superseded = error;
    this.close();
    await countLateBeat(this.#db, this.fence);
  }
}

/** The one unfenced write: it shows, later, whether somebody was called dead too early. */
async function countLateBeat(db: Database, { auditId, attempt }: Fence): Promise<void> {
  await db
    .run(
      sql`update audit_attempts set late_beats = late_beats + 1 where audit_id = ${auditId} and attempt = ${attempt}`,
    )
    .catch(() => {});
}

/**
 * Tries a write again for BEAT_RETRY_FOR_MS, each try with its limit. All writes of a step may be repeated: they insert
 * or replace, and a beat too many does no harm.
 */
export async function persistently<T>(write: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + BEAT_RETRY_FOR_MS;
  for (;;) {
    try {
      return await withTimeout(write(), BEAT_TRY_MS, "the database did not answer a heartbeat");
    } catch (error) {
      if (error instanceof SupersededError || isLastingError(error) || Date.now() >= giveUpAt) throw error;
      console.warn("a write was not taken and is tried again:", textOf(error));
      await new Promise((resolve) => setTimeout(resolve, BEAT_RETRY_PAUSE_MS));
    }
  }
}

/** Errors that trying again cannot mend: a statement that is wrong, a database that is full or not migrated. */
const isLastingError = (error: unknown): boolean =>
  /SQLITE_(ERROR|CONSTRAINT|FULL|MISMATCH|TOOBIG|RANGE)|no such (table|column)|database or disk is full|D1_TYPE_ERROR|malformed JSON|syntax error/.test(
    textOf(error),
  );

/** The driver's own message: drizzle's holds the SQL with its parameters. */
export const textOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, 300);
};
