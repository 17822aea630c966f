/** How an audit's row is told to the outside. */
import { parseOptions } from "../../audit/audit-options.ts";
import type { AuditRow } from "../../storage/audit-repository.ts";
import { wordsOf } from "../../supervision/audit-errors.ts";
import { isOverdue } from "../../supervision/liveness.ts";
import type { SupervisorHealth } from "../../supervision/supervisor-health.ts";
import { formatDuration } from "../../words.ts";
import type { AuditResponse } from "./schemas.ts";

export function presentAudit(audit: AuditRow, now: number, supervisor: SupervisorHealth): AuditResponse {
  const overdue = isOverdue(audit, now);
  const { maxPages, list, secrets, ownHost: _, ...options } = parseOptions(audit.options);
  return {
    id: audit.id,
    url: audit.url,
    siteOrigin: audit.siteOrigin,
    status: audit.status,
    attempt: audit.attempt,
    phase: audit.phase,
    maxPages,
    options: { ...options, listed: list.length, hasSecrets: secrets !== null },
    pagesCrawled: audit.pagesCrawled,
    pagesTotal: audit.pagesTotal,
    createdAt: audit.createdAt,
    startedAt: audit.attemptStartedAt,
    endedAt: audit.endedAt,
    endedBy: audit.endedBy,
    heartbeat: {
      at: audit.heartbeatAt,
      seq: audit.heartbeatSeq,
      dueAt: audit.heartbeatDueAt,
      ageMs: Math.max(0, now - audit.heartbeatAt),
      overdue,
    },
    verdict: audit.status === "running" ? presentVerdict(audit, now, overdue) : null,
    errorCode: audit.errorCode,
    error:
      audit.errorCode === null
        ? null
        : { code: audit.errorCode, ...wordsOf(audit.errorCode), detail: audit.errorDetail },
    failedPhase: audit.failedPhase,
    supervisor,
    summary: audit.summary === null ? null : (JSON.parse(audit.summary) as AuditResponse["summary"]),
    now,
  };
}

/** The last verdict counts only for the heartbeat that it judged; without one the row speaks for itself. */
function presentVerdict(audit: AuditRow, now: number, overdue: boolean): AuditResponse["verdict"] {
  const ago = formatDuration(Math.max(0, now - audit.heartbeatAt));
  if (!overdue) {
    return { kind: "alive", reason: `last heartbeat ${ago} ago`, askedAt: audit.lastLookAt, evidence: null };
  }
  const silent = `the last heartbeat was ${ago} ago, the next was promised ${formatDuration(now - audit.heartbeatDueAt)} ago`;
  if (audit.lastVerdict === null || audit.seenSeq !== audit.heartbeatSeq) {
    return { kind: "suspect", reason: `${silent}; the platform has not been asked yet`, askedAt: null, evidence: null };
  }
  const verdict = JSON.parse(audit.lastVerdict) as { kind: string; reason: string };
  return { kind: verdict.kind, reason: verdict.reason, askedAt: audit.lastLookAt, evidence: audit.lastEvidence };
}
