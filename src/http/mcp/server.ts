/** /mcp: the tools for assistants. Every request stands alone; nothing is kept between two of them. */
import { Hono } from "hono";
import { audits } from "../api/audits.ts";
import { results } from "../api/results.ts";
import { requireRole } from "../auth/door.ts";
import { originOf } from "../auth/forgery.ts";
import { limitRequests } from "../auth/rate-limits.ts";
import type { AppContext, AppEnv } from "../context.ts";
import { Problem, problemResponse, unexpected } from "../problems.ts";
import { type Call, discover, ERROR, idOf, initialize, readCall, resultOf, RpcError } from "./protocol.ts";
import { describeTools, TOOLS } from "./tools.ts";

export const mcp = new Hono<AppEnv>();

type Result = Record<string, unknown>;

mcp.post("/", async (c) => {
  // Whoever is recognised, and however: no page of another site may speak to this (the protocol demands it).
  if (originOf(c.req.raw) === "foreign") {
    throw new Problem(
      403,
      "foreign_origin",
      "The request comes from a page of another site.",
      "Send no Origin header.",
    );
  }
  let body: unknown;
  try {
    body = await c.req.json();
  } catch {
    return answer(c, null, new RpcError(ERROR.parse, "The body is not valid JSON.", 400));
  }
  try {
    const call = readCall(body, c.req.raw.headers);
    if (call.id === null) return c.body(null, 202);
    return answer(c, call.id, await run(c, call));
  } catch (error) {
    if (error instanceof RpcError) return answer(c, idOf(body), error);
    throw error;
  }
});

mcp.on(["GET", "DELETE"], "/", (c) => {
  c.header("allow", "POST");
  const problem = new Problem(
    405,
    "method_not_allowed",
    "This address takes POST only.",
    "There are no sessions and no streams to open or close.",
  );
  return problemResponse(c, problem);
});

function answer(c: AppContext, id: string | number | null, outcome: Result | RpcError): Response {
  if (!(outcome instanceof RpcError)) return c.json({ jsonrpc: "2.0", id, result: outcome });
  const { code, message, status, data } = outcome;
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return c.json({ jsonrpc: "2.0", ...(id === null ? {} : { id }), error }, status);
}

async function run(c: AppContext, { method, params, era }: Call): Promise<Result> {
  switch (method) {
    case "tools/list":
      return resultOf(era, { tools: describeTools() }, true);
    case "tools/call":
      return resultOf(era, await callTool(c, params));
    case "server/discover":
      if (era === "modern") return resultOf(era, discover());
      break;
    case "initialize":
      if (era === "legacy") return initialize(params);
      break;
    case "ping":
      if (era === "legacy") return {};
      break;
    default:
  }
  throw new RpcError(ERROR.methodNotFound, `Method not found: ${method}`, era === "modern" ? 404 : 200);
}

/** What goes wrong with a tool is told to the assistant, who can mend it; what is no tool is an error of the protocol. */
async function callTool(c: AppContext, params: Record<string, unknown>): Promise<Result> {
  const tool = Object.hasOwn(TOOLS, String(params.name)) ? TOOLS[String(params.name)] : undefined;
  if (tool === undefined) throw new RpcError(ERROR.invalidParams, `Unknown tool: ${String(params.name).slice(0, 60)}`);
  const given = tool.input.safeParse(params.arguments ?? {});
  if (!given.success) {
    const [issue] = given.error.issues;
    return failed(`${issue?.path.join(".") || "arguments"}: ${issue?.message ?? "not valid"}`);
  }
  try {
    requireRole(c.var.caller, tool.need);
    if (tool.need === "write") await limitRequests(c, c.var.caller, "WRITE_LIMIT");
    const { method, path, body } = tool.call(given.data);
    const response = await inner(c).request(
      `${new URL(c.req.url).origin}${path}`,
      {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      },
      c.env,
    );
    const text = await response.text();
    if (response.ok) return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) as unknown };
    const { error } = JSON.parse(text) as { error: { code: string; message: string; hint: string } };
    return failed(`${error.message} ${error.hint} (${error.code})`);
  } catch (error) {
    if (error instanceof Problem) return failed(`${error.message} ${error.hint} (${error.code})`);
    throw error;
  }
}

const failed = (text: string): Result => ({ content: [{ type: "text", text }], isError: true });

/** The API's own routes behind the door, for whoever has come through it already. */
function inner(outer: AppContext): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use("*", async (c, next) => {
    c.set("caller", outer.var.caller);
    c.set("watch", outer.var.watch);
    c.set("service", outer.var.service);
    await next();
  });
  app.route("/audits", audits);
  app.route("/audits", results);
  app.onError((error, c) => problemResponse(c, error instanceof Problem ? error : unexpected(error)));
  return app;
}
