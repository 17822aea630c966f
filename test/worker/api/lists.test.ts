/** What an audit has found, read page by page; every answer holds against the schema that describes it. */
import { beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import {
  auditResponse,
  checksResponse,
  type IssueResponse,
  issueResponse,
  pageOf,
  type PageResponse,
  pageResponse,
} from "../../../src/http/api/schemas.ts";
import { createSite, type Site } from "../../support/sites.ts";
import { allowHost, callApi, linkPage, outcomeOf, readAll, readOk, setVars, startAudit } from "../support/audits.ts";

let site: Site;
let id: string;

beforeAll(async () => {
  const names = Array.from({ length: 12 }, (_, n) => `/p${n}`);
  site = await createSite({
    routes: {
      "/": linkPage("Start", ...names, "/gone", "/moved", "/file.pdf"),
      ...Object.fromEntries(names.map((name) => [name, linkPage(`Page ${name}`, "/", "/gone")])),
      "/moved": { redirect: "/p1" },
      "/file.pdf": { headers: { "content-type": "application/pdf" }, body: "%PDF" },
    },
  });
  allowHost(site.host);
  id = await startAudit(site.origin);
  await outcomeOf(id, site);
  return () => site.close();
});

async function held<T extends z.ZodType>(path: string, schema: T): Promise<z.infer<T>> {
  return schema.parse(await readOk(callApi(path)));
}

test("every answer about an audit holds against its schema", async () => {
  const audit = await held(`/api/v1/audits/${id}`, auditResponse);
  expect(audit).toMatchObject({ id, status: "completed", pagesCrawled: 16 });
  await held(`/api/v1/audits/${id}/pages`, pageOf(pageResponse));
  await held(`/api/v1/audits/${id}/issues`, pageOf(issueResponse));
  await held("/api/v1/audits", pageOf(auditResponse));
  await held("/api/v1/checks", checksResponse);
});

describe.each([1, 2, 5, 7, 500])("in pages of %i", (limit) => {
  test("the pages of an audit come once each and none is left out", async () => {
    const pages = await readAll<PageResponse>(`/api/v1/audits/${id}/pages`, limit);
    expect(pages).toHaveLength(16);
    expect(new Set(pages.map(({ url }) => url)).size).toBe(16);
  });

  test("the findings come once each, in one order", async () => {
    const whole = await readAll<IssueResponse>(`/api/v1/audits/${id}/issues`, 500);
    expect(await readAll<IssueResponse>(`/api/v1/audits/${id}/issues`, limit)).toEqual(whole);
    expect(whole.length).toBeGreaterThan(20);
  });
});

test("the summary counts what the lists hold", async () => {
  const { summary } = await held(`/api/v1/audits/${id}`, auditResponse);
  const issues = await readAll<IssueResponse>(`/api/v1/audits/${id}/issues`, 500);
  for (const severity of ["error", "warning", "notice"] as const) {
    expect(issues.filter((issue) => issue.severity === severity)).toHaveLength(summary!.issues[severity]);
  }
});

test("findings are filtered by check and severity", async () => {
  const broken = await held(`/api/v1/audits/${id}/issues?check=link.broken-internal`, pageOf(issueResponse));
  expect(broken.items.map(({ check, url }) => [check, url])).toEqual([["link.broken-internal", `${site.origin}/gone`]]);
  expect(broken.items[0]!.sources.count).toBe(13);
  expect(broken.items[0]!.sources.sample[0]).toEqual({ url: `${site.origin}/`, anchor: "to /gone" });
  const errors = await held(`/api/v1/audits/${id}/issues?severity=error`, pageOf(issueResponse));
  expect(new Set(errors.items.map(({ severity }) => severity))).toEqual(new Set(["error"]));
});

test.each([
  [`pages?cursor=-1`, "invalid_cursor"],
  [`pages?cursor=1e3`, "invalid_cursor"],
  [`pages?limit=501`, "invalid_limit"],
  [`issues?cursor=title.missing`, "invalid_cursor"],
  [`issues?cursor=';drop table audits:1`, "invalid_cursor"],
  [`issues?severity=fatal`, "invalid_severity"],
])("%s is refused as %s", async (query, code) => {
  const response = await callApi(`/api/v1/audits/${id}/${query}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code } });
});

test("the list of audits is complete in pages, newest first, also when several began in one moment", async () => {
  setVars({ ALLOWED_HOSTS: site.host });
  const ids = [id];
  for (const started of await Promise.all([1, 2, 3, 4].map(() => startAudit(site.origin, { maxPages: 1 }))))
    ids.push(started);
  const listed = await readAll<{ id: string; createdAt: number }>("/api/v1/audits", 2);
  expect(listed.map((audit) => audit.id).toSorted()).toEqual(ids.toSorted());
  const times = listed.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  for (const other of ids) await outcomeOf(other, site);
  expect(await readOk(callApi("/api/v1/audits?status=running"))).toMatchObject({ items: [], nextCursor: null });
});
