/** perf.ttfb: how long a template's pages take to begin to answer. One slow page says little, a template says much. */
import type { FoundIssue } from "./found-issue.ts";
import { MEMBERS_NAMED } from "./found-issue.ts";
import { percentile } from "./percentiles.ts";

/** web.dev's "good" and "poor" for the 75th percentile. Milliseconds. */
export const SLOW_MS = 800;
export const VERY_SLOW_MS = 1_800;

export interface TimedPage {
  urlId: number;
  ttfbMs: number;
  template: string;
}

export function responseTimeIssues(pages: Iterable<TimedPage>): FoundIssue[] {
  const byTemplate = new Map<string, TimedPage[]>();
  for (const page of pages) {
    const group = byTemplate.get(page.template);
    if (group === undefined) byTemplate.set(page.template, [page]);
    else group.push(page);
  }
  return [...byTemplate].flatMap(([template, group]) => {
    const slowestFirst = group.toSorted((a, b) => b.ttfbMs - a.ttfbMs || a.urlId - b.urlId);
    const p75 = percentile(slowestFirst.map((page) => page.ttfbMs).toReversed(), 75);
    if (p75 <= SLOW_MS) return [];
    return [
      {
        checkId: "perf.ttfb",
        urlId: slowestFirst[0]!.urlId,
        severity: p75 > VERY_SLOW_MS ? "warning" : "notice",
        evidence: {
          message: `${group.length === 1 ? "This page" : `A quarter of the ${group.length} pages like ${template.slice(0, 200)}`} took ${Math.round(p75)} ms or more to begin to answer (limit ${SLOW_MS} ms)`,
          measured: Math.round(p75),
          limit: SLOW_MS,
          members: slowestFirst.slice(0, MEMBERS_NAMED).map((page) => page.urlId),
          memberCount: group.length,
        },
      } satisfies FoundIssue,
    ];
  });
}
