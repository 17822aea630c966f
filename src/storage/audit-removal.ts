/**
 * Removing an audit with all that it has, in batches small enough to be interrupted: the mark stays until the last row
 * is gone, and whoever finds it goes on.
 */
import { sql } from "drizzle-orm";
import { dbNow } from "./clock.ts";
import { changes, type Database, runBatch } from "./database.ts";

/** Tables with rows of an audit, the audit's own row last. */
const TABLES = [
  "audit_issues",
  "audit_inlinks",
  "audit_targets",
  "audit_pages",
  "audit_urls",
  "audit_beats",
  "audit_phases",
  "audit_discoveries",
  "supervisor_decisions",
  "idempotency_keys",
] as const;

/** Rows removed in one statement: well under a second. */
const BATCH = 2_000;

/** From now on nobody sees the audit, and nobody can resume it. False: it is running, and stays as it is. */
export async function deleteMarked(db: Database, auditId: string): Promise<boolean> {
  const results = await runBatch(db, [
    sql`update audits set deleted_at = coalesce(deleted_at, ${dbNow}) where id = ${auditId} and status <> 'running'`,
  ]);
  return changes(results) > 0;
}

/** Only what is marked may be removed: a resume may have come between. */
const isMarked = (auditId: string) =>
  sql`exists (select 1 from audits where id = ${auditId} and deleted_at is not null)`;

/** Removes what is left of a marked audit; true once nothing is. `until`: stops after this moment, milliseconds. */
export async function removeAudit(db: Database, auditId: string, until = Number.POSITIVE_INFINITY): Promise<boolean> {
  for (const table of TABLES) {
    const name = sql.raw(table);
    // A table whose rows have no rowid is cut by its keys.
    for (;;) {
      if (Date.now() > until) return false;
      const results = await runBatch(db, [deleteSome(table, name, auditId)]);
      if (changes(results) < BATCH) break;
    }
  }
  const pending = await db.get<{ left: number }>(
    sql`select count(*) as left from audit_attempts where audit_id = ${auditId} and terminate_pending = 1`,
  );
  // The attempts are kept as long as an instance of theirs has to be ended.
  if ((pending?.left ?? 0) > 0) return false;
  await runBatch(db, [
    sql`delete from audit_attempts where audit_id = ${auditId} and ${isMarked(auditId)}`,
    sql`delete from audits where id = ${auditId} and deleted_at is not null`,
  ]);
  return true;
}

function deleteSome(table: (typeof TABLES)[number], name: ReturnType<typeof sql.raw>, auditId: string) {
  const keys: Partial<Record<typeof table, string>> = {
    audit_issues: "(check_id, url_id)",
    audit_inlinks: "url_id",
    audit_targets: "url_id",
    audit_pages: "url_id",
    audit_urls: "id",
  };
  const key = keys[table];
  if (key === undefined) return sql`delete from ${name} where audit_id = ${auditId} and ${isMarked(auditId)}`;
  const columns = sql.raw(key.replace(/[()]/g, ""));
  return sql`
    delete from ${name} where audit_id = ${auditId} and ${isMarked(auditId)} and ${sql.raw(key)} in
      (select ${columns} from ${name} where audit_id = ${auditId} limit ${BATCH})`;
}

/**
 * Audits that are marked and not gone yet. Those whose instance has still to be ended come last, so that they never keep
 * the others waiting.
 */
export async function markedAudits(db: Database, limit: number): Promise<string[]> {
  const rows = await db.all<{ id: string }>(
    sql`select id from audits where deleted_at is not null
      order by exists (select 1 from audit_attempts t where t.audit_id = audits.id and t.terminate_pending = 1), deleted_at
      limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}
