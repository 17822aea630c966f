/** What endings leave behind: instances that must not go on computing, and audits that are to be removed. */
import { sql } from "drizzle-orm";
import { markedAudits, removeAudit } from "../storage/audit-removal.ts";
import { dbNow } from "../storage/clock.ts";
import { runBatch } from "../storage/database.ts";
import { someAtOnce } from "./many.ts";
import type { Watch } from "./supervision.ts";

export interface LeftBehind {
  /** Instances that are gone or final now. */
  terminated: number;
  /** Instances that will be tried again. */
  terminating: number;
  removed: number;
}

/** Instances that one run tries to end, some at once, and for how long: each may take twice the time of a status call. */
const PENDING_LIMIT = 1_000;
const ENDED_AT_ONCE = 6;
const END_FOR_MS = 20_000;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 30 * 60_000;
/** Audits that one run removes, at most, and for how long. */
const REMOVED_AT_ONCE = 5;
const REMOVE_FOR_MS = 20_000;

export async function endLeftBehind(watch: Watch): Promise<LeftBehind> {
  const { terminated, terminating } = await endInstances(watch);
  let removed = 0;
  const until = Date.now() + REMOVE_FOR_MS;
  for (const id of await markedAudits(watch.db, REMOVED_AT_ONCE)) {
    try {
      if (await removeAudit(watch.db, id, until)) removed += 1;
    } catch (error) {
      console.error("an audit could not be removed:", id, error instanceof Error ? error.message : error);
    }
  }
  return { terminated, terminating, removed };
}

async function endInstances({ db, instances, audits }: Watch): Promise<{ terminated: number; terminating: number }> {
  const pending = await db.all<{ auditId: string; attempt: number; instanceId: string }>(sql`
    select audit_id as auditId, attempt, instance_id as instanceId from audit_attempts
    where terminate_pending = 1 and terminate_next_at <= ${dbNow} order by terminate_next_at limit ${PENDING_LIMIT}`);
  const gone: typeof pending = [];
  const left: typeof pending = [];
  await someAtOnce(pending, { atOnce: ENDED_AT_ONCE, until: Date.now() + END_FOR_MS }, async (attempt) => {
    ((await instances.terminate(attempt.instanceId)) ? gone : left).push(attempt);
  });
  if (gone.length > 0) await audits.terminated(gone);
  if (left.length > 0) {
    await runBatch(db, [
      sql`
        update audit_attempts set terminate_tries = terminate_tries + 1,
          terminate_next_at = ${dbNow} + min(${LONGEST_PAUSE_MS}, ${FIRST_PAUSE_MS} << min(terminate_tries, 10))
        from json_each(${JSON.stringify(left)}) l
        where audit_id = l.value ->> 'auditId' and attempt = l.value ->> 'attempt'`,
    ]);
  }
  return { terminated: gone.length, terminating: left.length };
}
