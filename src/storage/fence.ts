/**
 * The fence: only the current execution of a step of the current attempt of a running audit may write.
 *
 * A step that timed out is retried while its first callback may still run, and a failed audit may be resumed while its
 * old instance still lives. So the opening beat of every execution writes a random `step_run`, and everything that the
 * execution writes afterwards goes through `fencedBatch`: its `update audits` decides, and every other statement of the
 * same batch carries the same condition.
 */
import { type SQL, sql } from "drizzle-orm";
import { changes, type Database, type DatabaseCost, runBatch } from "./database.ts";

export interface Fence {
  auditId: string;
  attempt: number;
  stepRun: string;
}

/** Thrown when the fence refused a write: somebody else writes for this audit now, or it has ended. No failure. */
export class SupersededError extends Error {
  override name = "SupersededError";
}

/** True for the row of `audits` that this execution may write. */
export const fenceOf = (fence: Fence): SQL =>
  sql`id = ${fence.auditId} and attempt = ${fence.attempt} and step_run = ${fence.stepRun} and status = 'running'`;

/** The condition that every other statement of a fenced batch carries. */
export const fenceHolds = (fence: Fence): SQL => sql`exists (select 1 from audits where ${fenceOf(fence)})`;

/**
 * Runs `update audits set <assignments>` under the fence together with statements that carry `fenceHolds`. Throws
 * SupersededError when the fence refused.
 */
export async function fencedBatch(
  db: Database,
  fence: Fence,
  assignments: SQL,
  statements: readonly SQL[],
  cost?: DatabaseCost,
): Promise<void> {
  const update = sql`update audits set ${assignments} where ${fenceOf(fence)}`;
  const results = await runBatch(db, [update, ...statements], cost);
  if (changes(results) === 0)
    throw new SupersededError(`${fence.auditId} attempt ${fence.attempt} is no longer ours to write`);
}
