/** Everything that the door says no with: a stable code, what is wrong, and how to mend it. */
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

export class Problem extends Error {
  override name = "Problem";
  readonly status: ContentfulStatusCode;
  readonly code: string;
  readonly hint: string;
  /** Seconds, for the Retry-After header. */
  readonly retryAfter: number | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    status: ContentfulStatusCode,
    code: string,
    message: string,
    hint: string,
    extra: { retryAfter?: number; details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.retryAfter = extra.retryAfter ?? (status === 429 || status === 503 ? 30 : null);
    this.details = extra.details ?? {};
  }
}

export const auditNotFound = (id: string): Problem =>
  new Problem(
    404,
    "audit_not_found",
    `There is no audit ${id.slice(0, 60)}.`,
    "Check the id; GET /api/v1/audits lists the audits there are.",
  );

export function problemResponse(c: Context, problem: Problem): Response {
  if (problem.retryAfter !== null) c.header("retry-after", String(problem.retryAfter));
  const { code, message, hint, details } = problem;
  return c.json({ error: { code, message, hint, ...details } }, problem.status);
}

/** What an unexpected error tells the outside: nothing of it; and the log: its message without SQL parameters. */
export function unexpected(error: Error): Problem {
  const cause = error.cause instanceof Error ? error.cause.message : error.message;
  console.error("unexpected error at the door:", cause.slice(0, 300));
  if (/no such table/.test(cause)) {
    return new Problem(
      503,
      "not_migrated",
      "The database has not been set up yet.",
      "Apply the migrations: npx wrangler d1 migrations apply DB --remote",
    );
  }
  if (/D1_ERROR|overloaded|timed? ?out/i.test(cause)) {
    return new Problem(503, "database_unavailable", "The database did not answer.", "Try again in a moment.", {
      retryAfter: 5,
    });
  }
  return new Problem(
    500,
    "internal_error",
    "Something went wrong on the server.",
    "Try again; if it stays, the Worker's log says more.",
  );
}
