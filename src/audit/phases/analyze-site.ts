/** The analyzing step: what the discovery shows, then what the stored pages show together, and the summary. */
import { sql } from "drizzle-orm";
import { fenceHolds } from "../../storage/fence.ts";
import { insertRows } from "../../storage/insert-rows.ts";
import { analysisInput, analyzeSite as analyze } from "../analysis/analyze-site.ts";
import { loadDiscovery, type StepContext } from "../audit-context.ts";
import { CHECKS, judgeDiscovery } from "../checks/catalogue.ts";
import type { SiteContext } from "../checks/check.ts";

export interface AnalyzeResult {
  score: number | null;
  issues: { error: number; warning: number; notice: number };
}

/** One query of the analysis may take so long; the platform ends it after 30 s. Milliseconds. */
const QUERY_LIMIT_MS = 40_000;

export async function analyzeSite(context: StepContext): Promise<AnalyzeResult> {
  const { db, auditId, pulse, startUrl } = context;
  const { facts: discovery, robotsText } = await loadDiscovery(context);
  const siteOrigin = context.siteOrigin ?? new URL(startUrl).origin;
  const input = await analysisInput(db, { auditId, startUrl, siteOrigin, discovery, robotsText });
  await pulse.save(discoveryIssues(context, input.site));
  const writer = {
    holds: fenceHolds(pulse.fence),
    save: (statements: Parameters<typeof pulse.save>[0]) => pulse.during(QUERY_LIMIT_MS, () => pulse.save(statements)),
  };
  const { score, issues } = await analyze(input, writer, CHECKS);
  await pulse.savePhase({ errors: issues.error, warnings: issues.warning, notices: issues.notice });
  return { score, issues };
}

const COLUMNS = ["audit_id", "check_id", "url_id", "severity", "evidence"];

/** Findings about the site as a whole, numbered 0, -1, -2, ... within their check. */
export function discoveryIssues({ auditId, pulse }: StepContext, site: SiteContext) {
  const holds = fenceHolds(pulse.fence);
  const counts = new Map<string, number>();
  const rows = judgeDiscovery(site).map(({ check, severity, evidence, url }) => {
    const count = counts.get(check) ?? 0;
    counts.set(check, count + 1);
    const shown = url === null ? evidence : { ...evidence, target: url };
    return [auditId, check, -count, severity, JSON.stringify(shown)];
  });
  return [
    sql`delete from audit_issues where audit_id = ${auditId} and url_id <= 0 and ${holds}`,
    ...insertRows("audit_issues", COLUMNS, rows, holds),
  ];
}
