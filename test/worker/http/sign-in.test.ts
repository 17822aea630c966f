/** Signing in by token, the cookie that it leaves, and forms that must not be forged. */
import { env, exports } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { setVars, unsetVar } from "../support/audits.ts";
import { ADMIN_TOKEN, ask, bearer, Browser, deploy, errorOf, holdAudits, makeToken, ORIGIN } from "./support.ts";

beforeEach(() => deploy());

const list = (browser: Browser): Promise<Response> =>
  browser.open("/api/v1/audits", { headers: { accept: "application/json" } });
const sessionOf = (browser: Browser): string => browser.cookies.get("__Host-pulse_session") ?? "";

describe("signing in", () => {
  test("trades a token for a cookie that no script can read and no other site can send", async () => {
    const { token } = await makeToken({ role: "read" });
    const browser = new Browser();
    const response = await browser.signIn(token);
    expect([response.status, response.headers.get("location")]).toEqual([303, "/"]);
    const cookie = response.headers.getSetCookie().find((line) => line.includes("pulse_session")) ?? "";
    for (const part of ["__Host-", "HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=604800"])
      expect(cookie).toContain(part);
    expect(cookie).not.toContain(token);
    expect((await list(browser)).status).toBe(200);
  });

  test("with a wrong token asks again, sets no session, and repeats nothing of the token", async () => {
    const browser = new Browser();
    const response = await browser.signIn(`pa_${"x".repeat(43)}`);
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain("xxxx");
    expect(sessionOf(browser)).toBe("");
  });

  test("ends when its token is revoked", async () => {
    const { token, id } = await makeToken();
    const browser = new Browser();
    await browser.signIn(token);
    expect((await list(browser)).status).toBe(200);
    await ask(`/api/v1/tokens/${id}`, { method: "DELETE", headers: bearer(ADMIN_TOKEN) });
    expect((await list(browser)).status).toBe(401);
  });

  test("ends when ADMIN_TOKEN changes, for whoever signed in with it", async () => {
    setVars({ SECRET_KEY: "stays" });
    const browser = new Browser();
    await browser.signIn(ADMIN_TOKEN);
    expect((await list(browser)).status).toBe(200);
    setVars({ ADMIN_TOKEN: "another" });
    expect((await list(browser)).status).toBe(401);
  });

  test("ends when SECRET_KEY changes", async () => {
    setVars({ SECRET_KEY: "one" });
    const browser = new Browser();
    await browser.signIn((await makeToken()).token);
    setVars({ SECRET_KEY: "two" });
    expect((await list(browser)).status).toBe(401);
  });

  test("gives a cookie that cannot be altered: not its owner, not its expiry, not its signature", async () => {
    const { token } = await makeToken({ role: "read" });
    const other = await makeToken();
    const browser = new Browser();
    await browser.signIn(token);
    const session = sessionOf(browser);
    const [version, who, until, name, signature] = session.split(".") as [string, string, string, string, string];
    const forged = [
      [version, `token-${other.id}`, until, name, signature],
      [version, "admin-0", until, name, signature],
      [version, who, String(Number(until) + 1), name, signature],
      [version, who, until, name, signature.slice(0, -1) + (signature.endsWith("A") ? "B" : "A")],
      [version, who, until, name],
      [version, who, "0000000000001", name, signature],
    ];
    for (const parts of forged) {
      browser.cookies.set("__Host-pulse_session", parts.join("."));
      expect((await list(browser)).status, parts.join(".")).toBe(401);
    }
    browser.cookies.set("__Host-pulse_session", session);
    expect((await list(browser)).status).toBe(200);
  });

  test("keeps to the token's role", async () => {
    const browser = new Browser();
    await browser.signIn((await makeToken({ role: "read" })).token);
    const response = await browser.open("/api/v1/supervisor/sweep", { method: "POST", headers: { origin: ORIGIN } });
    expect(await errorOf(response)).toEqual({ status: 403, code: "role_too_low" });
  });

  test.each([
    ["/audits/abc?tab=issues", "/audits/abc?tab=issues"],
    ["//evil.example", "/"],
    ["/\\evil.example", "/"],
    ["/\t/evil.example", "/"],
    ["https://evil.example/", "/"],
    ["javascript:alert(1)", "/"],
    ["/sign-out", "/"],
    ["/a/..//evil.example", "/"],
    ["", "/"],
  ])("leads on from %j to %s, never to another site", async (asked, expected) => {
    const { token } = await makeToken();
    for (const field of ["next", "to"]) {
      const response = await new Browser().signIn(token, { [field]: asked });
      expect([response.status, response.headers.get("location")]).toEqual([303, expected]);
    }
  });

  test("needs the form of this very site, so that nobody is signed in as somebody else", async () => {
    const { token } = await makeToken();
    const browser = new Browser();
    const csrf = await browser.csrf("/sign-in");
    const send = async (fields: Record<string, string>, headers: Record<string, string> = {}): Promise<number> =>
      (await browser.submit("/sign-in", fields, headers)).status;
    expect(await send({ token })).toBe(403);
    expect(await send({ token, csrf: "guessed" })).toBe(403);
    expect(await send({ token, csrf: await new Browser().csrf("/sign-in") })).toBe(403);
    expect(await send({ token, csrf }, { origin: "https://evil.example", "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await send({ token, csrf }, { origin: "null", "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await send({ token, csrf })).toBe(303);
  });

  test("is over after signing out, and the cookie is gone", async () => {
    const browser = new Browser();
    await browser.signIn((await makeToken()).token);
    const forged = await browser.submit("/sign-out", { csrf: "guessed" });
    expect(forged.status).toBe(403);
    const response = await browser.submit("/sign-out", { csrf: await browser.csrf("/") });
    expect(response.status).toBe(303);
    expect(sessionOf(browser)).toBe("");
    expect((await list(browser)).status).toBe(401);
  });
});

describe("whoever is signed in by a cookie", () => {
  const sweep = (browser: Browser, headers: Record<string, string>): Promise<Response> =>
    browser.open("/api/v1/supervisor/sweep", { method: "POST", headers: { accept: "application/json", ...headers } });

  test("changes something only from a page of this very origin", async () => {
    const browser = new Browser();
    await browser.signIn((await makeToken()).token);
    for (const headers of [
      {},
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "http://pulse.example" },
      { origin: "https://pulse.example:8443" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { origin: ORIGIN, "sec-fetch-site": "cross-site" },
    ] as Record<string, string>[]) {
      expect(await errorOf(await sweep(browser, headers)), JSON.stringify(headers)).toEqual({
        status: 403,
        code: "foreign_origin",
      });
    }
    expect((await sweep(browser, { origin: ORIGIN, "sec-fetch-site": "same-origin" })).status).toBe(200);
  });

  test("cannot be made to send a form without its token, nor with the token of another sign-in", async () => {
    const [browser, other] = [new Browser(), new Browser()];
    await browser.signIn((await makeToken()).token);
    await other.signIn((await makeToken()).token);
    // The rival knows the cookie that the token hangs on, but is signed in as somebody else.
    other.cookies.set("__Host-pulse_csrf", browser.cookies.get("__Host-pulse_csrf") ?? "");
    const stolen = await other.csrf("/");
    for (const csrf of ["", "guessed", stolen]) {
      const response = await browser.submit("/api/v1/supervisor/sweep", { csrf }, { accept: "application/json" });
      expect(await errorOf(response), csrf).toEqual({ status: 403, code: "form_token_wrong" });
    }
  });
});

test("a bearer token needs no origin: no browser sends one by itself", async () => {
  const { token } = await makeToken();
  const headers = { ...bearer(token), origin: "https://a-dashboard.example" };
  expect((await ask("/api/v1/supervisor/sweep", { method: "POST", headers })).status).toBe(200);
});

describe("the local machine", () => {
  const local = (host: string, init: RequestInit = {}): Promise<Response> =>
    exports.default.fetch(`http://${host}:8787/api/v1/supervisor/sweep`, init);

  beforeEach(() => setVars({ LOCAL_MODE: "1", ADMIN_TOKEN: "" }));

  test("needs no token for a program, or a page of its own", async () => {
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      expect((await local(host, { method: "POST" })).status).toBe(200);
      expect((await local(host, { method: "POST", headers: { origin: `http://${host}:8787` } })).status).toBe(200);
    }
  });

  test("is not opened by a page of another site, or of another server on it, or by a name that leads to it", async () => {
    expect((await local("localhost", { method: "POST", headers: { origin: "https://evil.example" } })).status).toBe(
      403,
    );
    expect((await local("localhost", { method: "POST", headers: { origin: "http://localhost:3000" } })).status).toBe(
      403,
    );
    expect((await local("localhost", { method: "POST", headers: { "sec-fetch-site": "cross-site" } })).status).toBe(
      403,
    );
    expect(await errorOf(await local("rebound.evil.example"))).toEqual({ status: 403, code: "not_configured" });
    expect(await errorOf(await local("localhost.evil.example"))).toEqual({ status: 403, code: "not_configured" });
  });

  test("still judges a token of the product's own kind", async () => {
    const init = (token: string): RequestInit => ({ method: "POST", headers: bearer(token) });
    expect(await errorOf(await local("localhost", init(`pa_${"x".repeat(43)}`)))).toEqual({
      status: 401,
      code: "token_wrong",
    });
    setVars({ ADMIN_TOKEN });
    const { token } = await makeToken({ role: "read" });
    expect(await errorOf(await local("localhost", init(token)))).toEqual({ status: 403, code: "role_too_low" });
    expect(await errorOf(await local("localhost", init("guessed")))).toEqual({ status: 401, code: "token_wrong" });
  });

  test("takes no offence at a token that is meant for another server", async () => {
    expect((await local("localhost", { method: "POST", headers: bearer("some-other-token") })).status).toBe(200);
  });
});

describe("without any door key", () => {
  beforeEach(() => unsetVar("ADMIN_TOKEN"));

  test("programs are told how to configure one, and nothing else", async () => {
    for (const path of ["/api/v1/audits", "/api/v1/openapi.json", "/nothing", "/"]) {
      const response = await ask(path, { headers: { ...bearer("anything") } });
      expect(await errorOf(response), path).toEqual({ status: 403, code: "not_configured" });
    }
    expect((await ask("/healthz")).status).not.toBe(403);
  });

  test("browsers are shown a page that tells how", async () => {
    for (const path of ["/", "/sign-in", "/audits/abc", "/supervisor"]) {
      const response = await new Browser().open(path);
      expect(response.status).toBe(403);
      expect(response.headers.get("content-type")).toContain("text/html");
      expect(await response.text()).toContain("wrangler secret put ADMIN_TOKEN");
    }
  });

  test("a cookie or an assertion opens nothing", async () => {
    const headers = {
      cookie:
        "__Host-pulse_session=v1.admin-0.9999999999999.AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
      "cf-access-jwt-assertion": "a.b.c",
    };
    expect(await errorOf(await ask("/api/v1/audits", { headers }))).toEqual({ status: 403, code: "not_configured" });
  });
});

describe("limits", () => {
  test("attempts to get in are counted by address, and refused after a while with the time to wait", async () => {
    deploy({ ADMIN_TOKEN }, { limited: true });
    const attempt = (address: string): Promise<Response> =>
      ask("/api/v1/audits", { headers: { ...bearer("guessed"), "cf-connecting-ip": address } });
    const seen = new Set<number>();
    let last = await attempt("203.0.113.7");
    for (let tries = 0; tries < 25; tries++) {
      seen.add(last.status);
      await last.body?.cancel();
      last = await attempt("203.0.113.7");
    }
    expect([...seen]).toEqual([401, 429]);
    expect(last.headers.get("retry-after")).toBe("60");
    expect((await attempt("203.0.113.8")).status).toBe(401);
  });

  test("changing something is limited more strictly than reading, for each caller by itself", async () => {
    holdAudits();
    const { token } = await makeToken();
    const other = await makeToken();
    const counted: string[] = [];
    const counter = (name: string) => ({
      limit: ({ key }: { key: string }) => {
        counted.push(`${name} ${key}`);
        return Promise.resolve({ success: name === "read" });
      },
    });
    Object.assign(env, { READ_LIMIT: counter("read"), WRITE_LIMIT: counter("write") });
    expect((await ask("/api/v1/audits", { headers: bearer(token) })).status).toBe(200);
    const start = await ask("/api/v1/audits", { method: "POST", headers: bearer(other.token) });
    expect(start.headers.get("retry-after")).toBe("60");
    expect(await errorOf(start)).toEqual({ status: 429, code: "rate_limited" });
    expect(counted.map((line) => line.split(" ")[0])).toEqual(["read", "write"]);
    expect(new Set(counted.map((line) => line.split(" ")[1])).size).toBe(2);
  });

  test("an address, headers or a body that are too large are refused", async () => {
    const { token } = await makeToken();
    const headers = bearer(token);
    expect(await errorOf(await ask(`/api/v1/audits?cursor=${"a".repeat(9_000)}`, { headers }))).toEqual({
      status: 414,
      code: "address_too_long",
    });
    expect(
      await errorOf(await ask("/api/v1/audits", { headers: { ...headers, "x-large": "a".repeat(40_000) } })),
    ).toEqual({ status: 431, code: "headers_too_large" });
    const body = JSON.stringify({ url: `https://a.example/${"a".repeat(2_000_000)}` });
    const response = await ask("/api/v1/audits", {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
    });
    expect(await errorOf(response)).toEqual({ status: 413, code: "body_too_large" });
  });
});
