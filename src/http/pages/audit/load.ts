/** What every page of one audit begins with: its status, judged on the spot, and how it is called. */
import { parseOptions, type AuditOptions } from "../../../audit/audit-options.ts";
import type { AttemptRow, AuditRow } from "../../../storage/audit-repository.ts";
import { isOverdue } from "../../../supervision/liveness.ts";
import type { SupervisorHealth } from "../../../supervision/supervisor-health.ts";
import type { AuditResponse } from "../../api/schemas.ts";
import type { AppContext } from "../../context.ts";
import { auditNotFound } from "../../problems.ts";
import { displayHost } from "../../../audit/crawl/url-display.ts";
import { plain } from "../parts/text.tsx";
import type { StatusKind } from "../words.ts";

export type Summary = NonNullable<AuditResponse["summary"]>;

export interface AuditView {
  audit: AuditRow;
  kind: StatusKind;
  options: AuditOptions;
  summary: Summary | null;
  attempts: AttemptRow[];
  supervisor: SupervisorHealth;
  now: number;
  /** The site's host as people read it. */
  host: string;
  /** The origin that is audited, or that of the start address while nobody knows better. */
  origin: string | null;
  path: string;
}

export const kindOf = (audit: Parameters<typeof isOverdue>[0], now: number): StatusKind =>
  isOverdue(audit, now) ? "overdue" : audit.status;

export const hostOf = (url: string): string => {
  const parsed = URL.parse(url);
  if (parsed === null) return plain(url.slice(0, 200));
  return plain(displayHost(parsed.hostname) + (parsed.port === "" ? "" : `:${parsed.port}`));
};

export async function loadAudit(c: AppContext): Promise<AuditView> {
  const id = c.req.param("id") ?? "";
  const reading = await c.var.service.getStatus(id, c.var.caller.organizationId);
  if (reading === null) throw auditNotFound(id);
  const { audit, now, attempts, supervisor } = reading;
  return {
    audit,
    now,
    attempts,
    supervisor,
    kind: kindOf(audit, now),
    options: parseOptions(audit.options),
    summary: audit.summary === null ? null : (JSON.parse(audit.summary) as Summary),
    host: hostOf(audit.siteOrigin ?? audit.url),
    origin: audit.siteOrigin ?? URL.parse(audit.url)?.origin ?? null,
    path: `/audits/${audit.id}`,
  };
}
