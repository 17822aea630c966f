/** Tokens made, shown once, and revoked on the pages. */
import { beforeEach, expect, test } from "vitest";
import { ask, bearer, type Browser } from "../http/support.ts";
import { rows } from "../support/audits.ts";
import { emptyDatabase, read, signedIn, textOf } from "./support.ts";

let browser: Browser;
beforeEach(async () => {
  await emptyDatabase();
  await rows("delete from api_tokens");
  browser = await signedIn();
});

const make = async (fields: Record<string, string>): Promise<Response> =>
  browser.submit("/tokens", { csrf: await browser.csrf("/tokens"), ...fields });

test("a token is shown when it is made, works, and is never shown again", async () => {
  expect(textOf(await read(browser, "/tokens"))).toContain("No token yet");
  const response = await make({ name: "the <b>nightly</b> run", role: "read" });
  expect(response.status).toBe(201);
  const html = await response.text();
  expect(html).toContain("the &lt;b&gt;nightly&lt;/b&gt; run");
  const token = /pa_[\w-]{43}/.exec(html)?.[0] ?? "";
  expect((await ask("/api/v1/audits", { headers: bearer(token) })).status).toBe(200);
  const later = await read(browser, "/tokens");
  expect(later).not.toContain(token);
  expect(textOf(later)).toContain("1 token opens the door.");
});

test("revoking asks once, and then the token is refused", async () => {
  const token = /pa_[\w-]{43}/.exec(await (await make({ name: "a tool", role: "write" })).text())?.[0] ?? "";
  const path = /\/tokens\/\w+\/revoke/.exec(await read(browser, "/tokens"))?.[0] ?? "";
  expect(textOf(await read(browser, path))).toContain("It cannot be brought back");
  const response = await browser.submit(path, { csrf: await browser.csrf(path) });
  expect([response.status, response.headers.get("location")]).toEqual([303, "/tokens?notice=revoked"]);
  expect((await ask("/api/v1/audits", { headers: bearer(token) })).status).toBe(401);
  const unknown = "/tokens/0000000000000000/revoke";
  expect((await browser.submit(unknown, { csrf: await browser.csrf("/tokens") })).status).toBe(404);
});

test("a token needs a name and a role that there is", async () => {
  expect((await make({ name: " ", role: "read" })).status).toBe(400);
  expect((await make({ name: "x", role: "admin" })).status).toBe(400);
  expect(await rows("select id from api_tokens")).toEqual([]);
});

test("who may write is not yet who may let others in", async () => {
  const writer = await signedIn("write");
  await read(writer, "/tokens", 403);
  expect(await read(writer, "/setup")).not.toContain('href="/tokens"');
  expect(await read(browser, "/setup")).toContain('href="/tokens"');
});
