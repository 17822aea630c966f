/** Audits with rows of every kind, and a browser that is signed in. */
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { ADMIN_TOKEN, Browser, deploy, holdAudits, makeToken } from "../http/support.ts";
import { type SeededSite, seedAudit } from "../support/seed.ts";

export const NOW = Date.now();

export interface SeededAudit {
  url?: string;
  status?: string;
  phase?: string;
  site?: SeededSite;
  createdAt?: number;
  columns?: Record<string, string | number | null>;
  issues?: { check: string; urlId: number; severity?: string; evidence: Record<string, unknown>; sources?: unknown }[];
}

let lastId = 0;

/** Writes an audit with its attempt and returns its id. Its first page has the number 1. */
export async function putAudit(audit: SeededAudit = {}): Promise<string> {
  lastId += 1;
  const id = `page${String(lastId).padStart(6, "0")}`;
  const { status = "completed", createdAt = NOW - 60_000 + lastId } = audit;
  const ended = status === "running" ? null : createdAt + 41_000;
  const row: Record<string, string | number | null> = {
    id,
    organization_id: "default",
    project_id: "default",
    started_by: "admin",
    url: audit.url ?? "https://site.example/",
    site_origin: "https://site.example",
    options: JSON.stringify({ maxPages: 500 }),
    status,
    attempt: 1,
    created_at: createdAt,
    attempt_started_at: createdAt,
    ended_at: ended,
    ended_by: status === "running" ? null : "workflow",
    phase: audit.phase ?? "crawling",
    heartbeat_at: ended ?? NOW,
    heartbeat_seq: 7,
    heartbeat_due_at: (ended ?? NOW) + 3_600_000,
    pages_crawled: 12,
    pages_total: 40,
    ...audit.columns,
  };
  const names = Object.keys(row);
  await env.DB.prepare(`insert into audits (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`)
    .bind(...Object.values(row))
    .run();
  await env.DB.prepare(
    "insert into audit_attempts (audit_id, attempt, instance_id, began_at, ended_at, ended_by, code) values (?, 1, ?, ?, ?, ?, ?)",
  )
    .bind(id, `audit-${id}-1`, createdAt, ended, row.ended_by ?? null, row.error_code ?? null)
    .run();
  if (audit.site !== undefined) {
    const seeded = await seedAudit(audit.site);
    for (const table of ["audit_urls", "audit_pages", "audit_targets"])
      await env.DB.prepare(`update ${table} set audit_id = ? where audit_id = ?`).bind(id, seeded).run();
  }
  for (const { check, urlId, severity = "error", evidence, sources } of audit.issues ?? []) {
    await env.DB.prepare(
      "insert into audit_issues (audit_id, check_id, url_id, severity, evidence, sources, source_count) values (?, ?, ?, ?, ?, ?, ?)",
    )
      .bind(
        id,
        check,
        urlId,
        severity,
        JSON.stringify(evidence),
        sources === undefined ? null : JSON.stringify(sources),
        null,
      )
      .run();
  }
  return id;
}

/** The summary that an audit without trouble would have. */
export const summaryWith = (changes: Record<string, unknown> = {}): string =>
  JSON.stringify({
    score: 82,
    scoreNote: null,
    scoreParts: null,
    issues: { error: 3, warning: 11, notice: 40 },
    pages: 12,
    indexable: 10,
    blocked: 0,
    crawlCompleted: true,
    robots: "within robots.txt",
    checksPassed: 51,
    checksTotal: 66,
    byCheck: [],
    fixFirst: [],
    indexability: { indexable: 10, "4xx": 2 },
    statuses: { "2xx": 10, "4xx": 2 },
    depths: { "0": 1, "1": 11 },
    links: { internal: 30, perPage: 2.5, most: 9, withoutInlinks: 0 },
    ttfbMs: null,
    bytes: null,
    comparison: null,
    ...changes,
  });

/** A deployed server, and somebody who is signed in there. */
export async function signedIn(role: "read" | "write" | "admin" = "admin"): Promise<Browser> {
  deploy({ ADMIN_TOKEN });
  holdAudits();
  const browser = new Browser();
  const token = role === "admin" ? ADMIN_TOKEN : (await makeToken({ role })).token;
  expect((await browser.signIn(token)).status).toBe(303);
  return browser;
}

/** The HTML of a page that must be there. */
export async function read(browser: Browser, path: string, status = 200): Promise<string> {
  const response = await browser.open(path);
  const html = await response.text();
  expect(response.status, html.slice(0, 500)).toBe(status);
  return html;
}

/** What people read: without tags, with single spaces. */
export const textOf = (html: string): string =>
  html
    .replaceAll("<wbr/>", "")
    .replaceAll(/<(head|title|noscript)[\s\S]*?<\/\1>/g, " ")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ");

export const emptyDatabase = async (): Promise<void> => {
  const tables = [
    "audits",
    "audit_attempts",
    "audit_phases",
    "audit_beats",
    "audit_urls",
    "audit_pages",
    "audit_targets",
  ];
  for (const table of [...tables, "audit_issues", "supervisor_decisions", "supervisor_runs", "supervisor_state"])
    await env.DB.prepare(`delete from ${table}`).run();
};
