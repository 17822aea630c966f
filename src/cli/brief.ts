/** Short texts for the commands: how an audit is, and what the rule makes of it. Pure. */
import { z } from "zod";
import type { AuditResponse } from "../http/api/schemas.ts";
import { formatDuration } from "../words.ts";
import { progressSentence } from "./progress.ts";
import { readable } from "./readable.ts";
import { clip, plural, safe, wrap } from "./text.ts";

/** An audit in a few lines, running or ended. */
export function auditBrief(audit: AuditResponse): string[] {
  const { verdict, supervisor, error } = audit;
  const head = `${audit.status}   ${safe(audit.url)}   audit ${safe(audit.id)}   attempt ${audit.attempt}`;
  if (audit.status !== "running") {
    return [head, plural(audit.pagesCrawled, "page"), ...(error ? [`${safe(error.code)}: ${safe(error.title)}`] : [])];
  }
  return [
    head,
    progressSentence([{ audit, at: 0 }], 0),
    ...(verdict ? [`${safe(verdict.kind)}: ${safe(verdict.reason)}`] : []),
    ...(supervisor.late ? [`The supervisor is late. ${safe(supervisor.note ?? "")}`.trim()] : []),
  ];
}

/** What explain and reconcile answer. */
const judgementSchema = z.looseObject({
  verdict: z.string(),
  code: z.string().nullable(),
  reason: z.string(),
  rule: z.object({ id: z.string(), text: z.string() }),
  numbers: z.looseObject({
    overdueMs: z.number().nullish(),
    limitMs: z.number().nullish(),
    ageMs: z.number().nullish(),
    chainMs: z.number().nullish(),
    chainLimitMs: z.number().nullish(),
    seq: z.number().nullish(),
  }),
  evidence: z.unknown().optional(),
  acted: z.string(),
});

const within = (value: number | null | undefined, limit: number | null | undefined): string =>
  `${formatDuration(value ?? 0)}${limit == null ? "" : ` (limit ${formatDuration(limit)})`}`;

/** The row of the rule that applied, with its numbers. An answer of another form is shown as it is. */
export function judgementLines(answer: unknown, columns: number): string[] {
  const parsed = judgementSchema.safeParse(answer);
  if (!parsed.success) return readable(answer, columns);
  const { verdict, code, reason, rule, numbers, evidence, acted } = parsed.data;
  const facts: [string, string][] = [
    ["rule", `${safe(rule.text)} (${safe(rule.id)})`],
    ["overdue", within(numbers.overdueMs, numbers.limitMs)],
    ["same heartbeat", `${numbers.seq ?? 0}, seen for ${within(numbers.chainMs, numbers.chainLimitMs)}`],
    ["attempt's age", within(numbers.ageMs, null)],
    [
      "platform said",
      evidence == null ? "it was not asked" : readable(evidence, columns).join(", ").replaceAll(/ {2,}/g, " "),
    ],
    ["acted", safe(acted)],
  ];
  const width = Math.max(...facts.map(([name]) => name.length)) + 2;
  const head = `${safe(verdict)}${code === null ? "" : ` (${safe(code)})`}: ${safe(reason)}`;
  return [
    ...wrap(head, columns),
    ...facts.flatMap(([name, value]) =>
      wrap(value, columns - width - 2).map((line, at) => `  ${(at === 0 ? name : "").padEnd(width)}${line}`),
    ),
  ];
}

const runSchema = z.looseObject({
  id: z.string(),
  startedBy: z.string(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  outcome: z.string().nullable(),
  checked: z.number(),
  failed: z.number(),
  statusCalls: z.number(),
});

/** The supervisor's runs, one a line. */
export function runLines(answer: unknown, columns: number): string[] {
  const parsed = z.looseObject({ items: z.array(runSchema) }).safeParse(answer);
  if (!parsed.success) return readable(answer, columns);
  const rows = parsed.data.items.map((run) => ({
    run: clip(run.id, 27),
    outcome: run.outcome ?? "unfinished",
    checked: run.checked,
    failed: run.failed,
    calls: run.statusCalls,
    took: run.endedAt === null ? "-" : formatDuration(run.endedAt - run.startedAt),
    by: run.startedBy,
  }));
  return rows.length > 0
    ? readable(rows, columns)
    : ["The supervisor has not run yet. Cron starts it; or: npm run audit -- sweep"];
}
