/** Audits a site through the API of the real local runtime, and reads from the Workflow's own history what it cost. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { createApi } from "../../src/cli/api-client.ts";
import type { LocalRuntime } from "../../src/cli/local-runtime.ts";
import type { BenchSite } from "./bench-site.ts";

export interface AuditRun {
  pages: number;
  /** From the row's creation to its end, by the database's clock. */
  seconds: number;
  steps: number;
  /** Seconds of the steps of each kind: "crawl pages", "analyze site", ... */
  stepSeconds: Record<string, number>;
  rowsWritten: number;
  rowsRead: number;
  batches: number;
  issues: number;
}

const GIVE_UP_MS = 180_000;
const POLL_MS = 500;

const cost = z.object({ batches: z.number(), queries: z.number(), rowsRead: z.number(), rowsWritten: z.number() });
const history = z.object({
  result: z.object({
    steps: z.array(
      z.object({
        name: z.string(),
        start: z.string(),
        end: z.string().nullable(),
        output: z.looseObject({ cost: cost.optional() }).nullish(),
      }),
    ),
  }),
});

/** The explorer's JSON, which the local runtime serves beside the Worker. */
async function stepsOf(runtime: LocalRuntime, instance: string) {
  const path = `/cdn-cgi/local/explorer/api/workflows/pulse-site-audit/instances/${instance}`;
  const response = await fetch(runtime.url + path);
  return history.parse(await response.json()).result.steps.filter((step) => step.end !== null);
}

/** Audits every page of the site. Throws when the audit does not complete or does not see every page. */
export async function runAudit(runtime: LocalRuntime, site: BenchSite): Promise<AuditRun> {
  const api = createApi({ server: new URL(runtime.url) });
  const { id } = await api.start({ url: `${site.origin}/`, maxPages: site.pages }, randomUUID());
  const giveUpAt = performance.now() + GIVE_UP_MS;
  let audit = await api.audit(id);
  while (audit.status === "running") {
    if (performance.now() > giveUpAt)
      throw new Error(`the audit has crawled ${audit.pagesCrawled} pages and does not end`);
    await sleep(POLL_MS);
    audit = await api.audit(id);
  }
  if (audit.status !== "completed" || audit.endedAt === null || audit.pagesCrawled !== site.pages) {
    throw new Error(
      `the audit is ${audit.status} with ${audit.pagesCrawled} of ${site.pages} pages: ` +
        `${audit.errorCode ?? ""} ${audit.error?.detail ?? ""}\n${runtime.lastLines().join("\n")}`,
    );
  }
  const steps = await stepsOf(runtime, `audit-${id}-1`);
  const costs = steps.flatMap((step) => (step.output?.cost ? [step.output.cost] : []));
  const sum = (of: (one: z.infer<typeof cost>) => number): number => costs.reduce((total, one) => total + of(one), 0);
  const stepSeconds: Record<string, number> = {};
  for (const step of steps) {
    const kind = step.name.replace(/[\d-]+$/, "").trim();
    const seconds = (Date.parse(step.end ?? step.start) - Date.parse(step.start)) / 1000;
    stepSeconds[kind] = (stepSeconds[kind] ?? 0) + seconds;
  }
  const issues = audit.summary?.issues;
  return {
    pages: audit.pagesCrawled,
    seconds: (audit.endedAt - audit.createdAt) / 1000,
    steps: steps.length,
    stepSeconds,
    rowsWritten: sum((one) => one.rowsWritten),
    rowsRead: sum((one) => one.rowsRead),
    batches: sum((one) => one.batches),
    issues: issues === undefined ? 0 : issues.error + issues.warning + issues.notice,
  };
}
