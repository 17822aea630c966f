/** /api/v1/audits/:id/issues and /pages: what an audit has found, in pages. */
import { Hono } from "hono";
import { type IssueRow, type PageRow, ResultRepository } from "../../storage/result-repository.ts";
import { SEVERITIES } from "../../storage/schema.ts";
import type { AppContext, AppEnv } from "../context.ts";
import { auditNotFound, Problem } from "../problems.ts";
import { badCursor, readLimit } from "./input.ts";
import type { IssueResponse, PageResponse } from "./schemas.ts";

export const results = new Hono<AppEnv>();

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;
/** Findings about the site as a whole have the numbers 0, -1, -2, ... */
const FIRST = { check: "", urlId: Number.MIN_SAFE_INTEGER };

results.get("/:id/pages", async (c) => {
  const { id } = await existing(c);
  const limit = readLimit(c, DEFAULT_LIMIT, MAX_LIMIT);
  const cursor = c.req.query("cursor");
  if (cursor !== undefined && !/^\d{1,12}$/.test(cursor)) throw badCursor();
  const rows = await new ResultRepository(c.var.watch.db).pages(id, Number(cursor ?? 0), limit + 1);
  const items = rows.slice(0, limit).map(presentPage);
  return c.json({ items, nextCursor: rows.length > limit ? String(rows[limit - 1]?.urlId) : null });
});

results.get("/:id/issues", async (c) => {
  const { id, url } = await existing(c);
  const limit = readLimit(c, DEFAULT_LIMIT, MAX_LIMIT);
  const repository = new ResultRepository(c.var.watch.db);
  const rows = await repository.issues(id, readIssueCursor(c), limit + 1, readFilter(c));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const items = await presentIssues(repository, id, url, page);
  return c.json({
    items,
    nextCursor: rows.length > limit && last !== undefined ? `${last.checkId}:${last.urlId}` : null,
  });
});

export const presentPage = ({ urlId: _, hops, truncated, finalUrl, ...row }: PageRow): PageResponse => ({
  ...row,
  finalUrl: finalUrl ?? (hops === null ? row.url : null),
  truncated: truncated === 1,
});

/** The issues with the addresses of their sources; an issue about the site as a whole carries the audit's own address. */
export async function presentIssues(
  repository: ResultRepository,
  auditId: string,
  siteUrl: string,
  rows: readonly IssueRow[],
): Promise<IssueResponse[]> {
  const samples = rows.map((row) => (row.sources === null ? [] : (JSON.parse(row.sources) as [number, string?][])));
  const urls = await repository.urls(
    auditId,
    samples.flat().map(([urlId]) => urlId),
  );
  return rows.map((row, index) => ({
    check: row.checkId,
    severity: row.severity,
    ...place(row, siteUrl),
    sources: {
      count: row.sourceCount ?? samples[index]?.length ?? 0,
      sample: (samples[index] ?? []).flatMap(([urlId, anchor]) => {
        const url = urls.get(urlId);
        return url === undefined ? [] : [{ url, anchor: anchor ?? null }];
      }),
    },
  }));
}

function place(row: IssueRow, siteUrl: string): Pick<IssueResponse, "url" | "evidence"> {
  const evidence = JSON.parse(row.evidence) as IssueResponse["evidence"] & { target?: string };
  return { url: row.url ?? evidence.target ?? siteUrl, evidence };
}

async function existing(c: AppContext): Promise<{ id: string; url: string }> {
  const id = c.req.param("id") ?? "";
  const reading = await c.var.watch.audits.find(id, c.var.caller.organizationId);
  if (reading === null) throw auditNotFound(id);
  return reading.audit;
}

function readIssueCursor(c: AppContext): { check: string; urlId: number } {
  const text = c.req.query("cursor");
  if (text === undefined) return FIRST;
  const match = /^([a-z0-9.-]{1,60}):(-?\d{1,12})$/.exec(text);
  if (match === null) throw badCursor();
  return { check: match[1] ?? "", urlId: Number(match[2]) };
}

function readFilter(c: AppContext) {
  const check = c.req.query("check");
  const severityText = c.req.query("severity");
  const severity = SEVERITIES.find((name) => name === severityText);
  if (severityText !== undefined && severity === undefined) {
    throw new Problem(
      400,
      "invalid_severity",
      `"severity" is ${JSON.stringify(severityText.slice(0, 20))}.`,
      `Give one of ${SEVERITIES.join(", ")}.`,
    );
  }
  return {
    ...(check === undefined ? {} : { check: check.slice(0, 60) }),
    ...(severity === undefined ? {} : { severity }),
  };
}
