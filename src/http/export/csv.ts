/**
 * CSV as RFC 4180 writes it, safe to open in a spreadsheet.
 *
 * It begins with a byte order mark: without one Excel reads UTF-8 as the machine's old code page, and readers that
 * know the standard skip it. Lines end with CR LF.
 */
import type { IssueResponse, PageResponse } from "../api/schemas.ts";

export const BYTE_ORDER_MARK = "\ufeff";

/**
 * What makes a spreadsheet take a cell for a formula, plain or full-width, also behind white space and invisible
 * marks (OWASP, "CSV Injection"). An apostrophe before it makes it text.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what it is about
const FORMULA = /^[\s\u0000-\u0020\u200b-\u200f\u2060\ufeff]*[=+\-@＝＋－＠\t\r\n]/u;

export function csvCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  // NUL ends the text for many readers.
  const text = value.toWellFormed().replaceAll("\0", "\ufffd");
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(csvCell).join(",")}\r\n`;

export const ISSUE_COLUMNS = [
  "severity",
  "check",
  "title",
  "url",
  "finding",
  "linked_from_count",
  "linked_from",
  "evidence",
];

/** One line an issue. `linked_from` holds up to 20 addresses, one a line within its cell; `evidence` is JSON. */
export function issueLine(issue: IssueResponse, title: string): string {
  const { message, ...evidence } = issue.evidence;
  return csvLine([
    issue.severity,
    issue.check,
    title,
    issue.url,
    message,
    issue.sources.count,
    issue.sources.sample.map((source) => source.url).join("\n"),
    JSON.stringify(evidence),
  ]);
}

export const PAGE_COLUMNS = [
  "url",
  "status",
  "final_url",
  "indexability",
  "indexability_detail",
  "title",
  "description",
  "canonical",
  "depth",
  "inlinks",
  "words",
  "content_type",
  "bytes",
  "ttfb_ms",
  "truncated",
  "failure",
];

/** One line a page. */
export const pageLine = (page: PageResponse): string =>
  csvLine([
    page.url,
    page.status,
    page.finalUrl,
    page.indexability,
    page.indexabilityDetail,
    page.title,
    page.description,
    page.canonical,
    page.depth,
    page.inlinks,
    page.wordCount,
    page.contentType,
    page.bytes,
    page.ttfbMs,
    page.truncated ? "yes" : "no",
    page.failure,
  ]);

/** A link from a crawled page, as the exports give it. */
export interface ExportedLink {
  from: string;
  to: string;
  anchor: string | null;
  nofollow: boolean;
  /** Null: the target was not requested. */
  status: number | null;
}

export const LINK_COLUMNS = ["from", "to", "anchor", "nofollow", "status"];

/** One line a link. */
export const linkLine = (link: ExportedLink): string =>
  csvLine([link.from, link.to, link.anchor, link.nofollow ? "yes" : "no", link.status]);
