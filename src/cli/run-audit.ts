/** One audit from start to report, on a server that runs already or on one that is brought along. */
import { randomUUID } from "node:crypto";
import type { AuditResponse, StartAuditRequest } from "../http/api/schemas.ts";
import type { Severity } from "../storage/schema.ts";
import { createApi, ServerUnreachable, type Api } from "./api-client.ts";
import { EXIT } from "./command.ts";
import { compareLines, SHOWN } from "./compare-report.ts";
import { followAudit } from "./follow-audit.ts";
import { hasColour, widthOf, type Io } from "./io.ts";
import type { LocalRuntime } from "./local-runtime.ts";
import { startOwnRuntime } from "./own-runtime.ts";
import { showProgress, type ProgressDisplay } from "./progress-display.ts";
import { type FileRequest, openReportFiles, type ReportFiles } from "./report-files.ts";
import { reportLines } from "./report.ts";
import { type Paint, painter, plural, safe } from "./text.ts";

export interface AuditRequest {
  url: URL;
  /** What is sent to the server; the address alone unless given. */
  body?: StartAuditRequest;
  /** Reports to write. */
  files?: readonly FileRequest[];
  /** Whether to list what has changed since the audit before. */
  compare?: boolean;
  failOn: "error" | "warning" | "never";
  /** Absent: a runtime of our own. */
  server?: URL | undefined;
  /** Where the state of the runtime of our own lives; absent: in folders of its own. Absolute. */
  stateDir?: string | undefined;
  /** wrangler vars for the runtime of our own. */
  vars?: Record<string, string>;
  verbose: boolean;
}

const LOCAL_POLL_MS = 400;
const REMOTE_POLL_MS = 2_000;
const CANCEL_WITHIN_MS = 2_000;

/** Resolves to the exit code. Whatever happens, nothing that was started here is left running. */
export async function runAudit(request: AuditRequest, io: Io): Promise<number> {
  const files = await openReportFiles(request.files ?? []);
  const display = showProgress(io);
  let runtime: LocalRuntime | null = null;
  try {
    const context = { request, io, files, display };
    if (request.server) return await auditOn(request.server, REMOTE_POLL_MS, { ...context, signal: io.signal });
    display.say("Starting the local runtime ...");
    runtime = await startOwnRuntime({
      url: request.url,
      stateDir: request.stateDir,
      vars: request.vars,
      verbose: request.verbose,
      ...(request.verbose ? { onLine: (line: string) => display.say(safe(line)) } : {}),
      signal: io.signal,
    });
    const signal = AbortSignal.any([io.signal, endOf(runtime)]);
    return await auditOn(new URL(runtime.url), LOCAL_POLL_MS, { ...context, signal });
  } finally {
    display.end();
    await files.discard();
    await runtime?.stop();
  }
}

/** Aborted when the runtime ends under its audit. */
function endOf(runtime: LocalRuntime): AbortSignal {
  const controller = new AbortController();
  const lost = (): void => {
    const lines = ["The local runtime ended unexpectedly.", ...runtime.lastLines()];
    controller.abort(new ServerUnreachable(lines.join("\n")));
  };
  void runtime.ended.then(lost);
  return controller.signal;
}

interface Context {
  request: AuditRequest;
  io: Io;
  files: ReportFiles;
  display: ProgressDisplay;
  signal: AbortSignal;
}

async function auditOn(server: URL, everyMs: number, context: Context): Promise<number> {
  const { request, io, files, display, signal } = context;
  const token = request.server ? io.env.PULSE_AUDIT_TOKEN : undefined;
  const api = createApi({ server, token, signal });
  const { id } = await api.start(request.body ?? { url: request.url.href }, randomUUID());
  const where = request.server ? ` on ${server.origin}` : "";
  display.say(`Auditing ${safe(request.url.href)}${where}, audit ${safe(id)}`);
  let last: AuditResponse | null = null;
  try {
    const audit = await followAudit(api, id, display, { everyMs, signal, seen: (seen) => (last = seen) });
    display.end();
    const written = await files.write(api, audit);
    const look = { columns: widthOf(io.out), paint: painter(hasColour(io.out, io.env)) };
    const lines = [
      ...reportLines(audit, { ...look, files: written }),
      ...(request.compare ? await comparisonLines(api, audit, look) : []),
    ];
    io.out.write(`${io.out.isTTY ? "\n" : ""}${lines.join("\n")}\n`);
    return exitCodeOf(audit, request.failOn);
  } catch (error) {
    display.end();
    if (io.signal.aborted) await interrupted(api, id, last, { request, io });
    throw signal.aborted ? signal.reason : error;
  }
}

async function comparisonLines(
  api: Api,
  audit: AuditResponse,
  options: { columns: number; paint: Paint },
): Promise<string[]> {
  const comparison = audit.summary?.comparison ?? null;
  const changes = { issues: { new: [], fixed: [] }, pages: { new: [], gone: [] } };
  if (comparison === null) return compareLines(audit, null, changes, options);
  return compareLines(
    audit,
    comparison,
    {
      issues: {
        new: await api.changes(audit.id, "issues", "new", SHOWN),
        fixed: await api.changes(audit.id, "issues", "fixed", SHOWN),
      },
      pages: {
        new: await api.changes(audit.id, "pages", "new", SHOWN),
        gone: await api.changes(audit.id, "pages", "gone", SHOWN),
      },
    },
    options,
  );
}

export function exitCodeOf(audit: AuditResponse, failOn: AuditRequest["failOn"]): number {
  if (audit.status !== "completed") return EXIT.failed;
  const counted: Severity[] = failOn === "never" ? [] : failOn === "error" ? ["error"] : ["error", "warning"];
  const found = counted.some((severity) => (audit.summary?.issues[severity] ?? 0) > 0);
  return found ? EXIT.findings : EXIT.fine;
}

/** An audit of our own runtime ends with it, and its row shall say so; one on a server goes on without us. */
async function interrupted(
  api: Api,
  id: string,
  last: AuditResponse | null,
  { request, io }: Pick<Context, "request" | "io">,
): Promise<void> {
  const pages = last ? `, after ${plural(last.pagesCrawled, "page")}` : "";
  if (request.server) {
    const options = `${id} --server ${request.server.href}`;
    io.err.write(
      `Interrupted here${pages}. The audit goes on at ${request.server.origin}.\n  follow it:  npm run audit -- status ${options}\n  end it:     npm run audit -- cancel ${options}\n`,
    );
    return;
  }
  const own = AbortSignal.timeout(CANCEL_WITHIN_MS);
  const canceled = await api.call("POST", `audits/${encodeURIComponent(id)}/cancel`, undefined, own).then(
    () => true,
    () => false,
  );
  io.err.write(
    canceled
      ? `Interrupted${pages}: the audit was canceled, nothing is left running.\n`
      : `Interrupted${pages}: the runtime stops, but the audit could not be canceled first; its row says so once it is looked at again.\n`,
  );
}
