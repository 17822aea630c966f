/** /api/v1/audits: start, list, read, cancel, resume, delete, reconcile, explain. */
import { Hono } from "hono";
import type { RunningNow, StatusReading } from "../../audit/audit-service.ts";
import { lookAt, type ReconcileResult } from "../../supervision/reconcile.ts";
import { RULES } from "../../supervision/liveness.ts";
import { supervisorHealth } from "../../supervision/supervisor-health.ts";
import type { AppContext, AppEnv } from "../context.ts";
import { auditNotFound, Problem } from "../problems.ts";
import { auditState, healthState, notModified } from "./etag.ts";
import { readJson, readTimeAndId } from "./input.ts";
import { auditsQuery, readQuery } from "./parameters.ts";
import { presentAudit } from "./present-audit.ts";
import { readStartRequest, requestHash } from "./read-options.ts";
import { type StartAuditRequest, startAuditRequest } from "./schemas.ts";

export const audits = new Hono<AppEnv>();

audits.post("/", async (c) => {
  const body = await readJson(c, startAuditRequest);
  const request = await readStartRequest(c, body);
  // The hash is of what was asked: sealed secrets differ each time.
  const idempotency = await idempotencyOf(c, body);
  const result = await c.var.service.start(c.var.caller, { ...request, idempotency });
  switch (result.kind) {
    case "started":
      return c.json(await present(c, result.auditId), 201, { location: `/api/v1/audits/${result.auditId}` });
    case "repeated":
      return c.json(await present(c, result.auditId), 200, { location: `/api/v1/audits/${result.auditId}` });
    case "key_reused":
      throw new Problem(
        409,
        "idempotency_key_reused",
        "This Idempotency-Key was used for a different request.",
        "Send a new key with every new request.",
      );
    case "full":
      throw capacityReached(result.limit, result.running);
    default:
      return result satisfies never;
  }
});

audits.get("/", async (c) => {
  const { limit = 20, status, cursor } = readQuery(c, auditsQuery);
  const before = cursor === undefined ? undefined : readTimeAndId(cursor);
  const { audits: rows, now } = await c.var.watch.audits.list(c.var.caller.organizationId, {
    limit: limit + 1,
    ...(status === undefined ? {} : { status }),
    ...(before === undefined ? {} : { before }),
  });
  const { state } = await c.var.watch.supervisor.state();
  const health = supervisorHealth(state, rows.at(-1)?.createdAt ?? null, now, c.var.watch.config);
  const items = rows.slice(0, limit);
  const unchanged = await notModified(c, [...rows.map((row) => auditState(row, now)), healthState(health)]);
  if (unchanged !== null) return unchanged;
  const last = items.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? `${last.createdAt}.${last.id}` : null;
  return c.json({ items: items.map((row) => presentAudit(row, now, health)), nextCursor });
});

audits.get("/:id", async (c) => {
  const { audit, now, supervisor } = await statusOf(c, c.req.param("id"));
  const unchanged = await notModified(c, [auditState(audit, now), healthState(supervisor)]);
  return unchanged ?? c.json(presentAudit(audit, now, supervisor));
});

audits.post("/:id/cancel", async (c) => {
  const id = c.req.param("id");
  const canceled = await c.var.service.cancel(id, c.var.caller.organizationId);
  if (canceled === null) throw auditNotFound(id);
  if (!canceled) throw notRunning(await present(c, id));
  return c.json(await present(c, id));
});

audits.post("/:id/resume", async (c) => {
  const id = c.req.param("id");
  const result = await c.var.service.resume(id, c.var.caller);
  switch (result.kind) {
    case "resumed":
      return c.json(await present(c, id));
    case "not_found":
      throw auditNotFound(id);
    case "not_final":
      throw new Problem(409, "audit_running", "The audit is running.", "Wait for it, or cancel it first.");
    case "completed":
      throw new Problem(
        409,
        "audit_completed",
        "The audit has completed; there is nothing to resume.",
        "Start a new audit of the same site.",
      );
    case "full":
      throw capacityReached(result.limit, result.running);
    default:
      return result satisfies never;
  }
});

audits.delete("/:id", async (c) => {
  const id = c.req.param("id");
  if (!(await c.var.service.delete(id, c.var.caller.organizationId))) throw auditNotFound(id);
  return c.body(null, 204);
});

audits.post("/:id/reconcile", async (c) => {
  const id = c.req.param("id");
  const result = await c.var.service.reconcile(id, c.var.caller.organizationId);
  if (result === null) throw auditNotFound(id);
  return c.json({ ...tell(result), audit: await present(c, id) });
});

/** Asks and judges, and records nothing. */
audits.get("/:id/explain", async (c) => {
  const id = c.req.param("id");
  const reading = await c.var.watch.audits.find(id, c.var.caller.organizationId);
  if (reading === null) throw auditNotFound(id);
  const judgement = await lookAt(c.var.watch, reading);
  return c.json(tell({ judgement, error: null, acted: "none" }));
});

function tell({ judgement, error, acted }: ReconcileResult) {
  const { verdict, evidence, auditId, attempt, now } = judgement;
  return {
    auditId,
    attempt,
    verdict: verdict.kind,
    code: verdict.kind === "dead" ? verdict.code : null,
    reason: verdict.reason,
    rule: { id: verdict.rule, text: RULES[verdict.rule] },
    numbers: {
      overdueMs: verdict.overdueMs,
      limitMs: verdict.limitMs,
      ageMs: verdict.ageMs,
      chainMs: verdict.chainMs,
      chainLimitMs: verdict.chainLimitMs,
      seq: verdict.seq,
    },
    evidence,
    acted,
    error,
    judgedAt: now,
  };
}

async function statusOf(c: AppContext, id: string): Promise<StatusReading> {
  const reading = await c.var.service.getStatus(id, c.var.caller.organizationId);
  if (reading === null) throw auditNotFound(id);
  return reading;
}

async function present(c: AppContext, id: string) {
  const { audit, now, supervisor } = await statusOf(c, id);
  return presentAudit(audit, now, supervisor);
}

const notRunning = (audit: { status: string }): Problem =>
  new Problem(409, "audit_not_running", `The audit is ${audit.status}, not running.`, "Nothing is left to cancel.");

function capacityReached(limit: number, running: readonly RunningNow[]): Problem {
  const what = running.map(({ url, startedAt }) => `${url} since ${new Date(startedAt).toISOString()}`).join(", ");
  return new Problem(
    429,
    "audit_capacity_reached",
    `${running.length} of ${limit} audits are running: ${what}.`,
    "Wait until one ends, or cancel one.",
    { retryAfter: 30, details: { running } },
  );
}

/** `Idempotency-Key`, with a hash of the request, so that one key cannot mean two requests. */
async function idempotencyOf(
  c: AppContext,
  request: StartAuditRequest,
): Promise<{ key: string; requestHash: string } | null> {
  const key = c.req.header("idempotency-key");
  if (key === undefined) return null;
  if (key.length < 1 || key.length > 200) {
    throw new Problem(
      400,
      "invalid_idempotency_key",
      `The Idempotency-Key has ${key.length} characters.`,
      "Send 1 to 200 characters, such as a UUID.",
    );
  }
  return { key, requestHash: await requestHash(c.env, request) };
}
