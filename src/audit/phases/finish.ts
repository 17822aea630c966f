/** The end of a run that is still alive: completed, or failed with what is known. Both go through the gate. */
import { sql } from "drizzle-orm";
import { AuditRepository } from "../../storage/audit-repository.ts";
import { SupersededError } from "../../storage/fence.ts";
import { AUDIT_ERRORS, type AuditErrorCode, classifyAuditError } from "../../supervision/audit-errors.ts";
import { persistently } from "../../supervision/heartbeat.ts";
import { analyticsOn } from "../../telemetry/analytics.ts";
import type { StepContext } from "../audit-context.ts";

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

interface PageCounts {
  obtained: number;
  walls: number;
  /** What the start page came to. */
  status: number | null;
  failure: string | null;
  failureDetail: string | null;
  contentType: string | null;
  url: string | null;
}

/** An audit that obtained no page at all has failed, whatever else was written down. */
async function whyNothingWasObtained({ db, auditId }: StepContext): Promise<Fatal | null> {
  const counts = await db.get<PageCounts>(sql`
    select (select count(*) from audit_pages where audit_id = ${auditId} and final_status between 200 and 299 and title_key is not null
        or audit_id = ${auditId} and final_status between 200 and 299 and word_count is not null) as obtained,
      (select count(*) from audit_pages where audit_id = ${auditId} and indexability = 'blocked-by-bot-protection') as walls,
      p.final_status as status, p.failure, p.failure_detail as failureDetail, p.content_type as contentType, u.url
    from audit_urls u left join audit_pages p on p.audit_id = u.audit_id and p.url_id = u.id
    where u.audit_id = ${auditId} order by p.url_id is null, u.id limit 1`);
  if (counts === undefined) return { code: "site_unreachable", detail: "no address was found to crawl" };
  if (counts.obtained > 0) return null;
  const where = counts.url ?? "the start page";
  if (counts.walls > 0)
    return { code: "site_blocked", detail: `${where} answered ${counts.status ?? "with a challenge"} to our crawler` };
  if (counts.failure !== null)
    return { code: "site_unreachable", detail: `${where}: ${counts.failureDetail ?? counts.failure}` };
  if (counts.status === null)
    return { code: "robots_disallowed", detail: `robots.txt allows no page that the crawl could start from` };
  if (counts.status >= 400) return { code: "site_unreachable", detail: `${where} answered ${counts.status}` };
  return {
    code: "site_not_html",
    detail: `${where} is ${counts.contentType ?? "of no stated type"}, not an HTML page`,
  };
}
