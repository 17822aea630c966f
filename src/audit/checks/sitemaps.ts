import type { DiscoveryCheck, DiscoveryFacts } from "./check.ts";
import { clip, counted } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";

type Sitemap = DiscoveryFacts["sitemaps"][number];

/** Under this many dates, equal ones mean nothing: the site may well have been made on one day. */
const MIN_DATES = 20;
const SAME_SHARE = 0.95;

const answered = ({ status }: Sitemap): boolean => status !== null && status >= 200 && status < 300;

/** Others may well be let in where we were not. */
const isUnclear = ({ status }: Sitemap): boolean =>
  status === null || status >= 500 || [401, 403, 408, 429].includes(status);

/** What is wrong with the dates of one sitemap, in sentences. */
function dateFaults({ lastmod }: Sitemap): string[] {
  if (!lastmod || lastmod.count === 0) return [];
  const faults: string[] = [];
  const { count, unparsable, unparsableSample, future, mostCommon, mostCommonCount } = lastmod;
  if (unparsable > 0)
    faults.push(`${unparsable} of ${count} dates cannot be read, the first is "${clip(unparsableSample ?? "", 60)}".`);
  if (future > 0) faults.push(`${future} of ${count} dates lie in the future.`);
  if (count >= MIN_DATES && mostCommonCount >= SAME_SHARE * count) {
    faults.push(
      `${mostCommonCount} of ${count} dates are the same, ${clip(mostCommon ?? "", 60)} (limit ${SAME_SHARE * 100} %).`,
    );
  }
  return faults;
}

export const sitemapChecks: DiscoveryCheck[] = [
  {
    id: "sitemap.missing",
    severity: "notice",
    title: "Site has no sitemap",
    why: "Search engines find new and remote pages sooner with one. A small, well-linked site does without.",
    fix: "Publish /sitemap.xml and name it in robots.txt.",
    source: REFERENCE.sitemaps,
    discovery: ({ discovery: { sitemaps, robots } }) => {
      // Without an answer to robots.txt nobody has looked for sitemaps.
      if (robots.unreachable || robots.status === null || sitemaps.length > 0) return [];
      return [{ evidence: { message: "None in robots.txt, and none at /sitemap.xml." } }];
    },
  },
  {
    id: "sitemap.invalid",
    severity: "error",
    title: "Sitemap breaks the rules",
    why: "Search engines ignore what they cannot read, in the worst case all of it.",
    fix: "Mend what is named; most systems can write the sitemap by themselves.",
    source: REFERENCE.sitemapProtocol,
    discovery: ({ discovery: { sitemaps } }) =>
      sitemaps.flatMap((sitemap) => {
        const { url, problems } = sitemap;
        if (problems.length === 0) return [];
        const shown = problems.slice(0, 3).map((problem) => clip(problem, 160));
        const evidence = { measured: problems.length, limit: 0, found: clip(problems[0]!, 300) };
        if (answered(sitemap)) {
          return [
            { url, evidence: { ...evidence, message: `${counted(problems.length, "problem")}: ${shown.join(" ")}` } },
          ];
        }
        const message = `robots.txt or another sitemap names it. ${shown.join(" ")}`;
        return isUnclear(sitemap)
          ? [{ url, severity: "notice" as const, evidence: { ...evidence, message: `Could not verify: ${message}` } }]
          : [{ url, evidence: { ...evidence, message } }];
      }),
  },
  {
    id: "sitemap.lastmod",
    severity: "notice",
    title: "Dates in the sitemap say nothing",
    why: "Search engines use lastmod only where it proves right; dates that are wrong or all the same are ignored.",
    fix: "Write the day of the last real change, as in 2026-11-30, or leave lastmod out.",
    source: REFERENCE.sitemaps,
    discovery: ({ discovery: { sitemaps } }) =>
      sitemaps.flatMap((sitemap) => {
        const faults = dateFaults(sitemap);
        if (faults.length === 0) return [];
        return [{ url: sitemap.url, evidence: { message: faults.join(" "), found: faults[0]! } }];
      }),
  },
];
