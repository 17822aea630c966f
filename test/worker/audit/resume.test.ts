/** Cancel, resume and delete, through the API. */
import { env } from "cloudflare:workers";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import * as schema from "../../../src/storage/schema.ts";
import {
  askedPaths,
  askedTimes,
  callApi,
  linkPage,
  openSite,
  outcomeOf,
  readAudit,
  readOk,
  rows,
  setVars,
  startAudit,
  waitForEnd,
  waitUntil,
} from "../support/audits.ts";

const act = (id: string, what: string) => callApi(`/api/v1/audits/${id}/${what}`, { method: "POST" });
const paths = Array.from({ length: 12 }, (_, n) => `/p${n}`);

/** A site that answers its start page and half of its pages; the other half waits for the gate. */
async function halfOpen() {
  setVars({ SAVE_EVERY_PAGES: "1" });
  const routes = Object.fromEntries(
    paths.map((path, n) => [path, n < 6 ? linkPage(path) : { ...linkPage(path), gate: "go" }]),
  );
  const site = await openSite({ routes: { "/": linkPage("Start", ...paths), ...routes } });
  const id = await startAudit(site.origin);
  await waitUntil(
    () => readAudit(id),
    ({ pagesCrawled }) => pagesCrawled >= 7,
  );
  return { site, id };
}

test("a canceled audit keeps its pages, and a resume goes on from them: every page is there once", async () => {
  const { site, id } = await halfOpen();
  await readOk(act(id, "cancel"));
  const canceled = await outcomeOf(id, site);
  expect(canceled.audit).toMatchObject({ status: "canceled", failedPhase: "crawling", attempt: 1 });
  expect(canceled.pages.length).toBeGreaterThanOrEqual(7);
  await site.open("go");
  expect(await readOk(act(id, "resume"))).toMatchObject({ status: "running", attempt: 2 });
  const { audit, pages } = await outcomeOf(id, site);
  expect(audit).toMatchObject({
    status: "completed",
    attempt: 2,
    pagesCrawled: 13,
    errorCode: null,
    failedPhase: null,
  });
  expect(new Set(pages.map(({ url }) => url)).size).toBe(13);
  expect(pages).toHaveLength(13);
  const times = await askedTimes(site);
  for (const path of paths.slice(0, 6)) expect(times[path]).toBe(1);
  const attempts = await rows(
    "select attempt, ended_by, code from audit_attempts where audit_id = ? order by attempt",
    id,
  );
  expect(attempts).toEqual([
    { attempt: 1, ended_by: "manual", code: "canceled" },
    { attempt: 2, ended_by: "workflow", code: null },
  ]);
});

test("an audit that failed after its crawl is resumed without asking the site for its pages again", async () => {
  const site = await openSite({ generate: { pages: 10, links: 3, bytes: 2_000 } });
  const id = await startAudit(site.origin);
  await outcomeOf(id, site);
  await env.DB.prepare("update audits set status = 'failed', error_code = 'heartbeat_lost' where id = ?")
    .bind(id)
    .run();
  const asked = (await askedPaths(site)).length;
  await readOk(act(id, "resume"));
  const { audit, pages } = await outcomeOf(id, site);
  expect(audit).toMatchObject({ status: "completed", attempt: 2, pagesCrawled: 11 });
  expect(pages).toHaveLength(11);
  expect(await askedPaths(site)).toHaveLength(asked);
});

test("an audit of a site that was down can be resumed when it is up", async () => {
  const site = await openSite({ fallback: { status: 500 } });
  const id = await startAudit(site.origin);
  expect(await waitForEnd(id)).toMatchObject({ status: "failed", errorCode: "site_unreachable" });
  await site.patch({ routes: { "/": linkPage("Start", "/a"), "/a": linkPage("A") }, fallback: { status: 404 } });
  await readOk(act(id, "resume"));
  const { audit, findings } = await outcomeOf(id, site);
  expect(audit).toMatchObject({ status: "completed", attempt: 2, pagesCrawled: 2 });
  expect(findings.filter((finding) => finding.startsWith("http.5xx"))).toEqual([]);
});

test("what is running cannot be resumed, what is over cannot be canceled, and what is complete needs no resume", async () => {
  const { site, id } = await halfOpen();
  const running = await act(id, "resume");
  expect(running.status).toBe(409);
  expect(await running.json()).toMatchObject({ error: { code: "audit_running" } });
  await site.open("go");
  expect(await waitForEnd(id)).toMatchObject({ status: "completed" });
  const over = await act(id, "cancel");
  expect(over.status).toBe(409);
  expect(await over.json()).toMatchObject({ error: { code: "audit_not_running" } });
  const complete = await act(id, "resume");
  expect(complete.status).toBe(409);
  expect(await complete.json()).toMatchObject({ error: { code: "audit_completed" } });
});

test("two resumes at once begin one attempt", async () => {
  const { site, id } = await halfOpen();
  await readOk(act(id, "cancel"));
  await site.open("go");
  const answers = await Promise.all([act(id, "resume"), act(id, "resume"), act(id, "resume")]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const { audit } = await outcomeOf(id, site);
  expect(audit).toMatchObject({ status: "completed", attempt: 2, pagesCrawled: 13 });
});

test("deleting removes every row of the audit, and ends its run", async () => {
  const { site, id } = await halfOpen();
  const keptId = await startAudit((await openSite({ routes: { "/": linkPage("Other") } })).origin);
  await waitForEnd(keptId);
  const response = await callApi(`/api/v1/audits/${id}`, { method: "DELETE" });
  expect(response.status).toBe(204);
  expect((await callApi(`/api/v1/audits/${id}`)).status).toBe(404);
  await site.open("go");
  const instance = await env.SITE_AUDIT.get(`audit-${id}-1`);
  await waitUntil(
    () => instance.status(),
    ({ status }) => status === "terminated" || status === "complete",
  );
  // Analytics keeps its events: they have nothing of the site in them.
  const tables = Object.values(schema)
    .filter((entry) => is(entry, SQLiteTable))
    .filter((table) => "auditId" in getTableColumns(table))
    .map(getTableName)
    .filter((name) => name !== "analytics_outbox");
  expect(tables.length).toBeGreaterThan(8);
  for (const name of tables) {
    expect([name, await rows(`select * from ${name} where audit_id = ?`, id)]).toEqual([name, []]);
  }
  expect(await rows("select 1 from audits where id = ?", id)).toEqual([]);
  expect((await callApi(`/api/v1/audits/${keptId}`)).status).toBe(200);
});
