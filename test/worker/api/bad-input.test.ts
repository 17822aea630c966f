/** Whatever comes in that cannot be used gets a no with a code, a sentence and a way to mend it, and nothing of the inside. */
import { expect, test } from "vitest";
import { errorResponse } from "../../../src/http/api/schemas.ts";
import { callApi, postJson, setVars } from "../support/audits.ts";

async function refusal(answer: Promise<Response>): Promise<{ status: number; code: string; message: string }> {
  const response = await answer;
  expect(response.headers.get("content-type")).toMatch(/^application\/json/);
  const text = await response.text();
  const { error } = errorResponse.parse(JSON.parse(text));
  expect(error.message).not.toBe("");
  expect(error.hint).not.toBe("");
  expect(text).not.toMatch(/\bat .+:\d+:\d+|\.ts\b|sqlite|select |insert |stack|zod/i);
  return { status: response.status, code: error.code, message: error.message };
}

const start = (body: unknown, headers?: Record<string, string>) => refusal(postJson("/api/v1/audits", body, headers));

test.each([
  ["nothing", {}, "invalid_request"],
  ["no object", [], "invalid_request"],
  ["null", null, "invalid_request"],
  ["an empty address", { url: "" }, "invalid_request"],
  ["blanks", { url: "   " }, "invalid_url"],
  ["no address", { url: "http://" }, "invalid_url"],
  ["a number", { url: 5 }, "invalid_request"],
  ["an address that is too long", { url: `https://e.com/${"x".repeat(3000)}` }, "invalid_request"],
  ["a user and password", { url: "https://user:secret@e.com/" }, "invalid_url"],
  ["a file", { url: "file:///etc/passwd" }, "unsupported_scheme"],
  ["a script", { url: "javascript:alert(1)" }, "unsupported_scheme"],
  ["ftp", { url: "ftp://e.com/" }, "unsupported_scheme"],
  ["data", { url: "data:text/html,x" }, "unsupported_scheme"],
  ["a field that nobody knows", { url: "https://e.com", depth: 3 }, "invalid_request"],
  ["no pages", { url: "https://e.com", maxPages: 0 }, "invalid_request"],
  ["half a page", { url: "https://e.com", maxPages: 1.5 }, "invalid_request"],
  ["pages as text", { url: "https://e.com", maxPages: "5" }, "invalid_request"],
  ["too many pages", { url: "https://e.com", maxPages: 10_001 }, "invalid_request"],
])("a start with %s is refused as %s", async (_, body, code) => {
  expect(await start(body)).toMatchObject({ status: 400, code });
});

test("a server with a lower limit of pages says its limit", async () => {
  setVars({ MAX_PAGES: "50" });
  expect(await start({ url: "https://e.com", maxPages: 51 })).toMatchObject({ status: 400, code: "too_many_pages" });
});

test.each([
  "localhost", "http://localhost:8787/", "http://LOCALHOST./", "http://a.localhost/", "127.0.0.1", "http://127.1/",
  "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
  "http://[0:0:0:0:0:ffff:7f00:1]/", "http://0.0.0.0/", "http://10.1.2.3/", "http://172.16.0.1/", "http://192.168.0.1/",
  "http://169.254.169.254/latest/meta-data", "http://[fe80::1]/", "http://[fd00::1]/", "http://100.64.0.1/",
  "http://168.63.129.16/", "http://[64:ff9b::7f00:1]/", "http://224.0.0.1/", "http://255.255.255.255/",
  "http://router/", "http://printer.local/", "http://db.internal/", "http://①②⑦.⓪.⓪.①/", "http://127。0。0。1/",
])("an audit of %s is refused", async (url) => {
  const { status, code, message } = await start({ url });
  expect({ status, code }).toEqual({ status: 400, code: "address_not_allowed" });
  expect(message).toMatch(/not allowed/);
}); // prettier-ignore

test("an allowed host counts with exactly its port", async () => {
  setVars({ ALLOWED_HOSTS: "127.0.0.1:9999" });
  expect(await start({ url: "http://127.0.0.1:9998/" })).toMatchObject({ code: "address_not_allowed" });
  expect(await start({ url: "http://localhost:9999/" })).toMatchObject({ code: "address_not_allowed" });
  expect(await start({ url: "http://127.0.0.1/" })).toMatchObject({ code: "address_not_allowed" });
});

test.each([
  ["text", "text/plain"],
  ["a form", "application/x-www-form-urlencoded"],
  ["several parts", "multipart/form-data; boundary=x"],
  ["JSON by a name that only begins like it", "application/jsonx"],
])("a body of %s is refused by its type, so that no foreign page can send one", async (_, type) => {
  const body = JSON.stringify({ url: "https://e.com" });
  const init = { method: "POST", headers: { "content-type": type }, body };
  const { status, code } = await refusal(callApi("/api/v1/audits", init));
  // What a form could send is refused as a forged form already.
  expect(["415 not_json", "403 form_token_wrong"]).toContain(`${status} ${code}`);
});

test("a body without any type is refused", async () => {
  const body = new TextEncoder().encode(JSON.stringify({ url: "https://e.com" }));
  expect(await refusal(callApi("/api/v1/audits", { method: "POST", body }))).toMatchObject({ code: "not_json" });
});

test.each(["{", '{"url": }', "url=https://e.com", "\u0000", '{"url": "https://e.com"} x'])(
  "the broken JSON %j is refused",
  async (body) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    expect(await refusal(callApi("/api/v1/audits", init))).toMatchObject({ status: 400, code: "invalid_json" });
  },
);

test("a huge body is refused, whether it says its size or not", async () => {
  const body = JSON.stringify({ url: "https://e.com", x: "y".repeat(1_200_000) });
  const headers = { "content-type": "application/json" };
  expect(await refusal(callApi("/api/v1/audits", { method: "POST", headers, body }))).toMatchObject({ status: 413 });
  const bytes = new TextEncoder().encode(body);
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  expect(await refusal(callApi("/api/v1/audits", { method: "POST", headers, body: stream }))).toMatchObject({
    status: 413,
  });
});

test("deeply nested JSON and a name of the prototype do no harm", async () => {
  const headers = { "content-type": "application/json" };
  const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const deep = await callApi("/api/v1/audits", { method: "POST", headers, body: nested });
  expect(deep.status).toBe(400);
  const polluted = '{"url": "https://e.com", "__proto__": {"maxPages": 1}, "constructor": 1}';
  const answer = refusal(callApi("/api/v1/audits", { method: "POST", headers, body: polluted }));
  expect(await answer).toMatchObject({ code: "invalid_request" });
});

test.each([
  ["GET", "/api/v1/audits/nope"],
  ["GET", "/api/v1/audits/nope/pages"],
  ["GET", "/api/v1/audits/nope/issues"],
  ["GET", "/api/v1/audits/nope/explain"],
  ["POST", "/api/v1/audits/nope/cancel"],
  ["POST", "/api/v1/audits/nope/resume"],
  ["POST", "/api/v1/audits/nope/reconcile"],
  ["DELETE", "/api/v1/audits/nope"],
  ["GET", `/api/v1/audits/${"x".repeat(1_500)}`],
  ["GET", "/api/v1/audits/%27%20or%201=1--"],
])("%s %s of an audit that does not exist says so", async (method, path) => {
  expect(await refusal(callApi(path, { method }))).toMatchObject({ status: 404, code: "audit_not_found" });
});

test.each([
  ["/api/v1/audits?limit=0", "invalid_limit"],
  ["/api/v1/audits?limit=101", "invalid_limit"],
  ["/api/v1/audits?limit=ten", "invalid_limit"],
  ["/api/v1/audits?status=dead", "invalid_status"],
  ["/api/v1/audits?cursor=x", "invalid_cursor"],
  ["/api/v1/audits?cursor=1.2.3", "invalid_cursor"],
  ["/api/v1/supervisor/runs?cursor=-1", "invalid_cursor"],
  ["/api/v1/supervisor/decisions?cursor=x", "invalid_cursor"],
])("%s is refused as %s", async (path, code) => {
  expect(await refusal(callApi(path))).toMatchObject({ status: 400, code });
});

test.each(["/api/v1/nothing", "/api/v2/audits", "/api/v1/audits/x/y/z"])("there is nothing at %s", async (path) => {
  expect(await refusal(callApi(path))).toMatchObject({ status: 404, code: "not_found" });
});

test("a server whose vars do not fit says which, at every door", async () => {
  setVars({ HEARTBEAT_EVERY_MS: "soon" });
  expect(await refusal(callApi("/api/v1/audits"))).toMatchObject({ status: 503, code: "misconfigured" });
  const health = await callApi("/healthz");
  expect(health.status).toBe(503);
  expect(await health.text()).toContain("HEARTBEAT_EVERY_MS");
});
