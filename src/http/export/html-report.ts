/**
 * The report as one HTML file that can be mailed: no script, nothing loaded, and a policy in the file itself that forbids
 * both, since everything in it was written by strangers.
 */
import { html } from "hono/html";
import type { AuditResponse, ChecksResponse, IssueResponse, PageResponse } from "../api/schemas.ts";
import { inPieces, type ReportSource } from "./report-source.ts";
import { REPORT_STYLE } from "./report-style.ts";

/** Affected pages shown for one check; the rest is in the CSV. */
const SHOWN_PER_CHECK = 100;
const SHOWN_PAGES = 2_000;
const WORD = { error: "Error", warning: "Warning", notice: "Notice" } as const;

type Fragment = ReturnType<typeof html>;
const text = async (fragment: Fragment): Promise<string> => String(await fragment);

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ");

function sentence({ status, error, pagesCrawled, summary }: AuditResponse): string {
  const pages = `${pagesCrawled.toLocaleString("en")} ${pagesCrawled === 1 ? "page" : "pages"}`;
  if (status === "failed")
    return `Failed after ${pages}: ${error?.title ?? "for an unknown reason"}. ${error?.explanation ?? ""}`;
  if (status === "canceled") return `Canceled after ${pages}. What was found until then is below.`;
  if (status === "running") return `Still running: ${pages} so far. This report is not complete.`;
  return (
    summary?.scoreNote ?? `${pages} crawled, ${summary?.indexable.toLocaleString("en") ?? "?"} of them can be indexed.`
  );
}

const head = (site: string): Fragment =>
  html`<head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="referrer" content="no-referrer" />
    <title>Audit of ${site}</title>
    <style>
      ${REPORT_STYLE}
    </style>
  </head> `;

const banner = (audit: AuditResponse, site: string): Fragment =>
  html`<header>
    <p class="brand">Pulse Audit</p>
    <h1>${site}</h1>
    <p>${sentence(audit)}</p>
    <p class="quiet">
      Audit ${audit.id}, started ${day(audit.createdAt)}
      UTC${audit.endedAt === null ? "" : `, ended ${day(audit.endedAt)} UTC`}
    </p>
  </header> `;

/** Elements that stay open over several pieces are written as plain text: the formatter would close them in a template. */
async function opening(audit: AuditResponse): Promise<string> {
  const { summary } = audit;
  const site = audit.siteOrigin ?? audit.url;
  return [
    '<!doctype html>\n<html lang="en">\n',
    await text(head(site)),
    "<body>\n",
    await text(banner(audit, site)),
    "<main>\n",
    summary === null ? "" : await text(numbers(summary)),
    summary === null || summary.fixFirst.length === 0 ? "" : await text(fixFirst(summary)),
    "<h2>Findings</h2>\n",
  ].join("");
}

function numbers(summary: NonNullable<AuditResponse["summary"]>): Fragment {
  const { issues } = summary;
  const shown: [string, string | number][] = [
    ["Health", summary.score ?? "none"],
    ["Errors", issues.error],
    ["Warnings", issues.warning],
    ["Notices", issues.notice],
    ["Indexable", `${summary.indexable} of ${summary.pages}`],
    ["Checks passed", `${summary.checksPassed} of ${summary.checksTotal}`],
  ];
  return html`<dl class="numbers">
      ${shown.map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
    <p class="quiet">${summary.robots}</p>`;
}

function fixFirst({ fixFirst: fixes }: NonNullable<AuditResponse["summary"]>): Fragment {
  return html`<h2>Fix first</h2>
    <ol>
      ${fixes.map(
        (fix) =>
          html`<li>
            <strong class="${fix.severity}">${WORD[fix.severity]}</strong> ${fix.title} <code>${fix.check}</code
            ><br /><span class="quiet">${fix.fix}</span>
          </li>`,
      )}
    </ol> `;
}

/** Comes into a section, before the list of its pages. */
function checkHead(issue: IssueResponse, checks: ChecksResponse): Fragment {
  const words = checks[issue.check];
  return html`<h3>
      <strong class="${issue.severity}">${WORD[issue.severity]}</strong> ${words?.title ?? issue.check}
      <code>${issue.check}</code>
    </h3>
    ${
      words === undefined
        ? ""
        : html`<p>${words.why}</p>
            <p>
              ${words.fix}${words.source === null ? "" : html` <a rel="noreferrer noopener" href="${words.source}">Source</a>`}
            </p>`
    } `;
}

const issueItem = (issue: IssueResponse): Fragment => {
  const { count, sample } = issue.sources;
  const from = sample
    .slice(0, 3)
    .map((source) => source.url)
    .join(", ");
  const led =
    count === 0
      ? ""
      : html`<br /><span class="quiet">linked from ${from}${count > 3 ? ` and ${count - 3} more` : ""}</span>`;
  return html`<li><span class="url">${issue.url}</span><br />${issue.evidence.message}${led}</li> `;
};

async function* findings({ issues, checks }: ReportSource): AsyncGenerator<string> {
  let check: string | null = null;
  let shown = 0;
  for await (const issue of issues()) {
    if (issue.check !== check) {
      if (check !== null) yield close(shown);
      check = issue.check;
      shown = 0;
      yield `<section>\n${await text(checkHead(issue, checks))}<ul>\n`;
    }
    shown += 1;
    if (shown <= SHOWN_PER_CHECK) yield await text(issueItem(issue));
  }
  yield check === null ? "<p>Nothing was found.</p>\n" : close(shown);
}

const close = (shown: number): string =>
  `</ul>\n${shown > SHOWN_PER_CHECK ? `<p class="quiet">and ${shown - SHOWN_PER_CHECK} more</p>\n` : ""}</section>\n`;

const pageRow = (page: PageResponse): Fragment =>
  html`<tr>
    <td><span class="url">${page.url}</span><br /><span class="quiet">${page.title ?? ""}</span></td>
    <td>${page.status ?? page.failure ?? ""}</td>
    <td>${page.indexability}</td>
    <td>${page.depth ?? ""}</td>
    <td>${page.inlinks ?? ""}</td>
  </tr> `;

async function* pageTable({ pages }: ReportSource): AsyncGenerator<string> {
  yield '<h2>Pages</h2>\n<table>\n<thead><tr><th scope="col">Page</th><th scope="col">Status</th><th scope="col">Indexable</th><th scope="col">Clicks</th><th scope="col">Links to it</th></tr></thead>\n<tbody>\n';
  let shown = 0;
  for await (const page of pages()) {
    shown += 1;
    if (shown > SHOWN_PAGES) break;
    yield await text(pageRow(page));
  }
  yield `</tbody>\n</table>\n${shown > SHOWN_PAGES ? `<p class="quiet">The first ${SHOWN_PAGES} pages; the CSV has all.</p>\n` : ""}`;
}

async function* report(source: ReportSource): AsyncGenerator<string> {
  yield await opening(source.audit);
  yield* findings(source);
  yield* pageTable(source);
  yield "</main>\n</body>\n</html>\n";
}

export const htmlReport = (source: ReportSource): AsyncIterable<string> => inPieces(report(source));
