import type { DiscoveryCheck } from "./check.ts";
import { clip, counted } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";

const answered = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/** Problems of dates do not make a sitemap invalid; they have their own check. */
const isAboutDates = (problem: string): boolean => /\blastmod\b/i.test(problem);

export const sitemapChecks: DiscoveryCheck[] = [
  {
    id: "sitemap.missing",
    severity: "notice",
    title: "Site has no sitemap",
    why: "Search engines find new and remote pages sooner with one. A small, well-linked site does without.",
    fix: "Publish /sitemap.xml and name it in robots.txt.",
    source: REFERENCE.sitemaps,
    discovery: ({ discovery: { sitemaps, robots } }) => {
      if (robots.unreachable || sitemaps.some(({ status }) => answered(status))) return [];
      const tried = sitemaps
        .slice(0, 3)
        .map(({ url, status }) => `${clip(url)} ${status === null ? "did not answer" : `answered ${status}`}`);
      const message =
        tried.length === 0
          ? "None in robots.txt, and none at /sitemap.xml."
          : `No sitemap could be had: ${tried.join("; ")}.`;
      return [{ evidence: { message } }];
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
      sitemaps.flatMap(({ url, status, problems }) => {
        const faults = problems.filter((problem) => !isAboutDates(problem));
        if (!answered(status) || faults.length === 0) return [];
        const shown = faults.slice(0, 3).map((fault) => clip(fault, 160));
        return [
          {
            url,
            evidence: {
              message: `${counted(faults.length, "problem")}: ${shown.join(" ")}`,
              measured: faults.length,
              limit: 0,
              found: clip(faults[0]!, 300),
            },
          },
        ];
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
      sitemaps.flatMap(({ url, problems }) => {
        const faults = problems.filter(isAboutDates);
        return faults.length === 0
          ? []
          : [
              {
                url,
                evidence: {
                  message: faults
                    .slice(0, 3)
                    .map((fault) => clip(fault, 200))
                    .join(" "),
                  found: clip(faults[0]!, 300),
                },
              },
            ];
      }),
  },
];
