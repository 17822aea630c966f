/** Assistants at /mcp: whole exchanges in both eras of the protocol, and what must be refused. */
import { Validator } from "@cfworker/json-schema";
import { beforeEach, describe, expect, test } from "vitest";
import type { AuditResponse, IssueResponse } from "../../../src/http/api/schemas.ts";
import { callApi, linkPage, openSite, waitUntil } from "../support/audits.ts";
import { ask, bearer, deploy, errorOf, holdAudits, type Made, makeToken } from "./support.ts";

interface Answer {
  status: number;
  body: {
    jsonrpc: string;
    id?: string | number;
    // oxlint-disable-next-line typescript/no-explicit-any -- each test says what it expects
    result?: any;
    error?: { code: number; message: string; data?: unknown };
  };
}

type Send = (message: unknown, headers: Record<string, string>) => Promise<Response>;

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Answer["body"] };
}

const headersOf = (headers: Record<string, string>): Record<string, string> => ({
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  ...headers,
});

const local: Send = (message, headers) =>
  callApi("/mcp", { method: "POST", headers: headersOf(headers), body: JSON.stringify(message) });
const as =
  (token: string): Send =>
  (message, headers) =>
    ask("/mcp", {
      method: "POST",
      headers: { ...headersOf(headers), ...bearer(token) },
      body: JSON.stringify(message),
    });

let lastId = 0;

const VERSION = "2026-07-28";
const META = { "io.modelcontextprotocol/protocolVersion": VERSION, "io.modelcontextprotocol/clientCapabilities": {} };

async function modern(
  send: Send,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const id = ++lastId;
  const name = typeof params.name === "string" ? { "mcp-name": params.name } : {};
  const answer = await read(
    await send(
      { jsonrpc: "2.0", id, method, params: { ...params, _meta: META } },
      { "mcp-protocol-version": VERSION, "mcp-method": method, ...name, ...headers },
    ),
  );
  if (answer.body.id !== undefined) expect(answer.body.id).toBe(id);
  return answer;
}

async function tool(send: Send, name: string, args: Record<string, unknown> = {}) {
  const { status, body } = await modern(send, "tools/call", { name, arguments: args });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.result as { isError?: boolean; content: { type: string; text: string }[]; structuredContent?: unknown };
}

async function ok<T>(send: Send, name: string, args: Record<string, unknown> = {}): Promise<T> {
  const result = await tool(send, name, args);
  expect(result.isError, result.content[0]?.text).toBeUndefined();
  expect(JSON.parse(result.content[0]?.text ?? "")).toEqual(result.structuredContent);
  return result.structuredContent as T;
}

test("an assistant starts an audit, follows it, and reads what it found", async () => {
  const site = await openSite({ routes: { "/": linkPage("Home", "/gone") } });
  const { id } = await ok<AuditResponse>(local, "start_audit", { url: site.origin, maxPages: 5 });
  const audit = await waitUntil(
    () => ok<AuditResponse>(local, "audit_status", { auditId: id }),
    ({ status }) => status !== "running",
  );
  expect(audit.status).toBe("completed");
  const { items } = await ok<{ items: IssueResponse[] }>(local, "issues", { auditId: id, severity: "error" });
  expect(items.map(({ check }) => check)).toContain("link.broken-internal");
  const pages = await ok<{ items: { url: string }[]; nextCursor: string | null }>(local, "pages", {
    auditId: id,
    limit: 1,
  });
  expect(pages.items).toHaveLength(1);
  expect(pages.nextCursor).not.toBeNull();
  await ok(local, "pages", { auditId: id, limit: 1, cursor: pages.nextCursor });
  expect((await ok<{ items: AuditResponse[] }>(local, "list_audits", {})).items.map((one) => one.id)).toContain(id);
  expect(await ok(local, "explain_audit", { auditId: id })).toMatchObject({ verdict: "final" });
});

describe("revision 2026-07-28", () => {
  test("server/discover tells what is spoken", async () => {
    const { body } = await modern(local, "server/discover");
    expect(body.result).toMatchObject({
      resultType: "complete",
      supportedVersions: expect.arrayContaining([VERSION]),
      capabilities: { tools: {} },
    });
    expect(body.result.ttlMs).toBeGreaterThan(0);
    expect(body.result._meta["io.modelcontextprotocol/serverInfo"]).toMatchObject({ name: "pulse-audit" });
  });

  test("tools/list gives valid schemas, in the same order each time", async () => {
    const { body } = await modern(local, "tools/list");
    const tools = body.result.tools as { name: string; inputSchema: { type: string } }[];
    expect(tools.map(({ name }) => name)).toEqual([
      "start_audit",
      "audit_status",
      "list_audits",
      "issues",
      "pages",
      "explain_audit",
    ]);
    for (const { inputSchema } of tools) {
      expect(inputSchema.type).toBe("object");
      expect(new Validator(inputSchema as object, "2020-12").validate({ nonsense: 1 }).valid).toBe(false);
    }
    expect(JSON.stringify(tools)).not.toContain("password");
    expect((await modern(local, "tools/list")).body.result).toEqual(body.result);
  });

  test.each<[string, Record<string, string>, Record<string, unknown>, number]>([
    ["another version than the body's", { "mcp-protocol-version": "2025-11-25" }, META, -32022],
    [
      "an unknown version",
      { "mcp-protocol-version": "1900-01-01" },
      { ...META, "io.modelcontextprotocol/protocolVersion": "1900-01-01" },
      -32022,
    ],
    ["no version header", { "mcp-protocol-version": "" }, META, -32022],
    ["another method than the body's", { "mcp-method": "tools/call" }, META, -32020],
    ["no capabilities", {}, { "io.modelcontextprotocol/protocolVersion": VERSION }, -32602],
    ["no metadata at all", {}, {}, -32602],
  ])("a request with %s is refused with 400", async (_what, headers, _meta, code) => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } };
    const answer = await read(
      await local(message, { "mcp-protocol-version": VERSION, "mcp-method": "tools/list", ...headers }),
    );
    expect([answer.status, answer.body.error?.code]).toEqual([400, code]);
    if (code === -32022) expect(answer.body.error?.data).toHaveProperty("supported", expect.arrayContaining([VERSION]));
  });

  test("the name of the tool must stand in its header, in Base64 if need be", async () => {
    const call = (name: string): Promise<Answer> =>
      modern(local, "tools/call", { name: "list_audits", arguments: {} }, { "mcp-name": name });
    expect((await call("start_audit")).body.error?.code).toBe(-32020);
    expect((await call("=?base64?bGlzdF9hdWRpdHM=?=")).status).toBe(200);
  });

  test("an unknown method is 404 with an error that says so", async () => {
    const answer = await modern(local, "resources/list");
    expect([answer.status, answer.body.error?.code]).toEqual([404, -32601]);
    expect((await modern(local, "initialize")).status).toBe(404);
  });
});

describe("the revisions before", () => {
  const legacy = async (message: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Answer> =>
    read(await local({ jsonrpc: "2.0", ...message }, headers));

  test.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2099-01-01", "2025-11-25"],
  ])("initialize for %s agrees on %s, and the exchange goes on without a session", async (asked, agreed) => {
    const opened = await local(
      {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: asked, capabilities: {}, clientInfo: { name: "t", version: "1" } },
      },
      {},
    );
    expect(opened.headers.has("mcp-session-id")).toBe(false);
    const { body } = await read(opened);
    expect(body.result).toMatchObject({
      protocolVersion: agreed,
      capabilities: { tools: {} },
      serverInfo: { name: "pulse-audit" },
    });
    const version = { "mcp-protocol-version": agreed };
    expect(await legacy({ method: "notifications/initialized" }, version)).toEqual({ status: 202, body: {} });
    expect((await legacy({ id: 2, method: "ping" }, version)).body.result).toEqual({});
    const list = await legacy({ id: 3, method: "tools/list" }, version);
    expect(Object.keys(list.body.result)).toEqual(["tools"]);
    const called = await legacy(
      { id: 4, method: "tools/call", params: { name: "list_audits", arguments: {} } },
      version,
    );
    expect(called.body.result.structuredContent).toHaveProperty("items");
    expect((await legacy({ id: 5, method: "prompts/list" }, version)).body.error?.code).toBe(-32601);
  });
});

describe("what is no message", () => {
  test.each([
    ["a batch", [{ jsonrpc: "2.0", id: 1, method: "ping" }], -32600],
    ["another version of JSON-RPC", { jsonrpc: "1.0", id: 1, method: "ping" }, -32600],
    ["an id that is an object", { jsonrpc: "2.0", id: {}, method: "ping" }, -32600],
    ["nothing", null, -32600],
  ])("%s is refused", async (_what, message, code) => {
    const answer = await read(await local(message, {}));
    expect([answer.status, answer.body.error?.code]).toEqual([400, code]);
  });

  test("broken JSON is a parse error", async () => {
    const answer = await read(await callApi("/mcp", { method: "POST", headers: headersOf({}), body: "{" }));
    expect([answer.status, answer.body.error?.code]).toEqual([400, -32700]);
  });

  test("GET and DELETE are not allowed: there are no streams and no sessions", async () => {
    for (const method of ["GET", "DELETE"]) {
      const response = await callApi("/mcp", { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    }
  });
});

describe("the door", () => {
  let reader: Made;
  let writer: Made;
  beforeEach(async () => {
    deploy();
    holdAudits();
    reader = await makeToken({ role: "read", organization: "readers" });
    writer = await makeToken({ role: "write", organization: "writers" });
  });

  test("is shut without a token, and tells which kind it wants", async () => {
    const response = await ask("/mcp", { method: "POST", headers: headersOf({}), body: "{}" });
    expect(response.headers.get("www-authenticate")).toContain("Bearer");
    expect(await errorOf(response)).toEqual({ status: 401, code: "token_missing" });
  });

  test("lets a token that may only read start nothing", async () => {
    const result = await tool(as(reader.token), "start_audit", { url: "https://shop.example" });
    expect([result.isError, result.content[0]?.text]).toEqual([true, expect.stringContaining("role_too_low")]);
    expect((await tool(as(writer.token), "start_audit", { url: "https://shop.example" })).isError).toBeUndefined();
  });

  test("shows nothing of another organization", async () => {
    const { id } = await ok<AuditResponse>(as(writer.token), "start_audit", { url: "https://shop.example" });
    for (const name of ["audit_status", "issues", "pages", "explain_audit"]) {
      const result = await tool(as(reader.token), name, { auditId: id });
      expect([result.isError, result.content[0]?.text], name).toEqual([
        true,
        expect.stringContaining("audit_not_found"),
      ]);
    }
  });

  test("is shut to a page of another site, with a token too", async () => {
    const response = await as(writer.token)(
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { origin: "https://evil.example" },
    );
    expect(await errorOf(response)).toEqual({ status: 403, code: "foreign_origin" });
  });

  test("tells an assistant what is wrong with its arguments, and that a tool is unknown", async () => {
    const bad = await tool(as(writer.token), "start_audit", { url: "ftp://shop.example" });
    expect([bad.isError, bad.content[0]?.text]).toEqual([true, expect.stringContaining("unsupported_scheme")]);
    const secret = await tool(as(writer.token), "start_audit", { url: "https://a.example", headers: { a: "b" } });
    expect(secret.isError).toBe(true);
    const path = await tool(as(writer.token), "audit_status", { auditId: "../supervisor" });
    expect(path.isError).toBe(true);
    for (const name of ["reconcile", "toString", "__proto__"]) {
      expect((await modern(as(writer.token), "tools/call", { name, arguments: {} })).body.error?.code).toBe(-32602);
    }
  });
});
