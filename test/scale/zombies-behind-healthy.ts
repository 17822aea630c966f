/**
 * Very many zombies, whose instances are gone, behind very many healthy audits: the supervisor runs until no zombie is
 * left. Inside workerd, over the real database; the platform knows the healthy instances only.
 */
import { env } from "cloudflare:workers";
import { MINUTE, SECOND, select, StandIn, sweep } from "../worker/supervision/support.ts";
import { type Cost, countingDatabase } from "./counting-database.ts";

export interface ScaleRun extends Cost {
  outcome: string;
  checked: number;
  failed: number;
  /** Asked while judging; ending what is left behind asks once more about each. */
  statusCalls: number;
  ms: number;
}

export interface ScaleResult {
  runs: ScaleRun[];
  /** The zombies in the order in which they were failed, as their place in the order of silence: 0, 1, 2, ... */
  order: number[];
  askedAboutHealthy: number;
  /** Healthy audits that were touched in any way. */
  changedHealthy: number;
  endedOnce: boolean;
}

const numbers = "with recursive n(i) as (select 0 union all select i + 1 from n where i < ?1 - 1)";
const columns = `id, organization_id, project_id, started_by, url, options, status, attempt, created_at, attempt_started_at,
  phase, heartbeat_at, heartbeat_seq, heartbeat_due_at, pages_total`;

/** Ids are random, as they are in life, so that the order of ids is not the order of silence. */
async function seed(zombies: number, healthy: number): Promise<void> {
  const rows = (name: string, at: string, due: string): string => `
    insert into audits (${columns}) ${numbers}
    select '${name}' || lower(hex(randomblob(6))) || i, 'org' || (i % 500), 'p', 'u', 'https://site.example/', '{}', 'running', 1,
      ${at}, ${at}, 'crawling', ${at}, 7, ${due}, 100 from n`;
  const now = Date.now();
  await env.DB.batch([
    env.DB.prepare(rows("h", String(now), String(now + 24 * 60 * MINUTE))).bind(healthy),
    env.DB.prepare(rows("z", `${now - 60 * MINUTE} + i * 100`, `${now - 59 * MINUTE} + i * 100`)).bind(zombies),
    env.DB.prepare(`insert into audit_attempts (audit_id, attempt, instance_id, began_at)
      select id, attempt, 'audit-' || id || '-1', created_at from audits where status = 'running'`),
  ]);
}

/** Time passes for everybody who is still silent, and for the place where the supervisor stopped. */
const passInterval = (ms: number): Promise<unknown> =>
  env.DB.batch([
    env.DB.prepare(
      `update audits set heartbeat_at = heartbeat_at - ?1, heartbeat_due_at = heartbeat_due_at - ?1, seen_since = seen_since - ?1,
         last_look_at = last_look_at - ?1, next_look_at = next_look_at - ?1 where status = 'running' and id >= 'z'`,
    ).bind(ms),
    env.DB.prepare("update supervisor_state set cursor_due_at = cursor_due_at - ?1").bind(ms),
  ]);

const count = async (where: string): Promise<number> =>
  (await select<{ n: number }>(`select count(*) as n from audits where ${where}`))[0]?.n ?? 0;

export async function failAllZombies(
  { zombies, healthy }: { zombies: number; healthy: number },
  vars: Record<string, string> = {},
): Promise<ScaleResult> {
  await seed(zombies, healthy);
  const healthyBefore = await select("select * from audits where id < 'z' order by id");
  const platform = new StandIn().says("not_found");
  const { database, take } = countingDatabase();
  const runs: ScaleRun[] = [];
  while ((await count("status = 'running' and id >= 'z'")) > 0 && runs.length < 50) {
    take();
    const startedAt = Date.now();
    const report = await sweep(platform, { vars: { ...vars, DB: database } });
    const { outcome, checked, failedCount, statusCalls } = report;
    runs.push({ outcome, checked, failed: failedCount, statusCalls, ms: Date.now() - startedAt, ...take() });
    await passInterval(2 * MINUTE);
  }
  const silence = await select<{ id: string }>("select id from audits where id >= 'z' order by created_at");
  const place = new Map(silence.map(({ id }, index) => [id, index]));
  const failed = await select<{ audit_id: string }>(
    "select audit_id from supervisor_decisions where acted = 'won' order by id",
  );
  const events = await select<{ n: number; distinct: number }>(
    `select count(*) as n, count(distinct audit_id) as "distinct" from analytics_outbox where event = 'site_audit:complete'`,
  );
  const healthyAfter = await select("select * from audits where id < 'z' order by id");
  return {
    runs,
    order: failed.map(({ audit_id }) => place.get(audit_id) ?? -1),
    askedAboutHealthy: platform.asked.filter((id) => id.startsWith("audit-h")).length,
    changedHealthy: healthyAfter.filter((row, index) => JSON.stringify(row) !== JSON.stringify(healthyBefore[index]))
      .length,
    endedOnce: events[0]?.n === zombies && events[0]?.distinct === zombies,
  };
}

export const tableOf = ({ runs }: ScaleResult): string => {
  const head = [
    "run",
    "outcome",
    "checked",
    "failed",
    "status calls",
    "queries",
    "rows read",
    "rows written",
    "seconds",
  ];
  const lines = runs.map((run, index) => [
    String(index + 1),
    run.outcome,
    ...[run.checked, run.failed, run.statusCalls, run.queries, run.rowsRead, run.rowsWritten].map((n) =>
      n.toLocaleString("en"),
    ),
    (run.ms / SECOND).toFixed(1),
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)));
  return [head, ...lines]
    .map((line) =>
      line
        .map((cell, column) => (column === 1 ? cell.padEnd(widths[1] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  "),
    )
    .join("\n");
};
