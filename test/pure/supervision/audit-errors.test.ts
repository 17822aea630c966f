import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  AUDIT_ERROR_CODES,
  AUDIT_ERRORS,
  type AuditErrorCode,
  classifyAuditError,
  wordsOf,
} from "../../../src/supervision/audit-errors.ts";

const named = (name: string, message: string) => ({ name, message });
const failedQuery = (cause: Error) =>
  new Error("Failed query: insert into audits (id, options) values (?, ?)\nparams: a1,hunter2-secret", { cause });

/** Messages as the platform writes them, each with where it comes from in audit-errors.ts. */
const EXACT: [AuditErrorCode, unknown][] = [
  ["oom", "Error: Worker exceeded memory limit."],
  ["oom", new Error("Worker has exceeded memory limit.")],
  ["oom", named("Error", "Durable Object's isolate exceeded its memory limit and was reset.")],
  ["oom", new TypeError("Memory limit exceeded before EOF.")],
  ["cpu_limit", named("Error", "Worker exceeded CPU time limit.")],
  ["cpu_limit", "Error: Worker exceeded CPU time limit."],
  ["step_timeout", named("WorkflowTimeoutError", "Execution timed out after 600000ms")],
  ["step_timeout", "WorkflowTimeoutError: Execution timed out after 240000ms"],
  ["step_timeout", new Error("WorkflowTimeoutError: Execution timed out after 240000ms")],
  [
    "step_output_too_large",
    "WorkflowInternalError: Step crawl pages 1-200-1 output is too large. Maximum allowed size is 1MiB.",
  ],
  [
    "step_output_too_large",
    named("WorkflowInternalError", "Step finish-1 output is too large. Maximum allowed size is 1MiB."),
  ],
  ["step_output_too_large", named("WorkflowFatalError", "The instance has exceeded the 1GiB storage limit")],
  ["subrequest_limit", "Error: Too many subrequests."],
  ["subrequest_limit", new Error("Too many subrequests by single Worker invocation.")],
  [
    "subrequest_limit",
    new Error(
      "Too many subrequests by single Worker invocation. To configure this limit, refer to https://developers.cloudflare.com/workers/wrangler/configuration/#limits",
    ),
  ],
  ["subrequest_limit", new Error("Too many API requests by single worker invocation.")],
  ["subrequest_limit", failedQuery(new Error("D1_ERROR: Too many API requests by single worker invocation."))],
  [
    "steps_limit",
    named(
      "WorkflowFatalError",
      "The limit of 1024 steps has been reached. This limit can be changed in your worker configuration.",
    ),
  ],
  ["workflow_internal", named("WorkflowInternalError", "Attempt failed due to internal workflows error")],
  ["workflow_internal", "WorkflowInternalError: Storage failure for analyze site-1 due to internal error."],
  ["workflow_internal", "WorkflowInternalError: Stored output for finish-1 is corrupt or incomplete."],
  ["workflow_internal", named("WorkflowInternalError", "something new")],
  ["workflow_internal", new Error("internal error; reference = 0a1b2c3d4e5f")],
  [
    "workflow_internal",
    new Error("Durable Object storage operation exceeded timeout which caused object to be reset."),
  ],
  [
    "workflow_internal",
    new Error("Internal error in Durable Object storage write caused object to be reset; reference = 0a1b"),
  ],
  ["workflow_internal", new Error("Durable Object is overloaded. Too many requests queued.")],
  ["workflow_internal", "Error: Aborting engine: Grace period complete"],
  ["deploy_reset", "TypeError: Durable Object reset because its code was updated."],
  [
    "deploy_reset",
    new Error("Connection closed: this Durable Object instance is no longer active. Reconnect or retry the request."),
  ],
  ["db_error", failedQuery(new Error("D1_ERROR: UNIQUE constraint failed: audits.id: SQLITE_CONSTRAINT"))],
  ["db_error", failedQuery(new Error("Network connection lost."))],
  ["db_error", new Error("D1_ERROR: Network connection lost.")],
  ["db_error", new Error("D1_ERROR: D1 DB reset because its code was updated.")],
  ["db_error", new Error("D1_ERROR: internal error; reference = 0a1b2c")],
  ["db_error", new Error("D1_ERROR: Internal error in D1 DB storage caused object to be reset.")],
  ["db_error", new Error("D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.")],
  ["db_error", new Error("D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.")],
  ["db_error", new Error("D1_ERROR: no such table: audits: SQLITE_ERROR")],
  ["db_error", new Error("D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'")],
  ["db_error", "Error: Failed query: select 1\nparams: "],
  ["db_error", "NonRetryableError: D1_ERROR: no such column: x: SQLITE_ERROR"],
  ["db_overloaded", new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long.")],
  ["db_overloaded", failedQuery(new Error("D1_ERROR: D1 DB is overloaded. Too many requests queued."))],
  ["db_overloaded", new Error("D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.")],
  ["db_overloaded", new Error("D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.")],
  ["db_overloaded", new Error("D1_ERROR: D1 DB exceeded its CPU time limit and was reset. [code: 7429]")],
  ["db_overloaded", "TimeLimitError: the database did not answer a heartbeat within 10000 ms"],
  ["storage_full", new Error("D1_ERROR: Exceeded maximum DB size")],
  ["storage_full", failedQuery(new Error("D1_ERROR: database or disk is full: SQLITE_FULL"))],
  ["network_error", new Error("Network connection lost.")],
  ["network_error", "TypeError: Network connection lost."],
  ["workflow_terminated", "Error: Aborting engine: User called terminate"],
  ["workflow_terminated", new Error("Instance terminated during rollback")],
  ["instance_lost", new Error("(instance.not_found) Provided id does not exist")],
  ["instance_lost", new Error("instance.not_found")],
];

/** What a loose pattern would take for one of the above. */
const LOOK_ALIKES: [string, unknown][] = [
  ["a page that was not found", new Error("Page not found")],
  ["an instance of something else", new Error("The instance was not found in the list")],
  ["a title that quotes an error", new Error('unexpected title "Worker exceeded CPU time limit."')],
  ["a site that speaks of memory", new Error("https://a.example/worker-exceeded-memory-limit answered 500")],
  ["another memory limit", new Error("The container exceeded its memory limit")],
  ["a longer sentence", new Error("Network connection lost while parsing user text")],
  ["a timeout of something else", new Error("Request timed out after 15000ms")],
  ["subrequests in a sentence", new Error("This site makes too many subrequests by far")],
  ["an output that is merely large", new Error("output is too large")],
  ["a database that a page speaks of", new Error("page says: D1_ERROR: no such table")],
  ["overload of something else", new Error("Server is overloaded. Requests queued for too long.")],
  ["a code update elsewhere", new Error("Cache reset because its code was updated.")],
  ["a full disk in a headline", new Error("Why your database or disk is full")],
  ["an internal error with more", new Error("internal error: the page builder crashed")],
  ["a terminated process", new Error("User called terminate")],
  ["nothing", undefined],
  ["null", null],
  ["an empty string", ""],
  ["a number", 42],
  ["an empty object", {}],
  ["a symbol", Symbol("x")],
];

describe("classifyAuditError", () => {
  it.each(EXACT)("says %s of %s", (code, error) => {
    expect(classifyAuditError(error).code).toBe(code);
  });

  it.each(LOOK_ALIKES)("is not taken in by %s", (_, error) => {
    expect(classifyAuditError(error).code).toBe("unknown");
  });

  it("keeps what an unknown error said", () => {
    expect(classifyAuditError("RangeError: Invalid string length").detail).toBe("Invalid string length");
  });

  it("never shows SQL or its parameters", () => {
    const details = [
      classifyAuditError(failedQuery(new Error("D1_ERROR: UNIQUE constraint failed: audits.id: SQLITE_CONSTRAINT"))),
      classifyAuditError(failedQuery(new Error(""))),
      classifyAuditError("Error: Failed query: insert into audits values (?)\nparams: hunter2-secret"),
      classifyAuditError("while saving: Failed query: insert into audits values (?)\nparams: hunter2-secret"),
      classifyAuditError("D1_EXEC_ERROR: Error in line 1: INSERT INTO audits VALUES ('hunter2-secret'): sql error"),
      classifyAuditError("D1_TYPE_ERROR: Type 'object' not supported for value 'hunter2-secret'"),
    ].map(({ detail }) => detail);
    for (const detail of details) {
      expect(detail).not.toMatch(/hunter2|insert into|values \(/i);
      expect(detail).not.toBe("");
    }
    expect(details[0]).toBe("UNIQUE constraint failed: audits.id: SQLITE_CONSTRAINT");
  });

  it("never shows credentials", () => {
    const { detail } = classifyAuditError(
      new Error(
        "fetch of https://joe:hunter2@a.example/?token=hunter2&x=1 with Authorization: Basic aHVudGVyMg== failed, api_key='hunter2'",
      ),
    );
    expect(detail).not.toMatch(/hunter2|aHVudGVyMg/);
    expect(detail).toContain("a.example");
  });

  it("bounds the detail and takes out control characters, whatever comes", () => {
    const unit = fc.string({ unit: "binary", maxLength: 3000 });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          unit,
          unit.map((m) => new Error(m)),
        ),
        (error) => {
          const { code, detail } = classifyAuditError(error);
          expect(AUDIT_ERROR_CODES).toContain(code);
          expect(Array.from(detail).length).toBeLessThanOrEqual(500);
          // oxlint-disable-next-line no-control-regex
          expect(detail).not.toMatch(/[\u0000-\u001f]/);
        },
      ),
    );
  });

  it("ends at a chain of causes that goes round", () => {
    const error = new Error("round");
    error.cause = error;
    expect(classifyAuditError(error)).toEqual({ code: "unknown", detail: "round" });
  });
});

describe("the words of a code", () => {
  it.each(AUDIT_ERROR_CODES)("say of %s what happened and what to do, in sentences", (code) => {
    const { title, explanation, advice } = AUDIT_ERRORS[code];
    expect(title).toMatch(/^[A-Zr].+[^.]$/);
    expect(explanation).toMatch(/^[A-Zr].+\.$/);
    expect(advice).toMatch(/^[A-Z].+\.$/);
    expect(`${title}${explanation}${advice}`).not.toMatch(/oops|sorry|please|!/i);
  });

  it("exist for a code that this version does not know", () => {
    expect(wordsOf("from_the_future")).toBe(AUDIT_ERRORS.unknown);
    expect(wordsOf("toString")).toBe(AUDIT_ERRORS.unknown);
  });
});
