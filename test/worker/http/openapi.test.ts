/** Every documented request is sent, and every answer, the errors too, held against its documented schema. */
import { Validator } from "@cfworker/json-schema";
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { EXPORTS } from "../../../src/http/api/exports.ts";
import { API_ROUTES } from "../../../src/http/auth/routes.ts";
import { auditSite, callApi, linkPage, setVars, unsetVar } from "../support/audits.ts";
import { ADMIN_TOKEN, ask, bearer, deploy, holdAudits, makeToken } from "./support.ts";

interface Documented {
  operationId: string;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Documented>>;
  components: { schemas: Record<string, object>; securitySchemes: object };
}

let document: Document;
const seen = new Set<string>();

/** Resolves what `$ref`s of the document lead to by bringing the components along. */
function faults(schema: object, value: unknown): string[] {
  const validator = new Validator({ ...schema, components: document.components }, "2020-12", false);
  return validator.validate(value).errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}

interface Sent {
  path?: Record<string, string>;
  query?: string;
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
  token?: string | null;
}

/** Sends an operation and checks its answer. Returns it. */
async function call(id: string, sent: Sent = {}): Promise<{ status: number; body: unknown; headers: Headers }> {
  const found = Object.entries(document.paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    .find(({ operation }) => operation.operationId === id);
  if (found === undefined) throw new Error(`${id} is not documented`);
  const { path, method, operation } = found;
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => sent.path?.[name] ?? "0000000000000000");
  const body = sent.text ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body));
  const response = await ask(`${address}${sent.query ?? ""}`, {
    method: method.toUpperCase(),
    headers: {
      ...(sent.token === null ? {} : bearer(sent.token ?? ADMIN_TOKEN)),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...sent.headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const described = operation.responses[response.status];
  expect(described, `${id} answered ${response.status}: ${text.slice(0, 300)}`).toBeDefined();
  seen.add(`${id} ${response.status}`);
  const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
  if (described?.content === undefined) {
    expect(text).toBe("");
    return { status: response.status, body: null, headers: response.headers };
  }
  const content = described.content[type];
  expect(content, `${id} ${response.status} came as ${type}`).toBeDefined();
  const value: unknown =
    type === "application/json" && !(id === "exportAudit" && response.ok) ? JSON.parse(text) : text;
  expect(faults(content!.schema, value), `${id} ${response.status}: ${text.slice(0, 500)}`).toEqual([]);
  if (response.status === 429 || response.status === 503) expect(response.headers.has("retry-after")).toBe(true);
  return { status: response.status, body: value, headers: response.headers };
}

const site = {
  routes: {
    "/": linkPage("Home", "/a", "/gone"),
    "/a": linkPage("A", "/"),
    "/robots.txt": { body: "User-agent: *\nAllow: /\n", headers: { "content-type": "text/plain" } },
  },
};

beforeEach(async () => {
  document ??= await (await callApi("/api/v1/openapi.json")).json<Document>();
});

/** Nobody's limits but those of a test: each counter says no. */
const never = { limit: () => Promise.resolve({ success: false }) };

test("is an OpenAPI 3.1 document with every route of the API, and no reference that leads nowhere", () => {
  expect(document.openapi).toMatch(/^3\.1\./);
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`),
  );
  expect(routes.toSorted()).toEqual(Object.keys(API_ROUTES).toSorted());
  for (const [, name = ""] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    expect(Object.keys(document.components.schemas)).toContain(name);
  }
});

test("a schema that is not met is noticed", () => {
  const ref = { $ref: "#/components/schemas/Audit" };
  expect(faults(ref, { id: 1 })).not.toEqual([]);
  expect(faults({ $ref: "#/components/schemas/TokenPage" }, { items: [{}], nextCursor: null })).not.toEqual([]);
});

test("every documented request is answered as documented", async () => {
  const first = await auditSite(site);
  const { id } = (await auditSite(first.site)).audit;
  holdAudits();
  const start = await callApi("/api/v1/audits", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url: first.site.origin, requestDelayMs: 10_000 }),
  });
  const running = (await start.json<{ id: string }>()).id;
  deploy();
  const path = { id };
  const none = { id: "0000000000000000" };

  await call("getOpenApi");
  await call("listChecks");
  const { headers } = await call("getAudit", { path });
  expect(await call("getAudit", { path, headers: { "if-none-match": headers.get("etag") ?? "" } })).toMatchObject({
    status: 304,
  });
  for (const query of ["", "?limit=1", "?status=completed"]) await call("listAudits", { query });
  for (const query of ["?limit=0", "?limit=x", "?status=dead", "?cursor=x"]) await bad("listAudits", { query }, 400);
  for (const query of ["", "?limit=1", "?severity=error", "?check=title.missing"])
    await call("listIssues", { path, query });
  for (const query of ["?limit=501", "?severity=fatal", "?cursor=%00", `?check=${"x".repeat(61)}`])
    await bad("listIssues", { path, query }, 400);
  for (const query of ["", "?limit=1"]) await call("listPages", { path, query });
  for (const query of ["?limit=-1", "?cursor=-1"]) await bad("listPages", { path, query }, 400);
  for (const query of ["", "?kind=issues&change=still", "?kind=pages", "?kind=pages&change=gone", "?limit=1"]) {
    const { body } = await call("listChanges", { path, query });
    expect(body).toMatchObject({ previousAuditId: first.audit.id });
  }
  for (const query of [
    "?kind=links",
    "?change=x",
    "?change=gone",
    "?kind=pages&change=fixed",
    "?cursor=x",
    "?kind=pages&cursor=1:a:2",
    "?limit=0",
  ]) {
    await bad("listChanges", { path, query }, 400);
  }
  for (const file of Object.keys(EXPORTS)) await call("exportAudit", { path: { id, file } });
  await bad("exportAudit", { path: { id, file: "audit.exe" } }, 404);
  await call("explainAudit", { path });
  await call("explainAudit", { path: { id: running } });
  await call("reconcileAudit", { path });
  await bad("cancelAudit", { path }, 409);
  await bad("resumeAudit", { path }, 409);
  await bad("resumeAudit", { path: { id: running } }, 409);
  await call("cancelAudit", { path: { id: running } });
  setVars({ CAPACITY_PER_ORGANIZATION: "1" });
  await call("startAudit", { body: { url: "https://shop.example" }, headers: { "idempotency-key": "one" } });
  expect(
    await call("startAudit", { body: { url: "https://shop.example" }, headers: { "idempotency-key": "one" } }),
  ).toMatchObject({ status: 200 });
  await bad("startAudit", { body: { url: "https://other.example" }, headers: { "idempotency-key": "one" } }, 409);
  await bad("startAudit", { body: { url: "https://shop.example" } }, 429);
  await bad("resumeAudit", { path: { id: running } }, 429);
  setVars({ CAPACITY_PER_ORGANIZATION: "50" });
  await call("resumeAudit", { path: { id: running } });
  for (const body of [
    {},
    { url: 1 },
    { url: "ftp://a.example" },
    { url: "http://127.0.0.1" },
    { url: "http://" },
    { url: "https://a.example", maxPages: 1e9 },
    { url: "https://a.example", nonsense: 1 },
    { url: "https://a.example", maxPages: 0 },
  ]) {
    await bad("startAudit", { body }, 400);
  }
  await bad("startAudit", { text: "{" }, 400);
  await bad("startAudit", { text: "url=x", headers: { "content-type": "application/x-www-form-urlencoded" } }, 415);
  await bad("startAudit", { text: "x".repeat(1_100_000) }, 413);
  await bad("startAudit", { body: { url: "https://a.example" }, headers: { "idempotency-key": "x".repeat(201) } }, 400);
  for (const operation of [
    "getAudit",
    "listIssues",
    "listPages",
    "listChanges",
    "exportAudit",
    "explainAudit",
    "reconcileAudit",
    "cancelAudit",
    "resumeAudit",
    "deleteAudit",
  ]) {
    await bad(operation, { path: { ...none, file: "issues.csv" } }, 404);
  }
  expect(await call("deleteAudit", { path })).toMatchObject({ status: 204 });

  await call("getSupervisor");
  await call("sweep", { body: { dryRun: true } });
  await call("sweep");
  await bad("sweep", { body: { dryRun: "yes" } }, 400);
  await bad("sweep", { text: "x", headers: { "content-type": "text/csv" } }, 415);
  await bad("sweep", { text: "x".repeat(1_100_000) }, 413);
  for (const operation of ["listRuns", "listDecisions"]) {
    for (const query of ["", "?limit=1", "?cursor=1790000000000"]) await call(operation, { query });
    for (const query of ["?limit=999", "?cursor=-"]) await bad(operation, { query }, 400);
  }
  await call("listDecisions", { query: `?audit=${running}` });
  await bad("listDecisions", { query: `?audit=${"x".repeat(41)}` }, 400);

  const { body: made } = await call("makeToken", {
    body: { name: "doc", role: "read", organization: "docs", project: "docs" },
  });
  await bad("makeToken", { body: { name: "doc", role: "read", organization: "others", project: "docs" } }, 409);
  for (const body of [
    {},
    { name: "", role: "read" },
    { name: "x", role: "admin" },
    { name: "x", role: "read", organization: "A B" },
  ]) {
    await bad("makeToken", { body }, 400);
  }
  await bad("makeToken", { text: "{}", headers: { "content-type": "text/csv" } }, 415);
  await bad("makeToken", { text: "x".repeat(1_100_000) }, 413);
  for (const query of ["", "?limit=1"]) await call("listTokens", { query });
  await bad("listTokens", { query: "?cursor=x" }, 400);
  expect(await call("revokeToken", { path: { id: (made as { id: string }).id } })).toMatchObject({ status: 204 });
  await bad("revokeToken", { path: none }, 404);

  const reader = await makeToken({ role: "read" });
  for (const operation of operations()) {
    const path_ = { ...none, file: "issues.csv" };
    await bad(operation, { path: path_, token: null }, 401);
    await bad(operation, { path: path_, token: "guessed" }, 401);
    await bad(operation, { path: path_, query: `?x=${"x".repeat(9_000)}` }, 414);
    await bad(operation, { path: path_, headers: { "x-large": "x".repeat(40_000) } }, 431);
    const needed = Object.values(API_ROUTES)[operations().indexOf(operation)];
    if (needed !== "read") await bad(operation, { path: path_, token: reader.token }, 403);
    else seen.add(`${operation} 403`);
    const env_ = env as { READ_LIMIT: unknown; WRITE_LIMIT: unknown };
    const { READ_LIMIT, WRITE_LIMIT } = env_;
    Object.assign(env_, { READ_LIMIT: never, WRITE_LIMIT: never });
    await bad(operation, { path: path_ }, 429);
    Object.assign(env_, { READ_LIMIT, WRITE_LIMIT });
    setVars({ HEARTBEAT_EVERY_MS: "no number" });
    await bad(operation, { path: path_ }, 503);
    unsetVar("HEARTBEAT_EVERY_MS");
  }

  // What no request can bring about on a server that works: an unexpected fault.
  const documented = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    ),
  );
  const unseen = documented.filter((one) => !seen.has(one) && !/ (500|304)$/.test(one));
  expect(unseen).toEqual([]);
});

/** In the order of API_ROUTES. */
const operations = (): string[] =>
  Object.keys(API_ROUTES).map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return document.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()]?.operationId ?? route;
  });

async function bad(id: string, sent: Sent, status: number): Promise<void> {
  const answer = await call(id, sent);
  expect([answer.status, answer.body], `${id} ${JSON.stringify(sent).slice(0, 200)}`).toEqual([status, answer.body]);
}
