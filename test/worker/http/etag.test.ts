import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { ask, bearer, deploy, holdAudits, type Made, makeToken } from "./support.ts";

let ours: Made;
let id: string;
beforeEach(async () => {
  deploy();
  holdAudits();
  ours = await makeToken({ organization: `etag-${crypto.randomUUID().slice(0, 8)}` });
  const response = await ask("/api/v1/audits", {
    method: "POST",
    headers: { ...bearer(ours.token), "content-type": "application/json" },
    body: JSON.stringify({ url: "https://shop.example" }),
  });
  ({ id } = await response.json<{ id: string }>());
});

const read = (path: string, tag?: string | null, token = ours.token): Promise<Response> =>
  ask(path, { headers: { ...bearer(token), ...(tag ? { "if-none-match": tag } : {}) } });

test.each(["", "/issues", "/pages", "/changes"])(
  "GET /audits/:id%s is sent again only after a change",
  async (part) => {
    const path = `/api/v1/audits/${id}${part}`;
    const first = await read(path);
    const tag = first.headers.get("etag");
    expect(tag).toMatch(/^W\/"[0-9a-f]+"$/);
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    const same = await read(path, tag);
    expect([same.status, await same.text()]).toEqual([304, ""]);
    expect((await read(path, `"other", ${tag}`)).status).toBe(304);
    await env.DB.prepare("update audits set heartbeat_seq = heartbeat_seq + 1 where id = ?").bind(id).run();
    const changed = await read(path, tag);
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).not.toBe(tag);
  },
);

test("the list is sent again after a change of one of its audits, and for another filter", async () => {
  const path = "/api/v1/audits";
  const tag = (await read(path)).headers.get("etag");
  expect((await read(path, tag)).status).toBe(304);
  expect((await read(`${path}?limit=5`, tag)).status).toBe(200);
  await env.DB.prepare("update audits set heartbeat_due_at = 1 where id = ?").bind(id).run();
  expect((await read(path, tag)).status).toBe(200);
});

test("a tag opens nothing: another organization gets no 304", async () => {
  const tag = (await read(`/api/v1/audits/${id}`)).headers.get("etag");
  const other = await makeToken({ organization: "another" });
  expect((await read(`/api/v1/audits/${id}`, tag, other.token)).status).toBe(404);
  expect((await read(`/api/v1/audits/${id}`, "*", other.token)).status).toBe(404);
});
