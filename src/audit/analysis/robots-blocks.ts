/**
 * robots.blocks-linked, robots.blocks-assets, robots.noindex-unseen: what robots.txt keeps Googlebot from although the
 * site needs it to be seen. Judged for Googlebot, whatever this crawler itself may open.
 */
import { RESOURCE } from "../crawl/link-flags.ts";
import { type FoundIssue, MEMBERS_NAMED } from "./found-issue.ts";
import { type Target, usedAs } from "./link-graph.ts";

export interface RobotsSubject {
  urlId: number;
  url: string;
  inSitemap: boolean;
  /** noindex in this audit, or for a page that was not opened in the one before. Null: never seen. */
  noindex: "now" | "before" | null;
  /** The line that disallows it, as written. */
  rule: string;
  target: Target;
}

const STYLE_OR_SCRIPT = usedAs(RESOURCE.style) | usedAs(RESOURCE.script);

const pages = (count: number, verb: string): string => (count === 1 ? `1 page ${verb}s` : `${count} pages ${verb}`);

const withoutParameters = (url: string): string => url.split("?", 1)[0] ?? url;

/** So many paths kept out by one rule are one finding about the rule. */
const PATHS_OF_ONE_RULE = 20;

/**
 * Pages that are disallowed although a sitemap or a followed link leads to them. What differs only in its parameters is
 * one issue (a search form that is kept out can have thousands), and so is a rule that keeps many pages out.
 */
export function blockedPages(subjects: Iterable<RobotsSubject>, shown: (url: string) => string): FoundIssue[] {
  const issues: FoundIssue[] = [];
  const byRule = new Map<string, Map<string, RobotsSubject[]>>();
  for (const subject of subjects) {
    if (subject.noindex !== null) issues.push(unseenNoindex(subject, shown));
    if (!subject.inSitemap && subject.target.followInlinks === 0) continue;
    const paths = byRule.get(subject.rule) ?? new Map<string, RobotsSubject[]>();
    byRule.set(subject.rule, paths);
    const path = withoutParameters(subject.url);
    const group = paths.get(path);
    if (group === undefined) paths.set(path, [subject]);
    else group.push(subject);
  }
  for (const [rule, paths] of byRule) {
    if (paths.size > PATHS_OF_ONE_RULE) {
      issues.push(blocked(`${paths.size} pages`, rule, [...paths.values()].flat()));
      continue;
    }
    for (const [path, group] of paths) {
      const name = group.length > 1 ? `${shown(path)} with ${group.length} sets of parameters` : shown(group[0]!.url);
      issues.push(blocked(name, rule, group));
    }
  }
  return issues;
}

function blocked(name: string, rule: string, group: RobotsSubject[]): FoundIssue {
  const mostLinked = group.toSorted((a, b) => b.target.inlinks - a.target.inlinks || a.urlId - b.urlId)[0]!;
  const { inlinks, followInlinks, sample } = mostLinked.target;
  const it = group.length > 1 ? "them" : "it";
  const leads = [
    ...(group.some((subject) => subject.inSitemap) ? [`a sitemap lists ${it}`] : []),
    ...(inlinks > 0 ? [`${pages(inlinks, "link")} to ${it}`] : []),
  ];
  return {
    checkId: "robots.blocks-linked",
    urlId: mostLinked.urlId,
    severity: "warning",
    evidence: {
      message: `robots.txt keeps Googlebot from ${name}, but ${leads.join(" and ")}`,
      measured: followInlinks,
      found: rule,
      members: group.slice(0, MEMBERS_NAMED).map((subject) => subject.urlId),
      memberCount: group.length,
    },
    sources: sample,
    sourceCount: inlinks,
  };
}

function unseenNoindex({ urlId, url, noindex, target }: RobotsSubject, shown: (url: string) => string): FoundIssue {
  const when = noindex === "now" ? "says noindex" : "said noindex in the audit before";
  return {
    checkId: "robots.noindex-unseen",
    urlId,
    severity: "error",
    evidence: { message: `${shown(url)} ${when}, but robots.txt keeps Googlebot from seeing that` },
    sources: target.sample,
    sourceCount: target.inlinks,
  };
}

/** Styles and scripts that are disallowed although an indexable page loads them. */
export function blockedAssets(
  assets: Iterable<{ url: string; target: Target }>,
  isIndexable: (urlId: number) => boolean,
  shown: (url: string) => string,
): FoundIssue[] {
  const issues: FoundIssue[] = [];
  for (const { url, target } of assets) {
    if ((target.uses & STYLE_OR_SCRIPT) === 0 || !target.sample.some(([page]) => isIndexable(page))) continue;
    issues.push({
      checkId: "robots.blocks-assets",
      urlId: target.urlId,
      severity: "warning",
      evidence: {
        message: `robots.txt keeps Googlebot from ${shown(url)}, which ${pages(target.inlinks, "load")}`,
        measured: target.inlinks,
      },
      sources: target.sample,
      sourceCount: target.inlinks,
    });
  }
  return issues;
}
