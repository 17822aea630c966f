/** Starts that are repeated, and starts that find no room. */
import { expect, test } from "vitest";
import type { AuditResponse } from "../../../src/http/api/schemas.ts";
import { linkPage, openSite, postJson, readOk, rows, setVars, startAudit, waitForEnd } from "../support/audits.ts";

const onePage = { routes: { "/": linkPage("Start") } };
const keyed = (url: string, key: string, body: Record<string, unknown> = {}) =>
  postJson("/api/v1/audits", { url, ...body }, { "idempotency-key": key });

test("a start answers 201 with the audit and where to read it", async () => {
  const site = await openSite(onePage);
  const response = await postJson("/api/v1/audits", { url: site.origin });
  expect(response.status).toBe(201);
  const audit = await response.json<AuditResponse>();
  expect(response.headers.get("location")).toBe(`/api/v1/audits/${audit.id}`);
  expect(audit).toMatchObject({ status: "running", phase: "discovering", url: `${site.origin}/`, maxPages: 500 });
  await waitForEnd(audit.id);
});

test("the same request under the same key starts one audit, and answers with it again", async () => {
  const site = await openSite(onePage);
  const first = await keyed(site.origin, "key-1");
  expect(first.status).toBe(201);
  const { id } = await first.json<AuditResponse>();
  const second = await keyed(site.origin, "key-1");
  expect(second.status).toBe(200);
  expect((await second.json<AuditResponse>()).id).toBe(id);
  await waitForEnd(id);
  const later = await keyed(site.origin, "key-1");
  expect(await later.json()).toMatchObject({ id, status: "completed" });
});

test("another request under the same key is refused", async () => {
  const site = await openSite(onePage);
  await readOk(keyed(site.origin, "key-2"));
  const other = await keyed(site.origin, "key-2", { maxPages: 7 });
  expect(other.status).toBe(409);
  expect(await other.json()).toMatchObject({ error: { code: "idempotency_key_reused" } });
});

test("many requests under one key at once start one audit", async () => {
  const site = await openSite(onePage);
  const answers = await Promise.all(Array.from({ length: 8 }, () => keyed(site.origin, "key-3")));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200, 200, 200, 200, 200, 200, 200, 201,
  ]);
  const bodies = await Promise.all(answers.map((answer) => answer.json<AuditResponse>()));
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
  const found = await rows("select id from audits where url = ?", `${site.origin}/`);
  expect(found).toHaveLength(1);
});

test.each(["", "x".repeat(201)])("an Idempotency-Key of %j is refused", async (key) => {
  const response = await keyed("https://e.com", key);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: "invalid_idempotency_key" } });
});

test("when all slots are taken, a start is refused and says what runs; a free slot is used again", async () => {
  setVars({ CAPACITY_PER_ORGANIZATION: "2" });
  const site = await openSite({ routes: { "/": { ...linkPage("Start"), gate: "go" } } });
  for (const { id } of await rows<{ id: string }>("select id from audits where status = 'running'"))
    await waitForEnd(id);
  const ids = [await startAudit(site.origin), await startAudit(`${site.origin}/?2`)];
  const full = await postJson("/api/v1/audits", { url: site.origin });
  expect(full.status).toBe(429);
  expect(Number(full.headers.get("retry-after"))).toBeGreaterThan(0);
  const { error } = await full.json<{ error: { code: string; message: string; running: { id: string }[] } }>();
  expect(error.code).toBe("audit_capacity_reached");
  expect(error.running.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(error.message).toContain(site.origin);
  await site.open("go");
  for (const id of ids) await waitForEnd(id);
  await waitForEnd(await startAudit(site.origin));
});

test("many starts at once never take more than the slots that there are", async () => {
  setVars({ CAPACITY_PER_ORGANIZATION: "3" });
  const site = await openSite({ routes: { "/": { ...linkPage("Start"), gate: "go" } } });
  for (const { id } of await rows<{ id: string }>("select id from audits where status = 'running'"))
    await waitForEnd(id);
  const answers = await Promise.all(Array.from({ length: 9 }, () => postJson("/api/v1/audits", { url: site.origin })));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(6);
  await site.open("go");
});
