/** Talks to a running or deployed Pulse Audit. Every answer is held against the schemas that the server is built from. */
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import * as schemas from "../http/api/schemas.ts";
import { safe } from "./text.ts";

const REQUEST_TIMEOUT_MS = 30_000;
/** A report of 10,000 pages with all their links is long. */
const DOWNLOAD_TIMEOUT_MS = 600_000;
/** Items of a list in one answer, as many as the server gives: few requests for long lists. */
const LIST_LIMIT = 500;

/** The server said no, in its own words. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  readonly retryAfterMs: number | null;
  constructor(status: number, error: { code: string; message: string; hint: string }, retryAfterMs: number | null) {
    super(safe(error.message));
    this.status = status;
    this.code = safe(error.code);
    this.hint = safe(error.hint);
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer. */
export class ServerUnreachable extends Error {
  override name = "ServerUnreachable";
}

/** An answer that Pulse Audit, or this version of it, would not give. Asking again does not help. */
export class StrangeAnswer extends ServerUnreachable {
  override name = "StrangeAnswer";
}

interface ApiOptions {
  server: URL;
  token?: string | undefined;
  signal?: AbortSignal | undefined;
}

interface Request {
  method?: "GET" | "POST" | "DELETE";
  body?: unknown;
  headers?: Record<string, string>;
  /** Used instead of the client's own, for what must still be said after an interruption. */
  signal?: AbortSignal;
  /** The answer may take as long as it likes once it has begun. */
  isLong?: boolean;
}

export type Api = ReturnType<typeof createApi>;

/** The route of one audit, below the server's address. */
const audit = (id: string): string => `api/v1/audits/${encodeURIComponent(id)}`;

/** The reason under the reasons: fetch says "fetch failed" only. */
function rootCause(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return at instanceof Error ? at.message || at.name : String(at);
}

function retryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? "");
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 300) * 1_000 : null;
}

export function createApi({ server, token, signal }: ApiOptions) {
  const base = server.href.replace(/[?#].*$/, "").replace(/\/*$/, "/");

  async function ask(path: string, request: Request): Promise<Response> {
    const limit = request.isLong ? DOWNLOAD_TIMEOUT_MS : REQUEST_TIMEOUT_MS;
    const signals = [AbortSignal.timeout(limit), request.signal ?? signal].filter((s) => s !== undefined);
    try {
      return await fetch(new URL(path, base), {
        method: request.method ?? "GET",
        headers: {
          accept: "application/json",
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(request.body === undefined ? {} : { "content-type": "application/json" }),
          ...request.headers,
        },
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        // Followed, the token could end at another server.
        redirect: "manual",
        signal: AbortSignal.any(signals),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new ServerUnreachable(`No answer from ${server.href}: ${rootCause(error)}`);
    }
  }

  async function answerOf(path: string, request: Request): Promise<unknown> {
    const response = await ask(path, request);
    if (response.status >= 300 && response.status < 400) {
      const to = safe(response.headers.get("location") ?? "nowhere").slice(0, 200);
      throw new StrangeAnswer(`${server.href} redirects to ${to}. Give the server's own address with --server.`);
    }
    if (request.isLong && response.ok) return response.body;
    let body: unknown;
    try {
      const text = await response.text();
      body = text === "" ? null : JSON.parse(text);
    } catch (error) {
      signal?.throwIfAborted();
      if (response.ok)
        throw new StrangeAnswer(`${server.href} does not answer as Pulse Audit does: ${rootCause(error)}`);
    }
    if (response.ok) return body;
    const problem = schemas.errorResponse.safeParse(body);
    const error = problem.success
      ? problem.data.error
      : {
          code: `http_${response.status}`,
          message: `${server.href} answered ${response.status}.`,
          hint: "Is it a Pulse Audit server?",
        };
    throw new ApiError(response.status, error, retryAfter(response));
  }

  async function get<T extends z.ZodType>(path: string, schema: T, request: Request = {}): Promise<z.infer<T>> {
    const parsed = schema.safeParse(await answerOf(path, request));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new StrangeAnswer(
      `${server.href} answered /${path} in another form than this version expects (${issue?.path.join(".")}: ${issue?.message}). Are both of the same version?`,
    );
  }

  async function* list<T extends z.ZodType>(path: string, item: T): AsyncGenerator<z.infer<T>> {
    const schema = schemas.pageOf(item);
    let cursor: string | null = null;
    for (;;) {
      const query: string = `?limit=${LIST_LIMIT}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
      const page: { items: z.infer<T>[]; nextCursor: string | null } = await patiently(() => get(path + query, schema));
      yield* page.items;
      if (page.nextCursor === null) return;
      if (page.nextCursor === cursor) throw new StrangeAnswer(`${server.href} gave the same page of /${path} twice.`);
      cursor = page.nextCursor;
    }
  }

  /** A long list is not given up for one refusal that passes. */
  async function patiently<T>(call: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await call();
      } catch (error) {
        const passes = error instanceof ApiError && (error.status === 429 || error.status >= 500);
        if (!passes || tries === 4) throw error;
        await sleep(error.retryAfterMs ?? 1_000 * tries, undefined, signal ? { signal } : {});
      }
    }
  }

  return {
    server,
    start: (body: schemas.StartAuditRequest, idempotencyKey: string) =>
      get("api/v1/audits", z.looseObject({ id: z.string() }), {
        method: "POST",
        body,
        headers: { "idempotency-key": idempotencyKey },
      }),
    audit: (id: string) => get(audit(id), schemas.auditResponse),
    issues: (id: string) => list(`${audit(id)}/issues`, schemas.issueResponse),
    pages: (id: string) => list(`${audit(id)}/pages`, schemas.pageResponse),
    /** The first changes of a kind beside the audit before. */
    changes: async <Kind extends "issues" | "pages">(id: string, kind: Kind, change: string, limit: number) => {
      const item = kind === "issues" ? schemas.changedIssueResponse : schemas.changedPageResponse;
      const path = `${audit(id)}/changes?kind=${kind}&change=${change}&limit=${limit}`;
      const { items } = await patiently(() => get(path, schemas.pageOf(item)));
      return items as Kind extends "issues" ? schemas.ChangedIssueResponse[] : schemas.ChangedPageResponse[];
    },
    /** A report as the server makes it, piece by piece. */
    export: async (id: string, file: string): Promise<AsyncIterable<Uint8Array>> =>
      (await patiently(() => answerOf(`${audit(id)}/export/${file}`, { isLong: true }))) as AsyncIterable<Uint8Array>,
    checks: () => get("api/v1/checks", schemas.checksResponse),
    /** Any other route; the answer as it comes. `what` follows /api/v1/. */
    call: (method: "GET" | "POST" | "DELETE", what: string, body?: unknown, own?: AbortSignal) =>
      answerOf(`api/v1/${what}`, { method, body, ...(own ? { signal: own } : {}) }),
  };
}
