/** What --compare prints: an audit beside the one before. Pure. */
import type { AuditResponse, ChangedIssueResponse, ChangedPageResponse } from "../http/api/schemas.ts";
import { clip, count, flow, safe, type Paint } from "./text.ts";

/** So many of each kind are listed; the rest is a number, and all of them are in the API. */
export const SHOWN = 20;

export interface Changes {
  /** The first of each kind. */
  issues: Record<"new" | "fixed", ChangedIssueResponse[]>;
  pages: Record<"new" | "gone", ChangedPageResponse[]>;
}

type Comparison = NonNullable<NonNullable<AuditResponse["summary"]>["comparison"]>;

const LETTER = { error: "E", warning: "W", notice: "N" } as const;

/** Addresses of the site itself without their origin. */
function short(audit: AuditResponse, url: string): string {
  const parsed = URL.parse(url);
  return safe(parsed !== null && parsed.origin === audit.siteOrigin ? parsed.pathname + parsed.search : url);
}

function listed(title: string, lines: readonly string[], all: number, paint: Paint): string[] {
  if (all === 0) return [];
  const more = all > lines.length ? [`  ... and ${count(all - lines.length)} more`] : [];
  return ["", `${paint("bold", title)} (${count(all)})`, ...lines, ...more];
}

export function compareLines(
  audit: AuditResponse,
  comparison: Comparison | null,
  changes: Changes,
  { columns, paint }: { columns: number; paint: Paint },
): string[] {
  if (comparison === null) {
    return ["", "Nothing to compare with: there is no earlier completed audit of this site here."];
  }
  const { issues, pages } = comparison;
  const issueLine = ({ severity, check, url, evidence }: ChangedIssueResponse): string =>
    clip(`  ${LETTER[severity]}  ${safe(check)}  ${short(audit, url)}  ${safe(evidence.message)}`, columns);
  const pageLine = (page: ChangedPageResponse): string =>
    clip(`     ${short(audit, page.url)}${page.title === null ? "" : `  ${safe(page.title)}`}`, columns);
  const words = [
    `Compared with audit ${safe(comparison.previousAuditId)}:`,
    `${count(issues.new)} new`,
    `${count(issues.fixed)} fixed`,
    `${count(issues.still)} still there`,
    ...(issues.not_seen > 0 ? [`${count(issues.not_seen)} not seen, as one of the two crawls did not get there`] : []),
  ];
  return [
    "",
    ...flow(words, columns),
    ...listed("New", changes.issues.new.map(issueLine), issues.new, paint),
    ...listed("Fixed", changes.issues.fixed.map(issueLine), issues.fixed, paint),
    ...listed("New pages", changes.pages.new.map(pageLine), pages.new, paint),
    ...listed("Pages that are gone", changes.pages.gone.map(pageLine), pages.gone, paint),
  ];
}
