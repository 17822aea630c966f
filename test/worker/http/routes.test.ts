/** Every route of the app, with no token, a wrong one, and one of each role. */
import { beforeEach, describe, expect, test } from "vitest";
import { createApp } from "../../../src/http/app.ts";
import { API_ROUTES, ROUTES } from "../../../src/http/auth/routes.ts";
import { rows } from "../support/audits.ts";
import { ADMIN_TOKEN, ask, bearer, deploy, errorOf, type Made, makeToken } from "./support.ts";

const ID = "0000000000000000";
const paths = createApp()
  .routes.filter(({ method }) => method !== "ALL")
  .map(({ method, path }) => ({ route: `${method} ${path}`, method, path }));
const unique = [...new Map(paths.map((one) => [one.route, one])).values()];

const address = (path: string): string => path.replace(":file", "issues.csv").replaceAll(/:\w+/g, ID);
const send = (method: string, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  ask(address(path), { method, headers: { accept: "application/json", ...headers } });

let read: Made;
let write: Made;
beforeEach(async () => {
  deploy();
  read = await makeToken({ role: "read" });
  write = await makeToken({ role: "write" });
});

test("every route of the app is declared, and every declared route is there", () => {
  expect(unique.map(({ route }) => route).filter((route) => !(route in ROUTES))).toEqual([]);
  const there = new Set(unique.map(({ route }) => route));
  expect(Object.keys(ROUTES).filter((route) => !there.has(route))).toEqual([]);
});

test("reading needs a role, changing something the role to write, and tokens an administrator", () => {
  for (const [route, need] of Object.entries(API_ROUTES)) {
    const expected = route.includes("/tokens") ? "admin" : route.startsWith("GET ") ? "read" : "write";
    expect(need, route).toBe(expected);
  }
  const open = Object.entries(ROUTES).filter(([, need]) => need === "open");
  expect(
    open.map(([route]) => route).filter((route) => !/ \/(healthz|sign-in|sign-out|assets\/.*)$/.test(route)),
  ).toEqual([]);
});

const closed = unique.filter(({ route }) => ROUTES[route] !== "open");

describe.each(closed)("$route", ({ route, method, path }) => {
  const need = ROUTES[route] ?? "admin";

  test("is closed without a token, and with a wrong one", async () => {
    expect(await errorOf(await send(method, path))).toEqual({ status: 401, code: "token_missing" });
    for (const wrong of [`pa_${"A".repeat(43)}`, "guessed", ADMIN_TOKEN.slice(1)]) {
      expect(await errorOf(await send(method, path, bearer(wrong)))).toEqual({ status: 401, code: "token_wrong" });
    }
    const revoked = await makeToken();
    expect((await ask(`/api/v1/tokens/${revoked.id}`, { method: "DELETE", headers: bearer(ADMIN_TOKEN) })).status).toBe(
      204,
    );
    expect(await errorOf(await send(method, path, bearer(revoked.token)))).toEqual({
      status: 401,
      code: "token_wrong",
    });
  });

  test(`takes the role ${need}, and nothing less`, async () => {
    const tokens = { read: read.token, write: write.token, admin: ADMIN_TOKEN };
    const order = ["read", "write", "admin"] as const;
    for (const role of order) {
      const response = await send(method, path, bearer(tokens[role]));
      const enough = order.indexOf(role) >= order.indexOf(need as "read");
      if (enough) {
        expect([401, 403], `${role}: ${await response.clone().text()}`).not.toContain(response.status);
        await response.body?.cancel();
      } else {
        expect(await errorOf(response), role).toEqual({ status: 403, code: "role_too_low" });
      }
    }
  });
});

test("HEAD is as closed as GET", async () => {
  expect((await ask("/api/v1/audits", { method: "HEAD" })).status).toBe(401);
  expect((await ask("/api/v1/audits", { method: "HEAD", headers: bearer(read.token) })).status).toBe(200);
});

test("an address without a route tells a stranger nothing", async () => {
  expect((await ask("/api/v1/nothing")).status).toBe(401);
  expect((await ask("/api/v1/nothing", { headers: bearer(read.token) })).status).toBe(404);
});

test("the database holds no token", async () => {
  const kept = JSON.stringify(await rows("select * from api_tokens"));
  expect(kept).toContain(write.id);
  expect(kept).not.toContain(write.token);
  expect(kept).not.toContain(write.token.slice(0, 12));
});
