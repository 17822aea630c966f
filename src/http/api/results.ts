/** /api/v1/audits/:id/issues and /pages: what an audit has found, in pages. */
import { Hono } from "hono";
import type { AuditReading } from "../../storage/audit-repository.ts";
import { type IssueRow, type PageRow, ResultRepository } from "../../storage/result-repository.ts";
import type { AppContext, AppEnv } from "../context.ts";
import { auditNotFound } from "../problems.ts";
import { auditState, notModified } from "./etag.ts";
import { issuesQuery, pagesQuery, readQuery } from "./parameters.ts";
import type { IssueResponse, PageResponse } from "./schemas.ts";

export const results = new Hono<AppEnv>();

const DEFAULT_LIMIT = 100;
/** Findings about the site as a whole have the numbers 0, -1, -2, ... */
const FIRST = { check: "", urlId: Number.MIN_SAFE_INTEGER };

results.get("/:id/pages", async (c) => {
  const { limit = DEFAULT_LIMIT, cursor } = readQuery(c, pagesQuery);
  const { audit, now } = await existing(c);
  const unchanged = await notModified(c, auditState(audit, now));
  if (unchanged !== null) return unchanged;
  const { id } = audit;
  const rows = await new ResultRepository(c.var.watch.db).pages(id, Number(cursor ?? 0), limit + 1);
  const items = rows.slice(0, limit).map(presentPage);
  return c.json({ items, nextCursor: rows.length > limit ? String(rows[limit - 1]?.urlId) : null });
});

results.get("/:id/issues", async (c) => {
  const { limit = DEFAULT_LIMIT, cursor, check, severity } = readQuery(c, issuesQuery);
  const { audit, now } = await existing(c);
  const unchanged = await notModified(c, auditState(audit, now));
  if (unchanged !== null) return unchanged;
  const { id, url } = audit;
  const filter = { ...(check === undefined ? {} : { check }), ...(severity === undefined ? {} : { severity }) };
  const repository = new ResultRepository(c.var.watch.db);
  const rows = await repository.issues(id, issueCursor(cursor), limit + 1, filter);
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

async function existing(c: AppContext): Promise<AuditReading> {
  const id = c.req.param("id") ?? "";
  const reading = await c.var.watch.audits.find(id, c.var.caller.organizationId);
  if (reading === null) throw auditNotFound(id);
  return reading;
}

function issueCursor(text: string | undefined): { check: string; urlId: number } {
  if (text === undefined) return FIRST;
  const at = text.lastIndexOf(":");
  return { check: text.slice(0, at), urlId: Number(text.slice(at + 1)) };
}
