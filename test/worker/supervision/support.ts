/**
 * Audits in every state of life and death, over the real database. Time passes by moving the times of a row back. The
 * platform is a stand-in where a test needs answers that the real engine cannot be made to give.
 */
import { env } from "cloudflare:workers";
import { type Caller, AuditService } from "../../../src/audit/audit-service.ts";
import { readConfig } from "../../../src/config.ts";
import type { Env } from "../../../src/env.ts";
import { AuditRepository, type AuditRow, instanceIdOf } from "../../../src/storage/audit-repository.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { openStep, type Pulse } from "../../../src/supervision/heartbeat.ts";
import type { ReconcileResult } from "../../../src/supervision/reconcile.ts";
import { reconcileRunningAudit } from "../../../src/supervision/reconcile.ts";
import { openWatch, type Watch } from "../../../src/supervision/supervision.ts";
import { reconcileStaleAudits } from "../../../src/supervision/run-sweep.ts";
import type { SweepOptions } from "../../../src/supervision/sweep.ts";
import type { SweepReport } from "../../../src/supervision/sweep-report.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

type Answer = { status: string; error?: unknown } | { throws: string } | "hangs" | "not_found";

/** A Workflow binding that says what the test wants, and counts what it is asked. */
export class StandIn {
  /** By instance id; "*" for all others. */
  answers = new Map<string, Answer>();
  onCreate: (id: string) => Promise<void> | void = () => {};
  asked: string[] = [];
  created: string[] = [];
  terminated: string[] = [];

  says(answer: Answer, id = "*"): this {
    this.answers.set(id, answer);
    return this;
  }

  get binding(): Env["SITE_AUDIT"] {
    const answer = async (id: string): Promise<{ status: string }> => {
      const said = this.answers.get(id) ?? this.answers.get("*") ?? "not_found";
      if (said === "hangs") return new Promise<never>(() => {});
      if (said === "not_found") throw new Error("(instance.not_found) Provided id does not exist");
      if ("throws" in said) throw new Error(said.throws);
      return said;
    };
    return {
      create: async ({ id }: { id: string }) => {
        this.created.push(id);
        await this.onCreate(id);
        return { id };
      },
      get: async (id: string) => ({
        id,
        status: async () => {
          this.asked.push(id);
          return answer(id);
        },
        terminate: async () => {
          await answer(id);
          this.terminated.push(id);
          this.says({ status: "terminated" }, id);
        },
      }),
    } as unknown as Env["SITE_AUDIT"];
  }
}

/** The bindings with the stand-in in the platform's place, and vars. */
export const envWith = (platform: StandIn | null, vars: Record<string, unknown> = {}): Env => ({
  ...env,
  UNSAFE_LIMITS: "1",
  ...(platform === null ? {} : { SITE_AUDIT: platform.binding }),
  ...vars,
});

export const watchWith = (platform: StandIn | null, vars: Record<string, unknown> = {}): Watch =>
  openWatch(envWith(platform, vars));

export const config = readConfig({});
export const db = openDatabase(env.DB);

let lastId = 0;

export const newCaller = (): Caller => {
  lastId += 1;
  return { userId: "user-1", organizationId: `org-${lastId}`, projectId: `project-${lastId}` };
};

/** A running audit without an instance: its row, as a start leaves it. */
export async function newAudit(caller: Caller = newCaller(), audits = new AuditRepository(db, true)): Promise<string> {
  lastId += 1;
  const id = `a${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}${lastId}`;
  const { organizationId, projectId, userId } = caller;
  await audits.insertIfCapacity(
    {
      id,
      organizationId,
      projectId,
      startedBy: userId,
      url: "https://site.example/",
      options: JSON.stringify({ maxPages: 500 }),
      maxPages: 500,
      idempotency: null,
    },
    1_000_000,
  );
  return id;
}

/** So much time passes for the audit: everything that was known of it lies that far back. */
export async function pass(id: string, ms: number): Promise<void> {
  await env.DB.prepare(
    `update audits set created_at = created_at - ?2, attempt_started_at = attempt_started_at - ?2, heartbeat_at = heartbeat_at - ?2,
       heartbeat_due_at = heartbeat_due_at - ?2, seen_since = seen_since - ?2, last_look_at = last_look_at - ?2,
       queued_at = queued_at - ?2, held_at = held_at - ?2, next_look_at = next_look_at - ?2, probed_at = probed_at - ?2
     where id = ?1`,
  )
    .bind(id, ms)
    .run();
}

/** One beat of the attempt, as a step's opening makes it. */
export async function beat(id: string, phase: AuditRow["phase"] = "crawling"): Promise<Pulse> {
  const { attempt, stepOrder } = await rowOf(id);
  const cost = { batches: 0, queries: 0, rowsRead: 0, rowsWritten: 0 };
  const step = { auditId: id, attempt, stepIndex: Math.floor(stepOrder / 1000) + 1, stepTry: 1, phase };
  const pulse = await openStep(db, config, step, cost);
  pulse.close();
  return pulse;
}

/** An audit that has beaten, and has been silent past its promise for so long. */
export async function silentFor(ms: number, caller?: Caller): Promise<string> {
  const id = await newAudit(caller);
  await beat(id);
  await pass(id, 30 * SECOND + ms);
  return id;
}

export async function rowOf(id: string): Promise<AuditRow> {
  const reading = await new AuditRepository(db, true).find(id);
  if (reading === null) throw new Error(`no audit ${id}`);
  return reading.audit;
}

export async function reconcile(watch: Watch, id: string): Promise<ReconcileResult> {
  const reading = await watch.audits.find(id);
  if (reading === null) throw new Error(`no audit ${id}`);
  return reconcileRunningAudit(watch, reading, { by: "manual" });
}

let slot = Date.now();

/** A sweep of the next slot; every call is one cron interval later than the one before. */
export async function sweep(
  platform: StandIn | null,
  { vars = {}, ...options }: Partial<SweepOptions> & { vars?: Record<string, unknown> } = {},
): Promise<SweepReport> {
  slot += 2 * MINUTE;
  return reconcileStaleAudits(envWith(platform, vars), watchWith(platform, vars), {
    runId: `run-${slot}`,
    startedBy: "cron",
    slotAt: slot,
    ...options,
  });
}

export const serviceOf = (platform: StandIn | null, vars: Record<string, unknown> = {}): AuditService =>
  new AuditService(watchWith(platform, vars));

export async function select<T = Record<string, unknown>>(query: string, ...values: unknown[]): Promise<T[]> {
  const { results } = await env.DB.prepare(query)
    .bind(...values)
    .all<T>();
  return results;
}

/** The events told of an audit: "event attempt". */
export const eventsOf = async (id: string): Promise<string[]> =>
  (
    await select<{ event: string; attempt: number }>(
      "select event, attempt from analytics_outbox where audit_id = ? order by attempt, event desc",
      id,
    )
  ).map(({ event, attempt }) => `${event} ${attempt}`);

export const decisionsOf = (
  id: string,
): Promise<{ verdict: string; code: string | null; acted: string; by: string }[]> =>
  select("select verdict, code, acted, by from supervisor_decisions where audit_id = ? order by id", id);

/** Everything that the supervisor and the audits keep, to see that nothing was written. */
export async function dump(): Promise<string> {
  const tables = [
    "audits",
    "audit_attempts",
    "audit_phases",
    "supervisor_runs",
    "supervisor_decisions",
    "supervisor_state",
    "analytics_outbox",
  ];
  const contents = await Promise.all(tables.map((table) => select(`select * from ${table}`)));
  return JSON.stringify(contents);
}

/** Leaves no audit running, so that the next test sees only its own. */
export async function endEverything(): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("update audits set status = 'canceled' where status = 'running'"),
    env.DB.prepare("update audit_attempts set terminate_pending = 0"),
    env.DB.prepare("update analytics_outbox set state = 'skipped' where state = 'pending'"),
    env.DB.prepare("delete from supervisor_state"),
    env.DB.prepare("delete from supervisor_runs"),
    env.DB.prepare("delete from supervisor_decisions"),
  ]);
}

export { instanceIdOf };
