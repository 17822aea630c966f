/**
 * What anybody can do with audits, whichever way they ask: start, read, cancel, resume, delete. Reading a running audit's
 * status judges it on the spot, so that nobody is shown a zombie as running.
 */
import type { AuditReading, AttemptRow } from "../storage/audit-repository.ts";
import { FIRST_PROMISE_MS, instanceIdOf } from "../storage/audit-repository.ts";
import { deleteMarked, removeAudit } from "../storage/audit-removal.ts";
import { reconcileRunningAudit, type ReconcileResult } from "../supervision/reconcile.ts";
import { breakerTrips, isOverdue, mayAskEarly } from "../supervision/liveness.ts";
import { isHolding, supervisorHealth, type SupervisorHealth } from "../supervision/supervisor-health.ts";
import type { Watch } from "../supervision/supervision.ts";
import type { AuditOptions } from "./audit-options.ts";
import { newId } from "./new-id.ts";

export interface Caller {
  userId: string;
  organizationId: string;
  projectId: string;
}

export interface StartRequest {
  url: string;
  options: AuditOptions;
  idempotency: { key: string; requestHash: string } | null;
}

export interface RunningNow {
  id: string;
  url: string;
  startedAt: number;
}

export type StartResult =
  | { kind: "started"; auditId: string }
  /** The same request under the same key: the audit of the first one. */
  | { kind: "repeated"; auditId: string }
  | { kind: "key_reused" }
  | { kind: "full"; limit: number; running: RunningNow[] };

export interface StatusReading extends AuditReading {
  supervisor: SupervisorHealth;
  attempts: AttemptRow[];
}

export type ResumeResult =
  | { kind: "resumed"; attempt: number }
  | { kind: "not_found" }
  | { kind: "not_final" }
  | { kind: "completed" }
  | { kind: "full"; limit: number; running: RunningNow[] };

export class AuditService {
  readonly #watch: Watch;

  constructor(watch: Watch) {
    this.#watch = watch;
  }

  /** Row first, then the instance: an instance without a row would work for nobody. */
  async start(caller: Caller, request: StartRequest): Promise<StartResult> {
    const { audits, config } = this.#watch;
    const { organizationId, projectId, userId } = caller;
    await audits.ensureOwner(organizationId, projectId);
    const repeated = await this.#repeated(caller, request);
    if (repeated !== null) return repeated;
    const row = {
      id: newId(),
      organizationId,
      projectId,
      startedBy: userId,
      url: request.url,
      options: JSON.stringify(request.options),
      maxPages: request.options.maxPages,
      idempotency: request.idempotency,
    };
    const limit = config.CAPACITY_PER_ORGANIZATION;
    try {
      if (!(await audits.insertIfCapacity(row, limit))) {
        // A dead audit must not hold a slot: whatever is overdue is judged before anybody is refused.
        await this.#reconcileOverdue(organizationId);
        if (!(await audits.insertIfCapacity(row, limit)))
          return { kind: "full", limit, running: await this.#runningNow(organizationId) };
      }
    } catch (error) {
      // Two requests under one key at once: the second one's batch was undone by the key.
      const winner = await this.#repeated(caller, request);
      if (winner !== null) return winner;
      throw error;
    }
    await this.#createInstance(row.id, 1);
    return { kind: "started", auditId: row.id };
  }

  async #repeated({ organizationId }: Caller, { idempotency }: StartRequest): Promise<StartResult | null> {
    if (idempotency === null) return null;
    const found = await this.#watch.audits.findByIdempotencyKey(organizationId, idempotency.key);
    if (found === undefined) return null;
    return found.requestHash === idempotency.requestHash
      ? { kind: "repeated", auditId: found.auditId }
      : { kind: "key_reused" };
  }

  /** A definite refusal ends the attempt at once; an unclear answer is left to the rule, which creates again or gives up. */
  async #createInstance(auditId: string, attempt: number): Promise<void> {
    const { instances, audits } = this.#watch;
    const outcome = await instances.create(instanceIdOf(auditId, attempt), { auditId, attempt });
    if (outcome.kind !== "refused") return;
    await audits.failAudit({
      auditId,
      attempt,
      by: "status_check",
      code: "start_failed",
      detail: outcome.why,
      evidence: { create: outcome },
      verdictId: crypto.randomUUID(),
      seq: 0,
      stepRun: null,
      detected: true,
      terminateAfterMs: 0,
    });
  }

  async #reconcileOverdue(organizationId: string): Promise<void> {
    const { looks, config } = this.#watch;
    for (const reading of await looks.overdueOf(organizationId, config.EARLY_ASK_AFTER_MS)) await this.#look(reading);
  }

  async #runningNow(organizationId: string): Promise<RunningNow[]> {
    const rows = await this.#watch.audits.running(organizationId);
    return rows.map(({ id, url, attemptStartedAt }) => ({ id, url, startedAt: attemptStartedAt }));
  }

  /**
   * The truth about one audit. Not overdue: the platform is not asked. Overdue: it is asked, at most once in
   * PROBE_EVERY_MS whoever polls, and the answer is acted on. Null: no such audit.
   */
  async getStatus(auditId: string, organizationId?: string): Promise<StatusReading | null> {
    const { audits, supervisor, config } = this.#watch;
    let reading = await audits.find(auditId, organizationId);
    if (reading === null) return null;
    if (isOverdue(reading.audit, reading.now) || mayAskEarly(reading.audit, reading.now, config)) {
      // Judging must not stand in the way of reading: whatever goes wrong, the row is shown as it is.
      await this.#look(reading).catch((error: unknown) =>
        console.warn("could not judge an overdue audit", auditId, messageOf(error)),
      );
      reading = (await audits.find(auditId, organizationId)) ?? reading;
    }
    const { state } = await supervisor.state();
    return {
      ...reading,
      supervisor: supervisorHealth(state, reading.audit.createdAt, reading.now, config),
      attempts: await audits.attempts(auditId),
    };
  }

  async #look(reading: AuditReading): Promise<ReconcileResult | null> {
    const { looks, config } = this.#watch;
    const { id, attempt } = reading.audit;
    if (!(await looks.claimProbe(id, attempt, config.PROBE_EVERY_MS))) return null;
    return reconcileRunningAudit(this.#watch, reading, {
      by: "status_check",
      early: true,
      holdsBack: () => this.#holdsBack(),
    });
  }

  /** Many lost at once may be the platform's fault: then only the supervisor, who sees them all, may end them. */
  async #holdsBack(): Promise<boolean> {
    const { supervisor, looks, config } = this.#watch;
    const { state } = await supervisor.state();
    if (isHolding(state)) return true;
    const { overdue, running } = await looks.counts();
    return breakerTrips(overdue, running, config);
  }

  /** By command of a person: asked and acted on now, whatever was asked before. Null: no such audit. */
  async reconcile(auditId: string, organizationId?: string): Promise<ReconcileResult | null> {
    const reading = await this.#watch.audits.find(auditId, organizationId);
    if (reading === null) return null;
    return reconcileRunningAudit(this.#watch, reading, { by: "manual" });
  }

  /** Ends a running audit by a person's wish; on a zombie too. False: it was not running. */
  async cancel(auditId: string, organizationId?: string): Promise<boolean | null> {
    const { audits } = this.#watch;
    const reading = await audits.find(auditId, organizationId);
    if (reading === null) return null;
    const { attempt, phase } = reading.audit;
    const won = await audits.end({
      auditId,
      attempt,
      status: "canceled",
      by: "manual",
      code: "canceled",
      detail: `canceled while ${phase}`,
      evidence: null,
      verdictId: crypto.randomUUID(),
      seq: null,
      stepRun: null,
      detected: false,
      terminateAfterMs: 0,
    });
    if (won) await this.#endInstances(auditId);
    return won;
  }

  /** Continues a failed or canceled audit under a new attempt, which keeps what is there. Counts against capacity. */
  async resume(auditId: string, caller: Caller): Promise<ResumeResult> {
    const { audits, config } = this.#watch;
    const reading = await audits.find(auditId, caller.organizationId);
    if (reading === null) return { kind: "not_found" };
    if (reading.audit.status === "completed") return { kind: "completed" };
    if (reading.audit.status === "running") return { kind: "not_final" };
    const limit = config.CAPACITY_PER_ORGANIZATION;
    const next = { attempt: reading.audit.attempt + 1, limit, firstPromiseMs: FIRST_PROMISE_MS };
    let resumed = await audits.resume(auditId, next);
    if (!resumed) {
      await this.#reconcileOverdue(caller.organizationId);
      resumed = await audits.resume(auditId, next);
    }
    if (!resumed) {
      const now = await audits.find(auditId, caller.organizationId);
      if (now !== null && now.audit.status === "running") return { kind: "not_final" };
      return { kind: "full", limit, running: await this.#runningNow(caller.organizationId) };
    }
    await this.#createInstance(auditId, next.attempt);
    return { kind: "resumed", attempt: next.attempt };
  }

  /** Marks the audit, ends its instance, then removes all that it has. An interrupted removal is taken up by the supervisor. */
  async delete(auditId: string, organizationId?: string): Promise<boolean> {
    const { audits, db } = this.#watch;
    const reading = await audits.find(auditId, organizationId);
    if (reading === null) return false;
    // Somebody may resume it between the two: it is canceled again then, since only what has ended can be removed.
    do await this.cancel(auditId, organizationId);
    while (!(await deleteMarked(db, auditId)) && (await audits.find(auditId, organizationId)) !== null);
    await this.#endInstances(auditId);
    await removeAudit(db, auditId);
    return true;
  }

  /** Tries at once; what fails is left to the supervisor, since the attempt says that it is pending. */
  async #endInstances(auditId: string): Promise<void> {
    const { audits, instances } = this.#watch;
    for (const attempt of await audits.attempts(auditId)) {
      if (attempt.terminatePending === 1 && (await instances.terminate(attempt.instanceId))) {
        await audits.terminated([{ auditId, attempt: attempt.attempt }]);
      }
    }
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : String(error);
