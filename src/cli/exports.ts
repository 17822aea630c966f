/** The report as files. Everything is passed on as it comes: 10,000 pages never stand in memory together. */
import { BYTE_ORDER_MARK, csvLine, ISSUE_COLUMNS, issueLine } from "../audit/export/csv.ts";
import type { AuditResponse, ChecksResponse, IssueResponse, PageResponse } from "../http/api/schemas.ts";

export interface ReportSource {
  audit: AuditResponse;
  checks: ChecksResponse;
  pages: () => AsyncIterable<PageResponse>;
  issues: () => AsyncIterable<IssueResponse>;
}

/** Pieces are handed on when they are about so long. Characters. */
const PIECE = 64 * 1024;

async function* inPieces(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = "";
  for await (const chunk of chunks) {
    piece += chunk;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

async function* jsonArray(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let separator = "[\n    ";
  for await (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ",\n    ";
  }
  yield separator.startsWith("[") ? "[]" : "\n  ]";
}

async function* json({ audit, checks, pages, issues }: ReportSource): AsyncGenerator<string> {
  yield `{\n  "audit": ${JSON.stringify(audit)},\n  "pages": `;
  yield* jsonArray(pages());
  yield `,\n  "issues": `;
  yield* jsonArray(issues());
  yield `,\n  "checks": ${JSON.stringify(checks)}\n}\n`;
}

async function* csv({ checks, issues }: ReportSource): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(ISSUE_COLUMNS);
  for await (const issue of issues()) yield issueLine(issue, checks[issue.check]?.title ?? issue.check);
}

/** `{ audit, pages: [...], issues: [...], checks: { id: ... } }` */
export const jsonReport = (source: ReportSource): AsyncIterable<string> => inPieces(json(source));

export const csvReport = (source: ReportSource): AsyncIterable<string> => inPieces(csv(source));
