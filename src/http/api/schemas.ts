/**
 * The shapes of the API, once: they guard the door, type the CLI and describe themselves in the OpenAPI document.
 */
import { z } from "zod";
import { CHANGES } from "../../audit/analysis/change-words.ts";
import { auditSummary } from "../../audit/analysis/audit-summary.ts";
import { AUDIT_STATUSES, ENDED_BY, PHASES, SEVERITIES } from "../../storage/schema.ts";

const ms = z.number().int().describe("milliseconds since the epoch");

export { startAuditRequest, type StartAuditRequest } from "./start-request.ts";

/** What a code means to a person. */
export const errorInfo = z.object({
  code: z.string(),
  title: z.string(),
  /** What happened, in plain words. */
  explanation: z.string(),
  /** What to do. */
  advice: z.string(),
  retryable: z.boolean().describe("whether trying again makes sense"),
  detail: z.string().nullable(),
});

export const auditResponse = z.object({
  id: z.string(),
  url: z.string(),
  siteOrigin: z.string().nullable(),
  status: z.enum(AUDIT_STATUSES),
  attempt: z.number().int(),
  phase: z.enum(PHASES),
  maxPages: z.number().int(),
  /** What it was asked for, secrets left out: whether there are any is all that is told. */
  options: z.object({
    include: z.array(z.string()),
    exclude: z.array(z.string()),
    subdomains: z.boolean(),
    maxDepth: z.number().int().nullable(),
    listed: z.number().int().describe("addresses that were given as a list"),
    sitemapOnly: z.boolean(),
    ignoreParameters: z.array(z.string()),
    userAgent: z.string().nullable(),
    requestDelayMs: z.number().int(),
    hasSecrets: z.boolean(),
  }),
  pagesCrawled: z.number().int(),
  pagesTotal: z.number().int().describe("pages known so far, capped at maxPages"),
  createdAt: ms,
  startedAt: ms.describe("when the current attempt began"),
  endedAt: ms.nullable(),
  endedBy: z.enum(ENDED_BY).nullable(),
  heartbeat: z.object({
    at: ms,
    seq: z.number().int(),
    dueAt: ms,
    ageMs: z.number().int(),
    overdue: z.boolean(),
  }),
  /** What the rule makes of a running audit right now: alive, suspect, queued, held, unknown, dead; null once ended. */
  verdict: z
    .object({ kind: z.string(), reason: z.string(), askedAt: ms.nullable(), evidence: z.string().nullable() })
    .nullable(),
  errorCode: z.string().nullable(),
  error: errorInfo.nullable(),
  failedPhase: z.enum(PHASES).nullable(),
  supervisor: z.object({ late: z.boolean(), lastFinishedAt: ms.nullable(), note: z.string().nullable() }),
  summary: auditSummary.nullable(),
  now: ms.describe("the database's clock, by which all ages are reckoned"),
});
export type AuditResponse = z.infer<typeof auditResponse>;

export const issueResponse = z.object({
  check: z.string(),
  severity: z.enum(SEVERITIES),
  url: z.string(),
  evidence: z.looseObject({ message: z.string() }),
  sources: z.object({
    count: z.number().int(),
    sample: z.array(z.object({ url: z.string(), anchor: z.string().nullable() })),
  }),
});
export type IssueResponse = z.infer<typeof issueResponse>;

export const pageResponse = z.object({
  url: z.string(),
  status: z.number().int().nullable(),
  finalUrl: z.string().nullable(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  indexability: z.string(),
  indexabilityDetail: z.string().nullable(),
  depth: z.number().int().nullable(),
  inlinks: z.number().int().nullable(),
  wordCount: z.number().int().nullable(),
  contentType: z.string().nullable(),
  bytes: z.number().int().nullable(),
  ttfbMs: z.number().int().nullable(),
  truncated: z.boolean(),
  failure: z.string().nullable(),
  canonical: z.string().nullable(),
});
export type PageResponse = z.infer<typeof pageResponse>;

/** One page of a list; `nextCursor` goes into `?cursor=`. Null: that was all. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });

/** An issue beside the audit before: `not_seen` where one of the two did not get to its page. */
export const changedIssueResponse = z.object({
  change: z.enum(CHANGES),
  check: z.string(),
  severity: z.enum(SEVERITIES),
  url: z.string(),
  evidence: z.looseObject({ message: z.string() }),
});
export type ChangedIssueResponse = z.infer<typeof changedIssueResponse>;

export const changedPageResponse = z.object({
  change: z.enum(["new", "gone"]),
  url: z.string(),
  status: z.number().int().nullable(),
  title: z.string().nullable(),
});
export type ChangedPageResponse = z.infer<typeof changedPageResponse>;

/** `GET /api/v1/audits/:id/changes`; without an audit to compare with there are no items. */
export const changesResponse = z.object({
  previousAuditId: z.string().nullable(),
  items: z.union([z.array(changedIssueResponse), z.array(changedPageResponse)]),
  nextCursor: z.string().nullable(),
});

/** `GET /api/v1/checks`: the words of every check, by id. */
export const checksResponse = z.record(
  z.string(),
  z.object({
    severity: z.enum(SEVERITIES),
    title: z.string(),
    why: z.string(),
    fix: z.string(),
    source: z.string().nullable(),
  }),
);
export type ChecksResponse = z.infer<typeof checksResponse>;

export const errorResponse = z.object({
  error: z.looseObject({ code: z.string(), message: z.string(), hint: z.string() }),
});
export type ErrorResponse = z.infer<typeof errorResponse>;
