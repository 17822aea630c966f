/** The shapes of what is told about judging: explain, reconcile, and the supervisor's state, runs and decisions. */
import { z } from "zod";
import { ENDED_BY } from "../../storage/schema.ts";
import { auditResponse, errorInfo } from "./schemas.ts";

const ms = z.number().int().describe("milliseconds since the epoch");
const length = z.number().describe("milliseconds");
const count = z.number().int();

/** What asking the platform brought; null where it was not asked. */
const evidence = z
  .object({
    said: z.string().describe("a status of the platform, not_found, or unreachable"),
    why: z.string().optional(),
    error: z.union([z.string(), z.object({ name: z.string(), message: z.string() })]).nullish(),
  })
  .nullable();

export const judgementResponse = z.object({
  auditId: z.string(),
  attempt: count,
  verdict: z.string().describe("final, alive, suspect, queued, held, unknown, recreate or dead"),
  code: z.string().nullable().describe("the error code, when dead"),
  reason: z.string(),
  rule: z.object({ id: z.string(), text: z.string() }).describe("the row of the rule that applies"),
  numbers: z.object({
    overdueMs: length.describe("milliseconds past the promise; negative: so long until then"),
    limitMs: length.nullable(),
    ageMs: length,
    chainMs: length,
    chainLimitMs: length.nullable(),
    seq: count,
  }),
  evidence,
  acted: z.enum(["won", "lost", "none"]),
  error: errorInfo.nullable(),
  judgedAt: ms,
});

export const reconcileResponse = judgementResponse.extend({ audit: auditResponse });

/** Judged audits by their verdict, those that there are any of. */
const tally = {
  alive: count.optional(),
  suspect: count.optional(),
  queued: count.optional(),
  held: count.optional(),
  unknown: count.optional(),
  recreate: count.optional(),
};

const sweepReport = z.object({
  ...tally,
  outcome: z.enum(["done", "held", "out_of_budget", "lease_taken", "failed"]),
  checked: count,
  failed: z
    .array(z.object({ audit: z.string().describe("empty unless an administrator asks"), code: z.string() }))
    .describe("the first 50"),
  failedCount: count,
  lost: count.describe("had moved on before they could be failed"),
  heldBack: count.describe("that the breaker kept from being failed"),
  statusCalls: count,
  delivered: count.describe("analytics events"),
  breaker: z
    .object({ lost: count, running: count, tripped: z.boolean(), holds: z.boolean(), heldSweeps: count })
    .nullable(),
  problems: z.array(z.string()),
  terminated: count,
  terminating: count,
  removed: count,
});

export const sweepResponse = sweepReport.extend({
  runId: z.string().nullable(),
  dryRun: z.boolean(),
  note: z.string().nullable(),
});

export const runResponse = z.object({
  id: z.string(),
  startedBy: z.string().describe("cron, scheduled (without the Workflow) or manual"),
  slotAt: ms,
  startedAt: ms,
  endedAt: ms.nullable(),
  outcome: z.string().nullable(),
  checked: count,
  failed: count,
  statusCalls: count,
  report: sweepReport.nullable(),
});

export const decisionResponse = z.object({
  id: count,
  auditId: z.string(),
  attempt: count,
  at: ms,
  by: z.enum(ENDED_BY),
  runId: z.string().nullable(),
  verdict: z.string(),
  code: z.string().nullable(),
  reason: z.string(),
  evidence: z.record(z.string(), z.unknown()).nullable(),
  acted: z.string(),
  detectionMs: length.nullable(),
});

export const supervisorResponse = z.object({
  late: z.boolean(),
  lastFinishedAt: ms.nullable(),
  note: z.string().nullable(),
  heldSweeps: count,
  heldSince: ms.nullable(),
  lastCronAt: ms.nullable(),
  overdue: count,
  running: count,
  now: ms,
});
