/**
 * What the API's routes take and give, for the OpenAPI document: the very schemas that guard the door and type the
 * answers. The type demands an entry for every route.
 */
import { z } from "zod";
import type { ApiRoute } from "../auth/routes.ts";
import {
  auditsQuery,
  changesQuery,
  decisionsQuery,
  issuesQuery,
  pagesQuery,
  runsQuery,
  tokensQuery,
} from "./parameters.ts";
import {
  auditResponse,
  changesResponse,
  checksResponse,
  issueResponse,
  pageOf,
  pageResponse,
  startAuditRequest,
} from "./schemas.ts";
import {
  decisionResponse,
  judgementResponse,
  reconcileResponse,
  runResponse,
  supervisorResponse,
  sweepResponse,
} from "./supervision-schemas.ts";
import { sweepRequest } from "./sweep-request.ts";
import { madeTokenResponse, newTokenRequest, tokenResponse } from "./token-schemas.ts";

/** A body that is no JSON of ours: its types, and what it is. */
export interface Raw {
  types: readonly string[];
  what: string;
}

export interface Operation {
  id: string;
  summary: string;
  tag: "audits" | "results" | "supervisor" | "tokens" | "about";
  query?: z.ZodObject;
  body?: z.ZodType;
  /** By status. Null: no body. */
  answers: Readonly<Record<number, z.ZodType | Raw | null>>;
  /** Problem codes by status, besides those that any route may answer with. */
  problems?: Readonly<Record<number, readonly string[]>>;
  /** Headers that are understood besides the usual ones. */
  headers?: Readonly<Record<string, string>>;
  /** The answer has an ETag and may be a 304. */
  cached?: boolean;
}

const auditPage = pageOf(auditResponse);
const issuePage = pageOf(issueResponse);
const pagePage = pageOf(pageResponse);
const runPage = pageOf(runResponse);
const decisionPage = pageOf(decisionResponse);
const tokenPage = pageOf(tokenResponse);

/** Named parts of the document. */
export const COMPONENTS: Readonly<Record<string, z.ZodType>> = {
  StartAudit: startAuditRequest,
  Audit: auditResponse,
  AuditPage: auditPage,
  Issue: issueResponse,
  IssuePage: issuePage,
  Page: pageResponse,
  PagePage: pagePage,
  Changes: changesResponse,
  Checks: checksResponse,
  Judgement: judgementResponse,
  Reconciled: reconcileResponse,
  Supervisor: supervisorResponse,
  SweepRequest: sweepRequest,
  Sweep: sweepResponse,
  Run: runResponse,
  RunPage: runPage,
  Decision: decisionResponse,
  DecisionPage: decisionPage,
  NewToken: newTokenRequest,
  Token: tokenResponse,
  TokenPage: tokenPage,
  MadeToken: madeTokenResponse,
};

const NO_SUCH_AUDIT = { 404: ["audit_not_found"] } as const;
const BAD_LIST = ["invalid_limit", "invalid_cursor"] as const;
const BAD_BODY = ["invalid_json", "invalid_request"] as const;
const BODY = { 413: ["body_too_large"], 415: ["not_json"] } as const;

export const OPERATIONS: Readonly<Record<ApiRoute, Operation>> = {
  "POST /api/v1/audits": {
    id: "startAudit",
    summary:
      "Starts an audit. The same request under the same Idempotency-Key is answered with the audit of the first one.",
    tag: "audits",
    headers: { "Idempotency-Key": "1 to 200 characters, such as a UUID" },
    body: startAuditRequest,
    answers: { 201: auditResponse, 200: auditResponse },
    problems: {
      400: [
        ...BAD_BODY,
        "invalid_url",
        "unsupported_scheme",
        "address_not_allowed",
        "too_many_pages",
        "no_secret_key",
        "invalid_idempotency_key",
      ],
      409: ["idempotency_key_reused"],
      429: ["audit_capacity_reached"],
      ...BODY,
    },
  },
  "GET /api/v1/audits": {
    id: "listAudits",
    summary: "Audits, newest first. Overdue ones are shown as such; the platform is not asked.",
    tag: "audits",
    query: auditsQuery,
    answers: { 200: auditPage },
    problems: { 400: [...BAD_LIST, "invalid_status"] },
    cached: true,
  },
  "GET /api/v1/audits/:id": {
    id: "getAudit",
    summary: "One audit. An overdue one is judged on the spot, so that none is falsely told to be running.",
    tag: "audits",
    answers: { 200: auditResponse },
    problems: NO_SUCH_AUDIT,
    cached: true,
  },
  "DELETE /api/v1/audits/:id": {
    id: "deleteAudit",
    summary: "Ends an audit and removes it with all that it found.",
    tag: "audits",
    answers: { 204: null },
    problems: NO_SUCH_AUDIT,
  },
  "POST /api/v1/audits/:id/cancel": {
    id: "cancelAudit",
    summary: "Ends a running audit, also one whose compute is gone. What it found is kept.",
    tag: "audits",
    answers: { 200: auditResponse },
    problems: { ...NO_SUCH_AUDIT, 409: ["audit_not_running"] },
  },
  "POST /api/v1/audits/:id/resume": {
    id: "resumeAudit",
    summary: "Goes on with a failed or canceled audit under a new attempt.",
    tag: "audits",
    answers: { 200: auditResponse },
    problems: { ...NO_SUCH_AUDIT, 409: ["audit_running", "audit_completed"], 429: ["audit_capacity_reached"] },
  },
  "POST /api/v1/audits/:id/reconcile": {
    id: "reconcileAudit",
    summary: "Asks the platform about one audit, judges it by the rule, and ends it if it is dead.",
    tag: "audits",
    answers: { 200: reconcileResponse },
    problems: NO_SUCH_AUDIT,
  },
  "GET /api/v1/audits/:id/explain": {
    id: "explainAudit",
    summary: "Which row of the rule applies to an audit, with its numbers. Asks the platform and records nothing.",
    tag: "audits",
    answers: { 200: judgementResponse },
    problems: NO_SUCH_AUDIT,
  },
  "GET /api/v1/audits/:id/issues": {
    id: "listIssues",
    summary: "What an audit has found, in the order of checks, then addresses.",
    tag: "results",
    query: issuesQuery,
    answers: { 200: issuePage },
    problems: { ...NO_SUCH_AUDIT, 400: [...BAD_LIST, "invalid_severity", "invalid_check"] },
    cached: true,
  },
  "GET /api/v1/audits/:id/pages": {
    id: "listPages",
    summary: "The pages that an audit has crawled.",
    tag: "results",
    query: pagesQuery,
    answers: { 200: pagePage },
    problems: { ...NO_SUCH_AUDIT, 400: BAD_LIST },
    cached: true,
  },
  "GET /api/v1/audits/:id/changes": {
    id: "listChanges",
    summary: "What is new, fixed, still there or gone beside the previous completed audit of the same site.",
    tag: "results",
    query: changesQuery,
    answers: { 200: changesResponse },
    problems: { ...NO_SUCH_AUDIT, 400: [...BAD_LIST, "invalid_kind", "invalid_change"] },
    cached: true,
  },
  "GET /api/v1/audits/:id/export/:file": {
    id: "exportAudit",
    summary: "The whole report as a file, streamed.",
    tag: "results",
    answers: {
      200: {
        types: ["application/json", "text/csv", "application/sarif+json", "application/xml", "text/html"],
        what: "audit.json, issues.csv, pages.csv, links.csv, issues.sarif, sitemap.xml or report.html",
      },
    },
    problems: { 404: ["audit_not_found", "no_such_export"] },
  },
  "GET /api/v1/checks": {
    id: "listChecks",
    summary: "The words of every check, by its id.",
    tag: "about",
    answers: { 200: checksResponse },
  },
  "GET /api/v1/supervisor": {
    id: "getSupervisor",
    summary: "Whether the supervisor is on time, and how many audits run.",
    tag: "supervisor",
    answers: { 200: supervisorResponse },
  },
  "POST /api/v1/supervisor/sweep": {
    id: "sweep",
    summary: "Asks about every overdue audit now and ends those that are dead. `force` takes an administrator.",
    tag: "supervisor",
    body: sweepRequest,
    answers: { 200: sweepResponse },
    problems: { 400: BAD_BODY, ...BODY },
  },
  "GET /api/v1/supervisor/runs": {
    id: "listRuns",
    summary: "Runs of the supervisor, newest first.",
    tag: "supervisor",
    query: runsQuery,
    answers: { 200: runPage },
    problems: { 400: BAD_LIST },
  },
  "GET /api/v1/supervisor/decisions": {
    id: "listDecisions",
    summary: "Verdicts that changed, newest first; about own audits, unless an administrator asks.",
    tag: "supervisor",
    query: decisionsQuery,
    answers: { 200: decisionPage },
    problems: { 400: [...BAD_LIST, "invalid_audit"] },
  },
  "POST /api/v1/tokens": {
    id: "makeToken",
    summary: "Makes an API token. It is shown this once.",
    tag: "tokens",
    body: newTokenRequest,
    answers: { 201: madeTokenResponse },
    problems: { 400: BAD_BODY, 409: ["project_taken"], ...BODY },
  },
  "GET /api/v1/tokens": {
    id: "listTokens",
    summary: "API tokens of all organizations, newest first, revoked ones included.",
    tag: "tokens",
    query: tokensQuery,
    answers: { 200: tokenPage },
    problems: { 400: BAD_LIST },
  },
  "DELETE /api/v1/tokens/:id": {
    id: "revokeToken",
    summary: "Revokes a token, and with it every sign-in that it was traded for.",
    tag: "tokens",
    answers: { 204: null },
    problems: { 404: ["token_not_found"] },
  },
  "GET /api/v1/openapi.json": {
    id: "getOpenApi",
    summary: "This document.",
    tag: "about",
    answers: { 200: z.looseObject({ openapi: z.string() }) },
  },
};
