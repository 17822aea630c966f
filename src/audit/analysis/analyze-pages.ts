/**
 * The analysis of a crawled site: one pass over its pages, what that says of each page, then the checks that are
 * queries. It may be repeated at any time: it forgets its earlier findings, and pages that did not change are not
 * written again.
 */
import { sql } from "drizzle-orm";
import { SITE_ADDITIONS } from "../checks/site/additions.ts";
import { ANALYSED_CHECKS, SITE_CHECKS } from "../checks/site/index.ts";
import type { AnalysisInput, AnalysisWriter } from "./analysis-context.ts";
import { forgetIssues, saveFound, saveInlinks, savePages, saveSelected } from "./save-findings.ts";
import { passSite, type SitePass } from "./site-pass.ts";
import { trapIssues } from "./trap-issues.ts";

/** Everything that this module may have found before. Findings of other modules are not its to remove. */
const OWN_CHECKS: readonly string[] = [...SITE_CHECKS, ...ANALYSED_CHECKS, { id: "crawl.trap" }].map(({ id }) => id);

/** Queries of one batch: each batch waits for the disk, and its beat for all of them. */
const QUERIES_AT_ONCE = 6;

export async function analyzePages(input: AnalysisInput, writer: AnalysisWriter): Promise<SitePass> {
  const { auditId } = input.site;
  const { holds, save } = writer;
  const pass = await passSite(input, () => save([]));
  await save([
    forgetIssues(auditId, OWN_CHECKS, holds),
    ...SITE_ADDITIONS.map(
      ({ stale }) => sql`delete from audit_issues where audit_id = ${auditId} and ${stale} and ${holds}`,
    ),
  ]);
  for (const statement of saveInlinks(auditId, pass, holds)) await save([statement]);
  for (const statement of savePages(auditId, pass, holds)) await save([statement]);
  const found = [...pass.issues, ...(await trapIssues(input.db, input.site))];
  for (const statement of saveFound(auditId, found, holds)) await save([statement]);
  const selected = SITE_CHECKS.flatMap((check) => {
    const query = check.site(input.site);
    return query === null ? [] : [saveSelected(auditId, check.id, query, holds)];
  });
  // Additions come last: they leave what a check has found already as it is.
  selected.push(...SITE_ADDITIONS.map(({ id, site }) => saveSelected(auditId, id, site(input.site), holds, "ignore")));
  for (let at = 0; at < selected.length; at += QUERIES_AT_ONCE) await save(selected.slice(at, at + QUERIES_AT_ONCE));
  return pass;
}
