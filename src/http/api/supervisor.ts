/** /api/v1/supervisor: its state, its runs and decisions, and a run by command. */
import { Hono } from "hono";
import { reconcileStaleAudits } from "../../supervision/run-sweep.ts";
import { supervisorHealth } from "../../supervision/supervisor-health.ts";
import type { SweepOptions } from "../../supervision/sweep.ts";
import type { SupervisorDecision, SupervisorRun } from "../../storage/supervisor-repository.ts";
import type { SweepReport } from "../../supervision/sweep-report.ts";
import { requireRole } from "../auth/door.ts";
import { type Identity, mayDo } from "../auth/identity.ts";
import type { AppEnv } from "../context.ts";
import { readJson } from "./input.ts";
import { sweepRequest } from "./sweep-request.ts";
import { decisionsQuery, readQuery, runsQuery } from "./parameters.ts";

export const supervisor = new Hono<AppEnv>();

supervisor.get("/", async (c) => {
  const { watch } = c.var;
  const { state, now } = await watch.supervisor.state();
  const counts = await watch.looks.counts();
  return c.json({
    ...supervisorHealth(state, null, now, watch.config),
    heldSweeps: state.heldSweeps,
    heldSince: state.heldSince,
    lastCronAt: state.lastCronAt,
    ...counts,
    now,
  });
});

/** Sweeps now, in this request. */
supervisor.post("/sweep", async (c) => {
  const { dryRun = false, force = false } = await readJson(c, sweepRequest);
  // The breaker guards the audits of all organizations.
  if (force) requireRole(c.var.caller, "admin");
  const { now } = await c.var.watch.supervisor.state();
  const options: SweepOptions = {
    runId: `manual-${crypto.randomUUID()}`,
    startedBy: "manual",
    slotAt: now,
    dryRun,
    force,
  };
  const report = await reconcileStaleAudits(c.env, c.var.watch, options);
  const note = report.outcome === "lease_taken" ? `Another sweep is running; try again in a minute.` : null;
  return c.json({ runId: dryRun ? null : options.runId, dryRun, ...seenBy(c.var.caller, report), note });
});

supervisor.get("/runs", async (c) => {
  const { limit = 50, cursor } = readQuery(c, runsQuery);
  const before = cursor === undefined ? undefined : Number(cursor);
  const rows = await c.var.watch.supervisor.runs(limit + 1, before);
  const items = rows.slice(0, limit);
  return c.json({
    items: items.map((run) => presentRun(run, c.var.caller)),
    nextCursor: rows.length > limit ? String(items.at(-1)?.startedAt) : null,
  });
});

supervisor.get("/decisions", async (c) => {
  const { limit = 50, cursor, audit } = readQuery(c, decisionsQuery);
  const rows = await c.var.watch.supervisor.decisions(limit + 1, {
    ...(cursor === undefined ? {} : { before: Number(cursor) }),
    ...(audit === undefined ? {} : { auditId: audit }),
    ...(mayDo(c.var.caller.role, "admin") ? {} : { organizationId: c.var.caller.organizationId }),
  });
  const items = rows.slice(0, limit);
  return c.json({
    items: items.map(presentDecision),
    nextCursor: rows.length > limit ? String(items.at(-1)?.id) : null,
  });
});

/** A sweep goes over the audits of all organizations: which ones, only an administrator is told. */
const seenBy = ({ role }: Identity, report: SweepReport): SweepReport =>
  mayDo(role, "admin")
    ? report
    : { ...report, failed: report.failed.map(({ code }) => ({ audit: "", code })), problems: [] };

/** A run as whoever asks may see it. */
export const presentRun = ({ report, ...run }: SupervisorRun, caller: Identity) => ({
  ...run,
  report: report === null ? null : seenBy(caller, JSON.parse(report) as SweepReport),
});

const presentDecision = ({ evidence, ...decision }: SupervisorDecision) => ({
  ...decision,
  evidence: JSON.parse(evidence) as unknown,
});
