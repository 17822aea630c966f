/** Small words for the pages: numbers, plurals, statuses. Pure. */
import type { AuditStatus, EndedBy, Phase, Severity } from "../../storage/schema.ts";

const NUMBER = new Intl.NumberFormat("en-US");

/** 1,284 */
export const count = (value: number): string => NUMBER.format(value);

/** "1 page", "1,284 pages". */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** "12.4 KB"; bytes in thousands, as browsers show them. */
export function bytesOf(bytes: number): string {
  if (bytes < 1_000) return `${count(bytes)} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(bytes < 100_000 ? 1 : 0)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** "12 %"; never 0 % or 100 % of what is only nearly so. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return "0 %";
  const share = (100 * part) / whole;
  if (share > 0 && share < 1) return "under 1 %";
  if (share < 100 && share > 99) return "over 99 %";
  return `${Math.round(share)} %`;
}

export const PHASE_WORDS: Readonly<Record<Phase, { doing: string; noun: string }>> = {
  discovering: { doing: "Discovering", noun: "Discovering" },
  crawling: { doing: "Crawling", noun: "Crawling" },
  checking_links: { doing: "Checking links", noun: "Checking links" },
  analyzing: { doing: "Analyzing", noun: "Analyzing" },
  finishing: { doing: "Finishing", noun: "Finishing" },
};

export const ENDED_BY_WORDS: Readonly<Record<EndedBy, string>> = {
  workflow: "The run ended by itself",
  watchdog: "The supervisor ended it",
  status_check: "A look at its status ended it",
  manual: "A person ended it",
};

export const SEVERITY_WORDS: Readonly<Record<Severity, { one: string; many: string }>> = {
  error: { one: "error", many: "errors" },
  warning: { one: "warning", many: "warnings" },
  notice: { one: "notice", many: "notices" },
};

/** How an audit is called and drawn. `overdue` is a running audit that has broken its promise. */
export type StatusKind = AuditStatus | "overdue";
export const STATUS_WORDS: Readonly<Record<StatusKind, string>> = {
  running: "Running",
  overdue: "Overdue",
  completed: "Completed",
  failed: "Failed",
  canceled: "Canceled",
};

/** What follows a sentence's first letter: "Crawling" inside of one is "crawling". */
export const lower = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);
/** A sentence begins with a capital and ends with a full stop, whoever wrote it. */
export const sentence = (text: string): string => {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  return trimmed.slice(0, 1).toUpperCase() + trimmed.slice(1) + (/[.!?…]$/.test(trimmed) ? "" : ".");
};
