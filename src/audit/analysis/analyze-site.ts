/** The analyzing phase: findings, link graph, comparison and summary of a crawled site, written under the fence. */
import { sql } from "drizzle-orm";
import type { Database } from "../../storage/database.ts";
import type { Check, DiscoveryFacts, SiteContext } from "../checks/check.ts";
import type { AnalysisInput, AnalysisWriter } from "./analysis-context.ts";
import { analyzePages } from "./analyze-pages.ts";
import { compareAudits, previousAuditOf } from "./compare.ts";
import { frontierOf, siteFacts } from "./site-facts.ts";
import { type AuditSummary, summarize } from "./summary.ts";

/** What is known of an audit before it is analysed. */
export interface AuditToAnalyze {
  auditId: string;
  startUrl: string;
  siteOrigin: string;
  discovery: DiscoveryFacts;
  robotsText: string | null;
}

/** Completes what the analysis works with: whether the frontier is empty, and which audit came before. */
export async function analysisInput(db: Database, audit: AuditToAnalyze): Promise<AnalysisInput> {
  const { robotsText, ...known } = audit;
  const { waiting } = await frontierOf(db, audit.auditId);
  const site: SiteContext = {
    ...known,
    crawlCompleted: waiting === 0,
    previousAuditId: await previousAuditOf(db, audit.auditId),
  };
  return { db, site, robotsText };
}

/**
 * Analyses and stores the summary. `checks` is the whole catalogue, for its words and for counting what was passed. May
 * be repeated; throws what `writer.save` throws.
 */
export async function analyzeSite(
  input: AnalysisInput,
  writer: AnalysisWriter,
  checks: readonly Check[],
): Promise<AuditSummary> {
  const { db, site } = input;
  const pass = await analyzePages(input, writer);
  const facts = await siteFacts(db, site.auditId, pass.graph.totals);
  await writer.save([]);
  const comparison = site.previousAuditId == null ? null : await compareAudits(db, site.auditId, site.previousAuditId);
  const sizes = new Map<string, number>();
  for (const template of pass.templates.values()) sizes.set(template, (sizes.get(template) ?? 0) + 1);
  const templates = { of: (urlId: number) => pass.templates.get(urlId), sizes };
  const summary = await summarize({ db, site, facts, templates, checks, comparison });
  await writer.save([
    sql`update audits set summary = ${JSON.stringify(summary)} where id = ${site.auditId} and ${writer.holds}`,
  ]);
  return summary;
}
