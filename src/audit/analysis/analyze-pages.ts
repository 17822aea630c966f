/**
 * The analysis of a crawled site: one pass over its pages, what that says of each page, then the checks that are
 * queries. It may be repeated at any time: it forgets its earlier findings, and pages that did not change are not
 * written again.
 */
import { ANALYSED_CHECKS, SITE_CHECKS } from "../checks/site/index.ts";
import type { AnalysisInput, AnalysisWriter } from "./analysis-context.ts";
import { forgetIssues, saveFound, saveInlinks, savePages, saveSelected } from "./save-findings.ts";
import { passSite } from "./site-pass.ts";

export async function analyzePages(input: AnalysisInput, { holds, save }: AnalysisWriter): Promise<void> {
  const { auditId } = input.site;
  const checkIds = [...SITE_CHECKS, ...ANALYSED_CHECKS].map(({ id }) => id);
  const pass = await passSite(input, () => save([]));
  await save([forgetIssues(auditId, checkIds, holds), ...saveInlinks(auditId, pass, holds)]);
  for (const statement of savePages(auditId, pass, holds)) await save([statement]);
  for (const statement of saveFound(auditId, pass.issues, holds)) await save([statement]);
  for (const check of SITE_CHECKS) {
    const query = check.site(input.site);
    if (query !== null) await save([saveSelected(auditId, check.id, query, holds)]);
  }
}
