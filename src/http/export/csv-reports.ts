/** Whole CSV files, a line at a time. */
import {
  BYTE_ORDER_MARK,
  csvLine,
  type ExportedLink,
  ISSUE_COLUMNS,
  issueLine,
  LINK_COLUMNS,
  linkLine,
  PAGE_COLUMNS,
  pageLine,
} from "./csv.ts";
import { inPieces, type ReportSource } from "./report-source.ts";

async function* table<T>(
  columns: readonly string[],
  items: AsyncIterable<T>,
  line: (item: T) => string,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(columns);
  for await (const item of items) yield line(item);
}

export const csvReport = ({ checks, issues }: Pick<ReportSource, "checks" | "issues">): AsyncIterable<string> =>
  inPieces(table(ISSUE_COLUMNS, issues(), (issue) => issueLine(issue, checks[issue.check]?.title ?? issue.check)));

export const pagesCsv = ({ pages }: Pick<ReportSource, "pages">): AsyncIterable<string> =>
  inPieces(table(PAGE_COLUMNS, pages(), pageLine));

export const linksCsv = (links: AsyncIterable<ExportedLink>): AsyncIterable<string> =>
  inPieces(table(LINK_COLUMNS, links, linkLine));
