/** docs/errors.md, made from the words that people are shown. */
import { AUDIT_ERROR_CODES, AUDIT_ERRORS } from "../../src/supervision/audit-errors.ts";

const INTRODUCTION = `# Error codes

Why an audit ended without a result: the \`errorCode\` of its row, what it means, and what to do. Pages and findings from before are kept.
\`docs/failure-modes.md\` tells how each comes about and how long it takes.

This page is made by \`npm run docs\`.
`;

export function errorsPage(): string {
  const rows = AUDIT_ERROR_CODES.map((code) => {
    const { title, explanation, advice, retryable } = AUDIT_ERRORS[code];
    return `| \`${code}\` | **${title}.** ${explanation} | ${advice} | ${retryable ? "yes" : "no"} |`;
  });
  return [
    INTRODUCTION,
    "| code | what happened | what to do | try again? |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}
