/**
 * What an error means: the platform's exact messages, and nothing that only looks like them.
 *
 * Messages come as an Error, as the {name, message} of an instance's status, or as a string: what crosses a step boundary
 * loses its class and arrives as "MyError: ...". drizzle puts SQL and its parameters into the message and the database's
 * own words into `cause`. A crawled page can bring any text into a message, so patterns are anchored at its start.
 *
 * Sources: workerd (src/workerd/io), the engine of Workflows as miniflare ships it, developers.cloudflare.com
 * /d1/observability/debug-d1, /durable-objects/observability/troubleshooting, /workflows/reference/limits.
 */
import type { AuditErrorCode } from "./audit-error-words.ts";

export {
  AUDIT_ERROR_CODES,
  AUDIT_ERRORS,
  type AuditErrorCode,
  type AuditErrorWords,
  wordsOf,
} from "./audit-error-words.ts";

export interface ClassifiedError {
  code: AuditErrorCode;
  /** What was said, at most 500 characters, without SQL, parameters or credentials; "" if nothing was. */
  detail: string;
}

const DETAIL_LIMIT = 500;

/** Tried in order against a message whose leading "SomeError: " and "D1_ERROR: " have been taken off. */
const MESSAGES: readonly (readonly [AuditErrorCode, RegExp])[] = [
  ["oom", /^Worker (?:has )?exceeded memory limit\.?$/],
  ["oom", /^Durable Object's isolate exceeded its memory limit/],
  ["oom", /^Memory limit (?:would be )?exceeded before EOF\.$/],
  ["oom", /^exceededMemory$/],
  ["cpu_limit", /^Worker exceeded CPU time limit\.?$/],
  ["cpu_limit", /^Durable Object exceeded its CPU time limit and was reset\.$/],
  ["cpu_limit", /^exceededCpu$/],
  ["step_timeout", /^Execution timed out after \d+ ?ms\.?$/],
  ["step_timeout", /^The Workers runtime canceled this request because it detected that your Worker's code had hung\b/],
  ["step_output_too_large", /^Step .{1,300} output is too large\. Maximum allowed size is 1 ?MiB\.?$/],
  ["step_output_too_large", /^The instance has exceeded the 1 ?GiB storage limit\.?$/],
  ["step_output_too_large", /^Aborting engine: Storage limit exceeded$/],
  ["subrequest_limit", /^Too many subrequests(?:\.| by single Worker invocation\.|$)/i],
  ["subrequest_limit", /^Too many API requests by single Worker invocation\./i],
  ["steps_limit", /^The limit of [\d,]+ steps has been reached\./],
  ["deploy_reset", /^Durable Object reset because its code was updated\.?$/],
  ["deploy_reset", /^Connection closed: this Durable Object instance is no longer active\./],
  ["workflow_terminated", /^Aborting engine: User called (?:terminate|delete|restart|pause)$/],
  ["workflow_terminated", /^Instance terminated during rollback$/],
  ["instance_lost", /^\(?instance\.not_found\)?(?:$|\s)/],
  ["storage_full", /^Exceeded maximum DB size\b/],
  ["storage_full", /^database or disk is full(?:: SQLITE_FULL)?(?:$|\s)/],
  ["db_overloaded", /^D1 DB is overloaded\./],
  ["db_overloaded", /^D1 DB storage operation exceeded timeout which caused object to be reset\./],
  ["db_overloaded", /^D1 DB's isolate exceeded its memory limit and was reset\./],
  ["db_overloaded", /^D1 DB exceeded its CPU time limit and was reset\./],
  ["db_overloaded", /^the database did not answer\b/],
  ["db_error", /^D1 DB reset because its code was updated\./],
  ["db_error", /^Internal error (?:while starting up|in) D1 DB storage caused object to be reset\b/],
  ["db_error", /^Cannot resolve D1 DB due to transient issue on remote node\./],
  ["db_error", /^Can't read from request stream because client disconnected\./],
  ["network_error", /^Network connection lost\.?$/],
  ["workflow_internal", /^Attempt failed due to internal workflows error\.?$/],
  ["workflow_internal", /^Storage failure for .{1,300} due to internal error\.$/],
  ["workflow_internal", /^Stored output for .{1,300} is corrupt or incomplete\.$/],
  ["workflow_internal", /^internal error(?:; reference = [\w-]+)?\.?$/],
  [
    "workflow_internal",
    /^Internal error in Durable Object storage .{1,60}caused object to be reset(?:; reference = [\w-]+)?\.?$/,
  ],
  ["workflow_internal", /^Durable Object storage operation exceeded timeout which caused object to be reset\.$/],
  ["workflow_internal", /^Durable Object is overloaded\. (?:Too many |Too much |Requests queued for too long)/],
  ["workflow_internal", /^Aborting engine: Grace period complete$/],
  ["workflow_internal", /^workflows\.api\.error\.internal_server(?:$|\s)/],
];

/** Classes that say enough by themselves, when the message did not. */
const NAMES: Readonly<Record<string, AuditErrorCode>> = {
  WorkflowTimeoutError: "step_timeout",
  WorkflowInternalError: "workflow_internal",
};

/** What the platform could have said in more than one place counts as the database's when the database said it. */
const SAID_BY_DATABASE: Partial<Record<AuditErrorCode, AuditErrorCode>> = {
  network_error: "db_error",
  workflow_internal: "db_error",
  oom: "db_overloaded",
  cpu_limit: "db_overloaded",
};

/** Turns any error into a code and a detail that may be shown. Never throws. */
export function classifyAuditError(error: unknown): ClassifiedError {
  // The innermost cause knows best, the outer ones only know that something failed.
  const said = messagesOf(error).toReversed();
  const byDatabase = said.some((message) => message.database);
  for (const { names, text } of said) {
    const code = MESSAGES.find(([, pattern]) => pattern.test(text))?.[0] ?? codeByName(names);
    if (code !== undefined) return { code: (byDatabase && SAID_BY_DATABASE[code]) || code, detail: detailOf(text) };
  }
  const best = said.find(({ text }) => text !== "" && !isQuery(text));
  const detail = detailOf(best?.text ?? (byDatabase ? "a query failed" : ""));
  return { code: byDatabase ? "db_error" : "unknown", detail };
}

interface Said {
  /** The classes that were named, outermost first. */
  names: string[];
  text: string;
  database: boolean;
}

/** The messages of an error and its causes, outermost first. */
function messagesOf(error: unknown): Said[] {
  const found: Said[] = [];
  let current = error;
  for (let depth = 0; depth < 5 && current !== undefined && current !== null; depth += 1) {
    if (typeof current === "string") {
      found.push(parse("", current));
      break;
    }
    if (typeof current !== "object") break;
    const { name, message, cause } = current as { name?: unknown; message?: unknown; cause?: unknown };
    found.push(parse(typeof name === "string" ? name : "", typeof message === "string" ? message : ""));
    current = cause;
  }
  return found;
}

const isQuery = (text: string): boolean => text.startsWith("Failed query:");

function parse(name: string, message: string): Said {
  const names = name === "" ? [] : [name];
  let text = message
    .slice(0, 10_000)
    .trim()
    .replace(/^Uncaught (?:\(in promise\) )?/, "");
  for (let i = 0; i < 6; i += 1) {
    const prefix = /^([A-Za-z_$][\w$]{0,60}(?:Error|Exception)|Error|D1_[A-Z_]{1,30}): /.exec(text);
    if (prefix === null) break;
    names.push(prefix[1] ?? "");
    text = text.slice(prefix[0].length);
  }
  const database = isQuery(text) || names.some((n) => n.startsWith("D1_") || n === "DrizzleQueryError");
  // The text of these carries SQL or a bound value.
  if (names.includes("D1_EXEC_ERROR")) text = "a statement was refused";
  if (names.includes("D1_TYPE_ERROR")) text = text.replace(/ for value .*$/s, "");
  return { names, text, database };
}

const codeByName = (names: readonly string[]): AuditErrorCode | undefined =>
  names.map((name) => (Object.hasOwn(NAMES, name) ? NAMES[name] : undefined)).find((code) => code !== undefined);

/** What may be stored and shown of a message. */
function detailOf(text: string): string {
  const query = text.indexOf("Failed query:");
  const safe = (query >= 0 ? `${text.slice(0, query)}a query failed` : text)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, "$1***@")
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, "$1 ***")
    .replace(
      /\b([\w-]*(?:password|passwd|secret|token|api[_-]?key|authorization|cookie))(["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s&,;]+)/gi,
      "$1$2***",
    )
    .trim();
  const characters = Array.from(safe.slice(0, 2 * DETAIL_LIMIT));
  return characters.length > DETAIL_LIMIT ? `${characters.slice(0, DETAIL_LIMIT - 1).join("")}…` : characters.join("");
}
