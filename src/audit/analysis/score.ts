/**
 * The health score, 0 to 100; docs/score.md explains it so that a site owner can recompute it.
 *
 * Each rule takes points from its category: its weight times the share of the site that has the fault, at most 2.5 of 10
 * points, and all rules of one family (the part of the id before the dot) together at most 5. The share is taken by
 * template: a fault of the template counts once, however many pages the template makes.
 */
import type { Severity } from "../../storage/schema.ts";

export const RULE_CAP = 2.5;
export const FAMILY_CAP = 5;
export const CATEGORY_POINTS = 10;

/** Points that a rule takes when the whole site has the fault, before the cap. */
export const SEVERITY_WEIGHT: Readonly<Record<Severity, number>> = { error: 10, warning: 4, notice: 1 };

export interface Category {
  id: string;
  title: string;
  weight: number;
  /** Every family belongs to one category. */
  families: readonly string[];
}

/** Weights add up to 100. */
export const CATEGORIES: readonly Category[] = [
  { id: "access", title: "Pages answer", weight: 25, families: ["http", "redir"] },
  {
    id: "indexing",
    title: "Search engines may show them",
    weight: 25,
    families: ["robots", "index", "head", "canon", "hreflang", "sitemap"],
  },
  { id: "links", title: "Links and addresses", weight: 20, families: ["link", "url", "crawl"] },
  {
    id: "content",
    title: "Content",
    weight: 15,
    families: ["title", "desc", "h1", "content", "html", "sd", "social"],
  },
  { id: "experience", title: "Speed, images and phones", weight: 10, families: ["img", "perf", "mobile"] },
  { id: "security", title: "Security", weight: 5, families: ["sec"] },
];

/** Findings that mean one and the same missing page; the first of them counts. */
const SAME_MISSING_PAGE: readonly string[] = ["http.4xx", "link.broken-internal", "sitemap.bad-url"];

export interface ScoredIssue {
  check: string;
  severity: Severity;
  /** 0 and below: the site as a whole. */
  urlId: number;
  /** How many pages the issue stands for; 1 unless it is a cluster. */
  pages: number;
  /** Url ids of some of them. */
  members?: readonly number[];
}

export interface RuleLoss {
  check: string;
  severity: Severity;
  /** Share of the site that has the fault, 0 to 1. */
  share: number;
  /** Points of the category's 10, after the rule's cap and before the family's. */
  points: number;
}

export interface CategoryScore {
  category: string;
  title: string;
  weight: number;
  /** 0 to 10. */
  points: number;
  losses: RuleLoss[];
}

export interface Score {
  score: number;
  categories: CategoryScore[];
}

/** How the crawl went, as far as it decides whether there can be a score. */
export interface ScoreConditions {
  pages: number;
  /** Pages that answered with HTML. */
  readable: number;
  crawlCompleted: boolean;
  /** Pages that the audit knows, crawled or not. */
  known: number;
  blocked: number;
  /** The start page, or at least 30 % of all answers, turned the crawler away. */
  isBlocked: boolean;
}

/** Why there is no score, as a sentence; null: there is one. */
export function noScoreBecause({
  pages,
  readable,
  crawlCompleted,
  known,
  blocked,
  isBlocked,
}: ScoreConditions): string | null {
  if (isBlocked) {
    return `No score: the site turned our crawler away on ${blocked} of ${pages} pages, so this audit shows only part of it.`;
  }
  if (pages === 0) return "No score: no page could be fetched.";
  if (readable === 0) return "No score: no page could be read.";
  if (crawlCompleted) return null;
  const cut = pages.toLocaleString("en-US");
  return `No score: the crawl was cut at ${cut} of at least ${Math.max(known, pages + 1).toLocaleString("en-US")} pages, so site-wide findings would be guesses.`;
}

const familyOf = (check: string): string => check.split(".", 1)[0] ?? check;

/** The category of a check; what has no family of its own is taken for content. */
export function categoryOf(check: string): string {
  const family = familyOf(check);
  return CATEGORIES.find(({ families }) => families.includes(family))?.id ?? "content";
}

/** Drops findings that only repeat that a page is missing. */
function eachMissingPageOnce(issues: readonly ScoredIssue[]): ScoredIssue[] {
  const seen = SAME_MISSING_PAGE.map((check) => new Set(issues.filter((i) => i.check === check).map((i) => i.urlId)));
  return issues.filter(({ check, urlId }) => {
    const place = SAME_MISSING_PAGE.indexOf(check);
    return place === -1 || !seen.slice(0, place).some((earlier) => earlier.has(urlId));
  });
}

/** How the site's pages divide into templates. */
export interface Templates {
  /** Template of a page by url id; undefined for an address that is no page. */
  of: (urlId: number) => string | undefined;
  /** Pages of each template. */
  sizes: ReadonlyMap<string, number>;
}

/** The mean over all templates of the share of their pages that have the fault; 1 for a fault of the whole site. */
export function affectedShare(issues: readonly ScoredIssue[], templates: Templates): number {
  if (issues.some(({ urlId }) => urlId <= 0)) return 1;
  const affected = new Map<string, number>();
  let elsewhere = 0;
  const add = (template: string, count: number) => affected.set(template, (affected.get(template) ?? 0) + count);
  for (const { urlId, pages, members = [] } of issues) {
    const own = templates.of(urlId);
    const named = members.flatMap((member) => templates.of(member) ?? []);
    for (const template of named) add(template, 1);
    if (own !== undefined) add(own, pages - named.length);
    else if (named.length === 0) elsewhere += 1;
  }
  let sum = 0;
  for (const [template, count] of affected) sum += Math.min(1, count / (templates.sizes.get(template) ?? 1));
  // A broken image or a page elsewhere has no template: it weighs as much as one page of the site.
  const total = [...templates.sizes.values()].reduce((all, size) => all + size, 0);
  const mean = templates.sizes.size === 0 ? 0 : sum / templates.sizes.size;
  return Math.min(1, mean + (total === 0 ? 0 : elsewhere / total));
}

export function scoreOf(issues: readonly ScoredIssue[], templates: Templates): Score {
  const byCheck = new Map<string, ScoredIssue[]>();
  for (const issue of eachMissingPageOnce(issues)) {
    const known = byCheck.get(issue.check);
    if (known === undefined) byCheck.set(issue.check, [issue]);
    else known.push(issue);
  }
  const losses = [...byCheck].map(([check, found]) => lossOf(check, found, templates));
  const categories = CATEGORIES.map(({ id, title, weight }): CategoryScore => {
    const own = losses.filter(({ check }) => categoryOf(check) === id).toSorted((a, b) => b.points - a.points);
    const byFamily = new Map<string, number>();
    for (const { check, points } of own) byFamily.set(familyOf(check), (byFamily.get(familyOf(check)) ?? 0) + points);
    const lost = [...byFamily.values()].reduce((sum, points) => sum + Math.min(FAMILY_CAP, points), 0);
    return { category: id, title, weight, points: Math.max(0, CATEGORY_POINTS - lost), losses: own };
  });
  const total = categories.reduce((sum, { points, weight }) => sum + (points * weight) / CATEGORY_POINTS, 0);
  // Rounded down: a site with any fault at all is not at 100. The small amount undoes floating point only.
  return { score: Math.floor(total + 1e-9), categories };
}

/** An issue of one check may be worse or milder than another: each severity takes its own share. */
function lossOf(check: string, issues: readonly ScoredIssue[], templates: Templates): RuleLoss {
  const severities: readonly Severity[] = ["error", "warning", "notice"];
  let points = 0;
  for (const severity of severities) {
    const own = issues.filter((issue) => issue.severity === severity);
    if (own.length > 0) points += SEVERITY_WEIGHT[severity] * affectedShare(own, templates);
  }
  const worst = severities.find((severity) => issues.some((issue) => issue.severity === severity)) ?? "notice";
  return { check, severity: worst, share: affectedShare(issues, templates), points: Math.min(RULE_CAP, points) };
}
