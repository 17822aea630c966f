/** audits.summary: what the report, the pages and the API say of an audit as a whole. */
import { sql } from "drizzle-orm";
import type { z } from "zod";
import type { auditSummary } from "./audit-summary.ts";
import type { Database } from "../../storage/database.ts";
import type { Severity } from "../../storage/schema.ts";
import type { Check, SiteContext } from "../checks/check.ts";
import type { Comparison } from "./compare.ts";
import { type Fix, FixFirst } from "./fix-first.ts";
import { type CategoryScore, noScoreBecause, type Score, type ScoredIssue, scoreOf, type Templates } from "./score.ts";
import type { SiteFacts } from "./site-facts.ts";

export type AuditSummary = z.infer<typeof auditSummary>;

const READ_ISSUES = 5_000;

interface IssueRow {
  check: string;
  urlId: number;
  severity: Severity;
  message: string | null;
  sourceCount: number | null;
  memberCount: number | null;
  /** JSON array of up to three url ids. */
  places: string;
  /** JSON array of url ids. */
  members: string | null;
}

/** Every issue in order of its check, some at a time; links that are broken come first (see FixFirst). */
async function* allIssues(db: Database, auditId: string): AsyncGenerator<IssueRow[]> {
  for (const first of [true, false]) {
    for (let at = { check: "", urlId: -1 }; ;) {
      const rows = await db.all<IssueRow>(sql`
        select i.check_id as "check", i.url_id as urlId, i.severity, substr(i.evidence ->> 'message', 1, 500) as message,
          i.source_count as sourceCount, i.evidence ->> 'memberCount' as memberCount,
          i.evidence ->> 'members' as members,
          iif(i.sources is null, json_array(i.evidence ->> '$.members[0]', i.evidence ->> '$.members[1]', i.evidence ->> '$.members[2]'),
            json_array(i.sources ->> '$[0][0]', i.sources ->> '$[1][0]', i.sources ->> '$[2][0]')) as places
        from audit_issues i
        where i.audit_id = ${auditId} and (i.check_id, i.url_id) > (${at.check}, ${at.urlId})
          and (i.check_id = 'link.broken-internal') = ${first ? 1 : 0}
        order by i.check_id, i.url_id limit ${READ_ISSUES}`);
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < READ_ISSUES) break;
      at = last;
    }
  }
}

export interface SummaryInput {
  db: Database;
  site: SiteContext;
  facts: SiteFacts;
  templates: Templates;
  checks: readonly Check[];
  comparison: Comparison | null;
}

export async function summarize(input: SummaryInput): Promise<AuditSummary> {
  const { db, site, facts, templates, checks, comparison } = input;
  const scored: ScoredIssue[] = [];
  const fixFirst = new FixFirst(checks);
  const byCheck = new Map<string, { check: string; severity: Severity; count: number }>();
  const issues = { error: 0, warning: 0, notice: 0 };
  for await (const rows of allIssues(db, site.auditId)) {
    for (const row of rows) {
      const { check, severity, urlId, memberCount } = row;
      issues[severity] += 1;
      const key = `${check} ${severity}`;
      const counted = byCheck.get(key) ?? { check, severity, count: 0 };
      counted.count += 1;
      byCheck.set(key, counted);
      const members: number[] = row.members === null ? [] : JSON.parse(row.members);
      scored.push({ check, severity, urlId, pages: memberCount ?? 1, members });
      const places: (number | null)[] = JSON.parse(row.places);
      fixFirst.add({ ...row, places: places.filter((place) => place !== null), message: row.message ?? "" });
    }
  }
  const scoreNote = noScoreBecause({ ...facts, crawlCompleted: site.crawlCompleted });
  const score: Score | null = scoreNote === null ? scoreOf(scored, templates) : null;
  const judged = checks.filter((check) => !("site" in check) || check.site(site) !== null);
  const found = new Set(scored.map(({ check }) => check));
  return {
    score: score?.score ?? null,
    scoreNote,
    scoreParts: score?.categories.map(rounded) ?? null,
    issues,
    pages: facts.pages,
    indexable: facts.indexable,
    blocked: facts.blocked,
    crawlCompleted: site.crawlCompleted,
    robots: robotsWords(site, facts),
    checksPassed: judged.filter(({ id }) => !found.has(id)).length,
    checksTotal: judged.length,
    byCheck: [...byCheck.values()],
    fixFirst: await withAddresses(db, site, fixFirst.list()),
    indexability: facts.byIndexability,
    statuses: facts.byStatus,
    depths: facts.byDepth,
    links: facts.links,
    ttfbMs: facts.ttfbMs,
    bytes: facts.bytes,
    comparison: comparison === null ? null : { ...comparison, issues: { ...comparison.issues } },
  };
}

const round = (value: number): number => Math.round(value * 10_000) / 10_000;

const rounded = ({ points, losses, ...part }: CategoryScore) => ({
  ...part,
  points: round(points),
  losses: losses.map((loss) => ({ ...loss, share: round(loss.share), points: round(loss.points) })),
});

/** The examples of fixes as addresses. */
async function withAddresses(
  db: Database,
  site: SiteContext,
  fixes: readonly Fix[],
): Promise<AuditSummary["fixFirst"]> {
  const ids = [...new Set(fixes.flatMap(({ examples }) => examples))];
  const rows = await db.all<{ id: number; url: string }>(sql`
    select u.id, u.url from json_each(${JSON.stringify(ids)}) i
    cross join audit_urls u on u.audit_id = ${site.auditId} and u.id = i.value`);
  const urls = new Map(rows.map(({ id, url }) => [id, url]));
  return fixes.map((fix) => ({ ...fix, examples: fix.examples.map((id) => urls.get(id) ?? `${site.siteOrigin}/`) }));
}

/** What robots.txt meant for this audit, in words. */
export function robotsWords({ discovery: { robots } }: SiteContext, { refusedByRobots }: SiteFacts): string {
  if (robots.unreachable) return "robots.txt could not be read, so nothing may be crawled";
  if (refusedByRobots > 0)
    return `within robots.txt, which keeps ${refusedByRobots === 1 ? "1 address" : `${refusedByRobots} addresses`} out`;
  return robots.status !== null && robots.status >= 200 && robots.status < 300 ? "within robots.txt" : "no robots.txt";
}
