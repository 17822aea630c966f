/** Findings gathered by check, from the summary once there is one. Pure, except for reading the counts before. */
import type { DiscoveryFacts, SiteContext } from "../../../audit/checks/check.ts";
import { checkById, CHECKS } from "../../../audit/checks/catalogue.ts";
import { AuditViewRepository, COUNT_LIMIT, type CheckCount } from "../../../storage/audit-view-repository.ts";
import type { Severity } from "../../../storage/schema.ts";
import type { AppContext } from "../../context.ts";
import type { AuditView } from "./load.ts";

export interface FoundCheck {
  id: string;
  title: string;
  why: string;
  fix: string;
  source: string | null;
  /** The worst that it has found. */
  severity: Severity;
  counts: Record<Severity, number>;
  total: number;
  /** The count stopped there; there may be more. */
  atLeast: boolean;
}

export interface Findings {
  found: FoundCheck[];
  /** Checks that were judged and found nothing, with their titles; null: the audit has not been analysed. */
  passed: { id: string; title: string }[] | null;
  counts: Record<Severity, number>;
  atLeast: boolean;
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, notice: 2 };

/** Worst first, then most places, then by name. */
export function byCheck(counts: readonly CheckCount[], limit: number | null): FoundCheck[] {
  const found = new Map<string, FoundCheck>();
  for (const { check, severity, count } of counts) {
    const words = checkById(check);
    const known = found.get(check) ?? {
      id: check,
      title: words?.title ?? check,
      why: words?.why ?? "",
      fix: words?.fix ?? "",
      source: words?.source ?? null,
      severity,
      counts: { error: 0, warning: 0, notice: 0 },
      total: 0,
      atLeast: false,
    };
    known.counts[severity] += count;
    known.total += count;
    if (RANK[severity] < RANK[known.severity]) known.severity = severity;
    if (limit !== null && known.total >= limit) known.atLeast = true;
    found.set(check, known);
  }
  return [...found.values()].toSorted(
    (a, b) => RANK[a.severity] - RANK[b.severity] || b.total - a.total || a.id.localeCompare(b.id),
  );
}

export async function loadFindings(c: AppContext, view: AuditView): Promise<Findings> {
  const repository = new AuditViewRepository(c.var.watch.db);
  const { summary, audit } = view;
  if (summary !== null) {
    const found = byCheck(summary.byCheck, null);
    const discovery = await repository.discovery(audit.id);
    const passed = passedChecks(
      view,
      found,
      discovery === null ? null : (JSON.parse(discovery.facts) as DiscoveryFacts),
    );
    return { found, passed, counts: summary.issues, atLeast: false };
  }
  const ids = CHECKS.map(({ id }) => id);
  const found = byCheck(await repository.issueCounts(audit.id, ids), COUNT_LIMIT);
  const counts = { error: 0, warning: 0, notice: 0 };
  for (const check of found)
    for (const severity of ["error", "warning", "notice"] as const) counts[severity] += check.counts[severity];
  return { found, passed: null, counts, atLeast: found.some(({ atLeast }) => atLeast) };
}

/** A check that could not be judged (most need a whole crawl) has not passed. */
function passedChecks(
  view: AuditView,
  found: readonly FoundCheck[],
  discovery: DiscoveryFacts | null,
): { id: string; title: string }[] {
  const { audit, summary } = view;
  const context: SiteContext = {
    auditId: audit.id,
    siteOrigin: audit.siteOrigin ?? audit.url,
    startUrl: audit.url,
    crawlCompleted: summary?.crawlCompleted ?? false,
    discovery: discovery ?? { robots: { url: "", status: null, unreachable: false, problems: [] }, sitemaps: [] },
    previousAuditId: summary?.comparison?.previousAuditId ?? null,
  };
  const failing = new Set(found.map(({ id }) => id));
  return CHECKS.filter((check) => !failing.has(check.id) && (!("site" in check) || check.site(context) !== null)).map(
    ({ id, title }) => ({ id, title }),
  );
}
