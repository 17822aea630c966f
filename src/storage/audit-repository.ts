/** The rows of `audits` and their attempts: started, read, ended. */
import { and, desc, eq, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { dbNow } from "./clock.ts";
import { changes, type Database, runBatch } from "./database.ts";
import { type Ending, endAttempts } from "./gate.ts";
import { type AuditStatus, auditAttempts, auditPhases, audits } from "./schema.ts";

export type AuditRow = typeof audits.$inferSelect;
export type AttemptRow = typeof auditAttempts.$inferSelect;
export type PhaseRow = typeof auditPhases.$inferSelect;

/** A row together with the database's clock at the moment of reading: ages are reckoned by it. */
export interface AuditReading {
  audit: AuditRow;
  now: number;
}

export interface NewAudit {
  id: string;
  organizationId: string;
  projectId: string;
  startedBy: string;
  url: string;
  /** JSON. */
  options: string;
  maxPages: number;
  idempotency: { key: string; requestHash: string } | null;
}

/** How long a new attempt has for its first beat; it counts from the start of the attempt. Milliseconds. */
export const FIRST_PROMISE_MS = 30_000;

export const instanceIdOf = (auditId: string, attempt: number): string => `audit-${auditId}-${attempt}`;

export class AuditRepository {
  readonly #db: Database;
  readonly #analyticsOn: boolean;

  constructor(db: Database, analyticsOn: boolean) {
    this.#db = db;
    this.#analyticsOn = analyticsOn;
  }

  /** The default organization and project come into being with their first use. */
  async ensureOwner(organizationId: string, projectId: string): Promise<void> {
    await runBatch(this.#db, [
      sql`insert or ignore into organizations (id, name, created_at) values (${organizationId}, ${organizationId}, ${dbNow})`,
      sql`insert or ignore into projects (id, organization_id, name, created_at)
        values (${projectId}, ${organizationId}, ${projectId}, ${dbNow})`,
    ]);
  }

  /** The organization that a project belongs to; null: there is no such project. */
  async ownerOf(projectId: string): Promise<string | null> {
    const row = await this.#db.get<{ owner: string } | undefined>(
      sql`select organization_id as owner from projects where id = ${projectId}`,
    );
    return row?.owner ?? null;
  }

  /**
   * Starts an audit if the organization has a slot: the statement that inserts also counts. False: no slot was free.
   * The row comes first; the instance is created afterwards, and the rule takes care if it never is.
   */
  async insertIfCapacity(audit: NewAudit, capacity: number): Promise<boolean> {
    const { id, organizationId, projectId } = audit;
    const started = sql`exists (select 1 from audits where id = ${id})`;
    const statements: SQL[] = [
      sql`
        insert into audits (id, organization_id, project_id, started_by, url, options, status, attempt, created_at,
          attempt_started_at, phase, heartbeat_at, heartbeat_seq, heartbeat_due_at, pages_total)
        select ${id}, ${organizationId}, ${projectId}, ${audit.startedBy}, ${audit.url}, ${audit.options}, 'running', 1, ${dbNow},
          ${dbNow}, 'discovering', ${dbNow}, 0, ${dbNow} + ${FIRST_PROMISE_MS}, 0
        where (select count(*) from audits where organization_id = ${organizationId} and status = 'running') < ${capacity}`,
      sql`
        insert into audit_attempts (audit_id, attempt, instance_id, began_at)
        select ${id}, 1, ${instanceIdOf(id, 1)}, ${dbNow} where ${started}`,
      this.#startEvent(id),
    ];
    if (audit.idempotency !== null) {
      const { key, requestHash } = audit.idempotency;
      // A second start under the same key violates the primary key, and the whole batch is undone.
      statements.push(sql`
        insert into idempotency_keys (organization_id, key, request_hash, audit_id, created_at)
        select ${organizationId}, ${key}, ${requestHash}, ${id}, ${dbNow} where ${started}`);
    }
    return changes(await runBatch(this.#db, statements)) > 0;
  }

  #startEvent(auditId: string): SQL {
    return sql`
      insert or ignore into analytics_outbox (uuid, audit_id, attempt, event, at, payload, state, next_try_at)
      select ${crypto.randomUUID()}, a.id, a.attempt, 'site_audit:start', ${dbNow},
        json_object('distinctId', a.started_by, 'organization', a.organization_id, 'properties',
          json_object('project_id', a.project_id, 'status', a.status, 'attempt', a.attempt)),
        ${this.#analyticsOn ? "pending" : "skipped"}, ${dbNow}
      from audits a where a.id = ${auditId}`;
  }

  /** Null: no such audit in that organization, or it is being deleted. */
  async find(auditId: string, organizationId?: string): Promise<AuditReading | null> {
    const rows = await this.#db
      .select({ audit: audits, now: dbNow })
      .from(audits)
      .where(
        and(
          eq(audits.id, auditId),
          isNull(audits.deletedAt),
          organizationId === undefined ? undefined : eq(audits.organizationId, organizationId),
        ),
      );
    return rows[0] ?? null;
  }

  async list(
    organizationId: string,
    options: { limit: number; before?: { createdAt: number; id: string }; status?: AuditStatus },
  ): Promise<{ audits: AuditRow[]; now: number }> {
    const { before, status, limit } = options;
    const rows = await this.#db
      .select({ audit: audits, now: dbNow })
      .from(audits)
      .where(
        and(
          eq(audits.organizationId, organizationId),
          isNull(audits.deletedAt),
          status === undefined ? undefined : eq(audits.status, status),
          before === undefined
            ? undefined
            : or(
                lt(audits.createdAt, before.createdAt),
                and(eq(audits.createdAt, before.createdAt), lt(audits.id, before.id)),
              ),
        ),
      )
      .orderBy(desc(audits.createdAt), desc(audits.id))
      .limit(limit);
    return { audits: rows.map((row) => row.audit), now: rows[0]?.now ?? Date.now() };
  }

  running(organizationId: string): Promise<AuditRow[]> {
    return this.#db
      .select()
      .from(audits)
      .where(and(eq(audits.organizationId, organizationId), sql`status = 'running'`));
  }

  attempts(auditId: string): Promise<AttemptRow[]> {
    return this.#db
      .select()
      .from(auditAttempts)
      .where(eq(auditAttempts.auditId, auditId))
      .orderBy(auditAttempts.attempt);
  }

  phases(auditId: string): Promise<PhaseRow[]> {
    return this.#db
      .select()
      .from(auditPhases)
      .where(eq(auditPhases.auditId, auditId))
      .orderBy(auditPhases.attempt, auditPhases.beganAt);
  }

  findByIdempotencyKey(
    organizationId: string,
    key: string,
  ): Promise<{ auditId: string; requestHash: string } | undefined> {
    return this.#db.get<{ auditId: string; requestHash: string } | undefined>(
      sql`select audit_id as auditId, request_hash as requestHash from idempotency_keys
        where organization_id = ${organizationId} and key = ${key}`,
    );
  }

  /**
   * Continues a final audit under its next attempt, if the organization has a slot: one statement. Everything about being
   * alive begins anew, so that the old attempt can write nothing more. False: no slot, or not final any more.
   */
  async resume(auditId: string, next: { attempt: number; limit: number; firstPromiseMs: number }): Promise<boolean> {
    const { attempt, limit, firstPromiseMs } = next;
    const instanceId = instanceIdOf(auditId, attempt);
    const results = await runBatch(this.#db, [
      sql`
        update audits set status = 'running', attempt = ${attempt}, attempt_started_at = ${dbNow}, ended_at = null, ended_by = null,
          heartbeat_at = ${dbNow}, heartbeat_seq = 0, heartbeat_due_at = ${dbNow} + ${firstPromiseMs}, step_run = null, step_order = 0,
          seen_seq = null, seen_since = null, last_look_at = null, queued_at = null, held_at = null, next_look_at = 0, look_delay_ms = 0,
          probed_at = null, last_evidence = null, last_verdict = null,
          error_code = null, error_detail = null, failed_phase = null, verdict_id = null
        where id = ${auditId} and attempt = ${attempt - 1} and status in ('failed', 'canceled') and deleted_at is null
          and (select count(*) from audits b where b.organization_id = audits.organization_id and b.status = 'running') < ${limit}`,
      sql`
        insert or ignore into audit_attempts (audit_id, attempt, instance_id, began_at)
        select id, attempt, ${instanceId}, attempt_started_at from audits
        where id = ${auditId} and attempt = ${attempt} and status = 'running'`,
      this.#startEvent(auditId),
    ]);
    return changes(results) > 0;
  }

  /** Attempts whose instances are gone or final now. */
  async terminated(attempts: readonly { auditId: string; attempt: number }[]): Promise<void> {
    await runBatch(this.#db, [
      sql`
        update audit_attempts set terminate_pending = 0 from json_each(${JSON.stringify(attempts)}) t
        where audit_id = t.value ->> 'auditId' and attempt = t.value ->> 'attempt'`,
    ]);
  }

  /** True: the audit is failed now, and this call did it. False: the row had moved on. */
  failAudit(ending: Omit<Ending, "status">): Promise<boolean> {
    return this.end({ ...ending, status: "failed" });
  }

  async end(ending: Ending): Promise<boolean> {
    return (await this.endMany([ending])).has(ending.auditId);
  }

  /** The ids of the audits that these endings ended. */
  endMany(endings: readonly Ending[]): Promise<Set<string>> {
    return endAttempts(this.#db, endings, { analyticsOn: this.#analyticsOn });
  }
}
