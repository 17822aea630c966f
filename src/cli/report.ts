/** The report at the end of an audit, as lines for a terminal of 80 columns or more. Pure. */
import type { AuditResponse } from "../http/api/schemas.ts";
import { formatDuration } from "../words.ts";
import { PHASE_WORDS } from "./progress.ts";
import { clip, count, flow, plural, safe, widthOfText, wrap, type Paint } from "./text.ts";

export interface ReportOptions {
  columns: number;
  paint: Paint;
  /** Files that the report was written to. */
  files: string[];
}

type Summary = NonNullable<AuditResponse["summary"]>;
type Severity = Summary["byCheck"][number]["severity"];

const LETTER: Record<Severity, string> = { error: "E", warning: "W", notice: "N" };
const STYLE = { error: "red", warning: "yellow", notice: "cyan" } as const;

export function reportLines(audit: AuditResponse, options: ReportOptions): string[] {
  return [
    ...headline(audit, options),
    ...(audit.status === "completed" ? [] : ["", ...endingLines(audit, options)]),
    ...(audit.summary ? summaryLines(audit, audit.summary, options) : []),
    "",
    ...footer(audit, options),
  ];
}

function headline(audit: AuditResponse, { columns, paint }: ReportOptions): string[] {
  const took = formatDuration((audit.endedAt ?? audit.now) - audit.startedAt);
  const { summary } = audit;
  const parts = [
    "Pulse Audit",
    clip(safe(audit.siteOrigin ?? audit.url), columns - 16),
    audit.status === "running"
      ? `running for ${took}`
      : `${audit.status} ${audit.status === "completed" ? "in" : "after"} ${took}`,
    plural(summary?.pages ?? audit.pagesCrawled, "page"),
    ...(summary ? [`${count(summary.blocked)} blocked`, safe(summary.robots)] : []),
  ];
  const [first = "", ...rest] = flow(parts, columns, "   ", "              ");
  return [first.replace("Pulse Audit", paint("bold", "Pulse Audit")), ...rest];
}

/** How it ended when it did not complete: what, where, why, what to do. */
function endingLines(audit: AuditResponse, { columns, paint }: ReportOptions): string[] {
  const { error, failedPhase } = audit;
  const after = audit.pagesCrawled > 0 ? `, after ${plural(audit.pagesCrawled, "page")}` : ", before any page was read";
  const during = failedPhase ? ` while ${PHASE_WORDS[failedPhase].toLowerCase()}` : "";
  const verb = audit.status === "canceled" ? "Canceled" : "Failed";
  const lines = [
    `${paint("red", verb)}${during}${after}: ${safe(error?.title ?? audit.errorCode ?? "no reason was recorded")}`,
  ];
  if (error) {
    lines.push(...wrap(safe(error.explanation), columns - 2).map((line) => `  ${line}`));
    if (error.detail)
      lines.push(...wrap(safe(error.detail).slice(0, 600), columns - 2).map((line) => `  ${paint("dim", line)}`));
    lines.push(...wrap(`What to do: ${safe(error.advice)}`, columns - 2).map((line) => `  ${line}`));
  }
  const facts = [
    ...(audit.errorCode ? [`code ${safe(audit.errorCode)}`] : []),
    ...(failedPhase ? [`phase ${failedPhase}`] : []),
    ...(error ? [error.retryable ? "trying again may help" : "trying again will not help by itself"] : []),
  ];
  if (facts.length > 0) lines.push(`  ${paint("dim", facts.join("   "))}`);
  if (audit.pagesCrawled > 0)
    lines.push(`  The ${plural(audit.pagesCrawled, "page")} and what was found on them are kept.`);
  return lines;
}

function summaryLines(audit: AuditResponse, summary: Summary, options: ReportOptions): string[] {
  const { columns, paint } = options;
  const { issues } = summary;
  const severity = (name: Severity, words: string): string => (issues[name] > 0 ? paint(STYLE[name], words) : words);
  const left = [
    summary.score === null ? "No score" : `Health ${paint("bold", String(summary.score))}`,
    severity("error", `errors ${count(issues.error)}`),
    severity("warning", `warnings ${count(issues.warning)}`),
    severity("notice", `notices ${count(issues.notice)}`),
  ].join("    ");
  const indexable = `indexable ${count(summary.indexable)} of ${count(summary.pages)}`;
  const lines = ["", ...flow([left, indexable], columns - 2, "    ").map((line) => `  ${line}`)];
  if (summary.score === null && summary.scoreNote) {
    lines.push(...wrap(`No score: ${safe(summary.scoreNote)}`, columns - 2).map((line) => `  ${line}`));
  }
  if (summary.comparison) {
    lines.push(...flow(comparisonWords(summary.comparison), columns - 2).map((line) => `  ${line}`));
  }
  if (summary.fixFirst.length > 0)
    lines.push("", paint("bold", "Fix first"), ...fixFirstLines(audit, summary, options));
  const named = new Set(summary.fixFirst.map((item) => item.check));
  const others = summary.byCheck.filter((entry) => entry.count > 0 && !named.has(entry.check));
  if (others.length > 0) {
    lines.push("", paint("bold", "Also found"));
    const words = others.map((entry) => `${LETTER[entry.severity]} ${safe(entry.check)} ${count(entry.count)}`);
    lines.push(...flow(words, columns - 2).map((line) => `  ${line}`));
  }
  return lines;
}

/** What has become of the findings of the audit before this one. */
function comparisonWords({ issues, pages }: NonNullable<Summary["comparison"]>): string[] {
  return [
    `Since the last audit: ${count(issues.new)} new`,
    `${count(issues.fixed)} fixed`,
    `${count(issues.still)} still there`,
    ...(pages.new + pages.gone > 0 ? [`pages ${count(pages.new)} new, ${count(pages.gone)} gone`] : []),
  ];
}

function fixFirstLines(audit: AuditResponse, summary: Summary, { columns, paint }: ReportOptions): string[] {
  const lines: string[] = [];
  const indent = " ".repeat(8);
  for (const [index, item] of summary.fixFirst.entries()) {
    const id = safe(item.check);
    const lead = `${String(index + 1).padStart(3)}  ${paint(STYLE[item.severity], LETTER[item.severity])}  `;
    const titleRoom = columns - indent.length - id.length - 2;
    const title = wrap(safe(item.title), Math.max(30, titleRoom));
    const first = title[0] ?? "";
    const gap = Math.max(2, columns - indent.length - widthOfText(first) - id.length);
    lines.push(`${lead}${first}${" ".repeat(gap)}${paint("dim", id)}`, ...title.slice(1).map((line) => indent + line));
    const room = columns - indent.length;
    const places = flow(placesOf(audit, item), room, "  ");
    const fix = `fix: ${safe(item.fix)}`;
    const together = `${places.join("")}      ${fix}`;
    const below =
      places.length === 1 && widthOfText(together) <= room ? [together] : [...places, ...wrap(fix, room, "     ")];
    lines.push(...below.map((line) => indent + line));
  }
  return lines;
}

/** "/", "/garden", "/tools", "... (12)": addresses of the site itself without their origin. */
function placesOf(audit: AuditResponse, item: Summary["fixFirst"][number]): string[] {
  const shown = item.examples.slice(0, 3).map((url) => {
    const parsed = URL.parse(url);
    const short = parsed && parsed.origin === audit.siteOrigin ? parsed.pathname + parsed.search : url;
    return clip(safe(short), 40);
  });
  if (shown.length === 0) return [plural(item.pages, "page")];
  return item.pages > shown.length ? [...shown, `... (${count(item.pages)})`] : shown;
}

function footer({ summary }: AuditResponse, { columns, files }: ReportOptions): string[] {
  const parts = [
    ...(summary ? [`Passed: ${count(summary.checksPassed)} of ${count(summary.checksTotal)} checks.`] : []),
    files.length > 0 ? `Report: ${files.join(", ")}` : "All of it in a file: --json FILE, --csv FILE",
    "More: --help",
  ];
  return flow(parts, columns);
}
