/** The end of a run that is still alive: completed, or failed with what is known. Both go through the gate. */
import { sql } from "drizzle-orm";
import { AuditRepository } from "../../storage/audit-repository.ts";
import { SupersededError } from "../../storage/fence.ts";
import { AUDIT_ERRORS, type AuditErrorCode, classifyAuditError } from "../../supervision/audit-errors.ts";
import { persistently } from "../../supervision/heartbeat.ts";
import { analyticsOn } from "../../telemetry/analytics.ts";
import type { StepContext } from "../audit-context.ts";
import { FAILURE_WORDS } from "../crawl/failures.ts";
import { FETCH_FAILURES } from "../crawl/fetched.ts";

export interface Fatal {
  code: AuditErrorCode;
  detail: string;
}

export interface FinishResult {
  status: "completed" | "failed";
  code: string | null;
}

/** An instance whose last step has won is given so long to end by itself before the supervisor ends it. Milliseconds. */
const TERMINATE_AFTER_MS = 5 * 60_000;

export async function finish(context: StepContext, fatal: Fatal | null): Promise<FinishResult> {
  const reason = fatal ?? (await whyNothingWasObtained(context));
  return end(context, reason);
}

/** Called when a step failed for good. What crossed the step's border is an error's text. */
export async function recordFailure(context: StepContext, error: unknown): Promise<FinishResult> {
  return end(context, classifyAuditError(error));
}

async function end(
  context: StepContext,
  reason: Fatal | { code: AuditErrorCode; detail: string | null } | null,
): Promise<FinishResult> {
  const { db, env, auditId, attempt, pulse } = context;
  const status = reason === null ? "completed" : "failed";
  const audits = new AuditRepository(db, analyticsOn(env));
  const won = await persistently(() =>
    audits.end({
      auditId,
      attempt,
      status,
      by: "workflow",
      code: reason?.code ?? null,
      detail: reason?.detail ?? null,
      evidence: reason === null ? null : { title: AUDIT_ERRORS[reason.code].title },
      verdictId: crypto.randomUUID(),
      seq: null,
      stepRun: pulse.fence.stepRun,
      detected: false,
      terminateAfterMs: TERMINATE_AFTER_MS,
    }),
  );
  if (!won && !(await hasEndedItself(context))) throw new SupersededError(`${auditId} was ended by somebody else`);
  return { status, code: reason?.code ?? null };
}

/** A `finish` that is repeated finds its own work done. */
async function hasEndedItself({ db, auditId, attempt }: StepContext): Promise<boolean> {
  const row = await db.get<{ by: string | null } | undefined>(
    sql`select ended_by as by from audit_attempts where audit_id = ${auditId} and attempt = ${attempt}`,
  );
  return row?.by === "workflow";
}

interface StartFacts {
  url: string;
  /** Why it was not asked for. */
  refusal: string | null;
  /** What its redirects came to. */
  targetRefusal: string | null;
  status: number | null;
  failure: string | null;
  failureDetail: string | null;
  contentType: string | null;
}

/** Failures behind which stands somebody's will, not a fault of the network. */
const CODE_OF_FAILURE: Readonly<Record<string, AuditErrorCode>> = { robots_disallowed: "robots_disallowed" };

/** An audit that obtained no HTML page at all has failed, whatever else was written down. The start page says why. */
async function whyNothingWasObtained({ db, auditId }: StepContext): Promise<Fatal | null> {
  const pages = await db.get<{ obtained: number; walls: number }>(sql`
    select coalesce(sum(final_status between 200 and 299 and word_count is not null), 0) as obtained,
      coalesce(sum(indexability = 'blocked-by-bot-protection'), 0) as walls
    from audit_pages where audit_id = ${auditId}`);
  if (pages !== undefined && pages.obtained > 0) return null;
  const start = await db.get<StartFacts | undefined>(sql`
    select u.url, u.refusal, t.refusal as targetRefusal, p.final_status as status, p.failure,
      p.failure_detail as failureDetail, p.content_type as contentType
    from audit_urls u
    left join audit_pages p on p.audit_id = u.audit_id and p.url_id = u.id
    left join audit_urls t on t.audit_id = p.audit_id and t.id = p.target_id
    where u.audit_id = ${auditId} order by u.id limit 1`);
  if (start === undefined) return { code: "site_unreachable", detail: "no address was found to crawl" };
  if (start.refusal === "robots" || start.targetRefusal === "robots") {
    return {
      code: "robots_disallowed",
      detail: `robots.txt does not allow ${start.url}, where the crawl had to start`,
    };
  }
  if (start.failure !== null) {
    const code = CODE_OF_FAILURE[start.failure] ?? "site_unreachable";
    return { code, detail: `${start.url}: ${failureWords(start.failure, start.failureDetail)}` };
  }
  if ((pages?.walls ?? 0) > 0) {
    return { code: "site_blocked", detail: `${start.url} answered ${start.status ?? "a challenge"} to our crawler` };
  }
  if (start.status === null)
    return { code: "site_unreachable", detail: `${start.url} was not asked: ${start.refusal}` };
  if (start.status >= 400) return { code: "site_unreachable", detail: `${start.url} answered ${start.status}` };
  return {
    code: "site_not_html",
    detail: `${start.url} is ${start.contentType ?? "of no stated type"}, not an HTML page`,
  };
}

function failureWords(failure: string, detail: string | null): string {
  const words = FETCH_FAILURES.find((code) => code === failure);
  const said = words === undefined ? failure : FAILURE_WORDS[words];
  return detail === null || detail === "" ? said : `${said} (${detail})`;
}
