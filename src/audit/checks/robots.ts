import type { DiscoveryCheck } from "./check.ts";
import { clip, counted } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";

export const robotsChecks: DiscoveryCheck[] = [
  {
    id: "robots.unreachable",
    severity: "error",
    title: "robots.txt cannot be read",
    why: "While it answers with an error, crawlers must take the whole site for forbidden; Google stops crawling it.",
    fix: "Answer 200 with the rules, or 404 if there are none.",
    source: REFERENCE.robotsRfc,
    discovery: ({ discovery: { robots } }) => {
      if (!robots.unreachable) return [];
      const answer = robots.status === null ? "did not answer" : `answered ${robots.status}`;
      return [
        {
          url: robots.url,
          evidence: {
            message: `${clip(robots.url)} ${answer}, so everything counts as forbidden.`,
            ...(robots.status !== null && { measured: robots.status, limit: 499 }),
          },
        },
      ];
    },
  },
  {
    id: "robots.invalid",
    severity: "warning",
    title: "robots.txt has lines that do not work",
    why: "What crawlers cannot read they ignore, so pages are open or closed against your intention.",
    fix: "Mend the lines that are named; test the file in Search Console.",
    source: REFERENCE.robots,
    discovery: ({ discovery: { robots } }) => {
      const { problems } = robots;
      if (robots.unreachable || problems.length === 0) return [];
      const shown = problems.slice(0, 5).map(({ line, message }) => `Line ${line}: ${clip(message, 160)}`);
      const more = problems.length > shown.length ? ` And ${problems.length - shown.length} more.` : "";
      return [
        {
          url: robots.url,
          evidence: {
            message: `${counted(problems.length, "problem")} in robots.txt. ${shown.join(" ")}${more}`,
            measured: problems.length,
            limit: 0,
            found: clip(problems[0]!.message, 300),
          },
        },
      ];
    },
  },
];
