import { inPieces, type ReportSource } from "./report-source.ts";

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

/** `{ audit, pages: [...], issues: [...], checks: { id: ... } }` */
export const jsonReport = (source: ReportSource): AsyncIterable<string> => inPieces(json(source));
