/** What is secret stands in no answer, no log and no row in clear. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { rows, setVars } from "../support/audits.ts";
import { ADMIN_TOKEN, ask, bearer, Browser, deploy, holdAudits, type Made, makeToken } from "./support.ts";

const SECRETS = {
  header: "header-secret-4711",
  user: "user-secret-4711",
  password: "password-secret-4711",
  key: "key-secret-4711",
};

let logged: string[] = [];
let token: Made;

beforeEach(async () => {
  deploy({ ADMIN_TOKEN, SECRET_KEY: SECRETS.key });
  holdAudits();
  logged = [];
  for (const name of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, name).mockImplementation((...words: unknown[]) => {
      logged.push(
        words.map((word) => (word instanceof Error ? `${word.message} ${word.stack}` : JSON.stringify(word))).join(" "),
      );
    });
  }
  token = await makeToken();
});
const { DB } = env;
afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(env, { DB });
});

function expectNoSecret(...texts: string[]): void {
  const all = [...texts, ...logged].join("\n");
  for (const secret of [
    ...Object.values(SECRETS),
    ADMIN_TOKEN,
    token.token,
    btoa(`${SECRETS.user}:${SECRETS.password}`),
  ]) {
    expect(all).not.toContain(secret);
  }
}

const start = (body: Record<string, unknown>): Promise<Response> =>
  ask("/api/v1/audits", {
    method: "POST",
    headers: { ...bearer(token.token), "content-type": "application/json" },
    body: JSON.stringify({
      url: "https://shop.example",
      headers: { "x-secret": SECRETS.header },
      basicAuth: { username: SECRETS.user, password: SECRETS.password },
      ...body,
    }),
  });

test("an audit's secret headers stand in no answer and in no row in clear", async () => {
  const started = await start({});
  const text = await started.text();
  expect(started.status, text).toBe(201);
  const { id } = JSON.parse(text) as { id: string };
  const reads = await Promise.all(
    ["", "/explain", "/export/audit.json", "/export/report.html"].map(async (part) =>
      (await ask(`/api/v1/audits/${id}${part}`, { headers: bearer(token.token) })).text(),
    ),
  );
  const kept = JSON.stringify([
    await rows("select * from audits where id = ?", id),
    await rows("select * from idempotency_keys"),
    await rows("select * from analytics_outbox where audit_id = ?", id),
  ]);
  expect(kept).toContain("shop.example");
  expect(reads.join("")).toContain('"hasSecrets":true');
  expectNoSecret(text, kept, ...reads);
});

test("a repeated start is recognised without a hash from which its password could be guessed", async () => {
  const body = {
    url: "https://shop.example",
    headers: { "x-secret": SECRETS.header },
    basicAuth: { username: SECRETS.user, password: SECRETS.password },
  };
  const again = (password: string): Promise<Response> =>
    ask("/api/v1/audits", {
      method: "POST",
      headers: { ...bearer(token.token), "content-type": "application/json", "idempotency-key": "one" },
      body: JSON.stringify({ ...body, basicAuth: { ...body.basicAuth, password } }),
    });
  const answers = [await again(SECRETS.password), await again(SECRETS.password), await again("another")];
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 409]);
  await Promise.all(answers.map((answer) => answer.text()));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(body)));
  const plain = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  expect(JSON.stringify(await rows("select * from idempotency_keys"))).not.toContain(plain);
});

test.each<[string, Record<string, unknown>]>([
  ["a field that is wrong", { maxPages: "many" }],
  ["a header that must not be set", { headers: { host: SECRETS.header } }],
  ["a header that is no header", { headers: { "x-a": `${SECRETS.header}\n` } }],
  ["a password that is no text", { basicAuth: { username: SECRETS.user, password: [SECRETS.password] } }],
  ["an address that is refused", { url: "http://10.0.0.1/" }],
])("a refusal for %s repeats no secret", async (_what, body) => {
  const response = await start(body);
  expect(response.status).toBe(400);
  expectNoSecret(await response.text());
});

test("an address with a password in it is not repeated with its password", async () => {
  const response = await start({ url: `https://${SECRETS.user}:${SECRETS.password}@shop.example/` });
  expect(response.status).toBe(400);
  expectNoSecret(await response.text());
});

test("a database that fails in the middle tells nothing of what was asked of it", async () => {
  const broken = {
    prepare: () => {
      throw new Error(`D1_ERROR: near "x": syntax error`);
    },
    batch: () => Promise.reject(new Error("D1_ERROR: overloaded")),
  };
  const response = await start({});
  await response.text();
  Object.assign(env, { DB: broken });
  const answers = [
    await start({}),
    await ask("/api/v1/audits", { headers: bearer(ADMIN_TOKEN) }),
    await ask("/api/v1/tokens", {
      method: "POST",
      headers: { ...bearer(ADMIN_TOKEN), "content-type": "application/json" },
      body: JSON.stringify({ name: "x", role: "read" }),
    }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(logged.length).toBeGreaterThan(0);
  expectNoSecret(...(await Promise.all(answers.map((answer) => answer.text()))));
});

test("signing in and out, rightly and wrongly, leaves no token in answers, addresses or logs", async () => {
  setVars({ SECRET_KEY: SECRETS.key });
  const browser = new Browser();
  const right = await browser.signIn(token.token);
  const wrong = await new Browser().signIn(`${token.token}x`);
  const pages = await Promise.all(
    ["/", "/setup", "/supervisor"].map(async (path) => (await browser.open(path)).text()),
  );
  const heads = [right, wrong].map(({ headers }) => JSON.stringify([...headers]));
  expectNoSecret(await right.text(), await wrong.text(), ...heads, ...pages);
});
