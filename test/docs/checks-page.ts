/** docs/checks.md, made from the catalogue itself: what is documented is what is checked. */
import { CHECKS } from "../../src/audit/checks/catalogue.ts";
import type { Check } from "../../src/audit/checks/check.ts";

const INTRODUCTION = `# Checks

Every finding states its rule, the measured value against the limit, the evidence, the page that it is on, and the pages that lead there.
A check is one entry in one file of \`src/audit/checks/\`: id, severity, title, why it matters, how to fix it, source, and a pure function.

- **error**: breaks crawling, indexing or visitors, by Google's documents, an RFC or the HTML standard
- **warning**: a likely loss
- **notice**: a heuristic, or information

What is judged: *page* from one page alone, while crawling; *site* by a query over all stored pages; *discovery* from robots.txt and sitemaps;
*crawl* by the crawl or the analysis itself. Only pages that can be indexed feed the checks for duplicates, thin content, orphans and sitemaps.
When in doubt, a finding says "could not verify".

This page is made by \`npm run docs\`.
`;

function scopeOf(check: Check): string {
  if ("page" in check) return "page";
  if ("site" in check) return "site";
  return "discovery" in check ? "discovery" : "crawl";
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

const sourceOf = ({ source }: Check): string => (source === null ? "" : `[source](${source})`);

/** A heading for each family, "title" of "title.missing". */
export function checksPage(): string {
  const families = new Map<string, Check[]>();
  for (const check of [...CHECKS].toSorted((a, b) => a.id.localeCompare(b.id))) {
    const family = check.id.split(".")[0] ?? "";
    families.set(family, [...(families.get(family) ?? []), check]);
  }
  const tables = [...families].map(([family, checks]) => {
    const rows = checks.map(
      (check) =>
        `| \`${check.id}\` | ${check.severity} | ${scopeOf(check)} | **${cell(check.title)}** ${cell(check.why)} | ${cell(check.fix)} | ${sourceOf(check)} |`,
    );
    return [
      `## ${family}`,
      "",
      "| check | severity | judged from | what and why | fix | |",
      "| --- | --- | --- | --- | --- | --- |",
      ...rows,
    ].join("\n");
  });
  return `${INTRODUCTION}\n${tables.join("\n\n")}\n`;
}
