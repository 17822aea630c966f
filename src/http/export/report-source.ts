/** What a report is made of, wherever it comes from: the database, or another server's API. */
import type { AuditResponse, ChecksResponse, IssueResponse, PageResponse } from "../api/schemas.ts";

export interface ReportSource {
  audit: AuditResponse;
  checks: ChecksResponse;
  pages: () => AsyncIterable<PageResponse>;
  /** In the order of their checks. */
  issues: () => AsyncIterable<IssueResponse>;
}

/** Pieces are handed on when they are about so long. Characters. */
const PIECE = 64 * 1024;

/** Joins small texts, so that what is streamed comes in pieces worth sending. */
export async function* inPieces(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = "";
  for await (const chunk of chunks) {
    piece += chunk;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}
