/** /api/v1/openapi.json: OpenAPI 3.1, made once from operations.ts. */
import { Hono } from "hono";
import { z } from "zod";
import { API_ROUTES, type ApiRoute } from "../auth/routes.ts";
import type { AppEnv } from "../context.ts";
import { COMPONENTS, type Operation, OPERATIONS, type Raw } from "./operations.ts";
import { errorResponse } from "./schemas.ts";

export const openapi = new Hono<AppEnv>();

type Json = Record<string, unknown>;

/** What any route may answer with, before it is even looked at. */
const ALWAYS: Readonly<Record<number, readonly string[]>> = {
  401: ["token_missing", "token_wrong", "access_invalid"],
  403: ["not_configured", "role_too_low", "foreign_origin", "form_token_wrong"],
  414: ["address_too_long"],
  429: ["rate_limited"],
  431: ["headers_too_large"],
  500: ["internal_error"],
  503: ["misconfigured", "not_migrated", "database_unavailable", "access_unavailable"],
};

const schemaOf = (schema: z.ZodType, io: "input" | "output"): Json => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json;
  return json;
};

/** A reference where the schema has a name. */
function refOrSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const name = Object.keys(COMPONENTS).find((key) => COMPONENTS[key] === schema);
  return name === undefined ? schemaOf(schema, io) : { $ref: `#/components/schemas/${name}` };
}

function components(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries({ ...COMPONENTS, Problem: errorResponse })) registry.add(schema, { id });
  const of = (io: "input" | "output") =>
    z.toJSONSchema(registry, { io, uri: (id) => `#/components/schemas/${id}`, unrepresentable: "any" }).schemas;
  const [answers, bodies] = [of("output"), of("input")];
  const isBody = (id: string): boolean => Object.values(OPERATIONS).some(({ body }) => body === COMPONENTS[id]);
  return Object.fromEntries(
    Object.keys(answers).map((id) => {
      const { $schema: _, $id: __, ...json } = ((isBody(id) ? bodies : answers)[id] ?? {}) as Json;
      return [id, json];
    }),
  );
}

function parameters(path: string, { query, headers }: Operation): Json[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const { properties = {} } = query === undefined ? {} : schemaOf(query, "input");
  const inQuery = Object.entries(properties as Record<string, Json>).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    ...(description === undefined ? {} : { description }),
    schema: name === "limit" ? { ...schema, type: "integer" } : schema,
  }));
  const inHeader = Object.entries(headers ?? {}).map(([name, description]) => ({
    name,
    in: "header",
    description,
    schema: { type: "string", minLength: 1, maxLength: 200 },
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

const isRaw = (answer: z.ZodType | Raw): answer is Raw => "types" in answer;

function answerOf(answer: z.ZodType | Raw | null, cached: boolean): Json {
  const headers = cached ? { headers: { ETag: { schema: { type: "string" } } } } : {};
  if (answer === null) return { description: "done" };
  if (isRaw(answer)) {
    const content = Object.fromEntries(answer.types.map((type) => [type, { schema: { type: "string" } }]));
    return { description: answer.what, content };
  }
  return {
    description: "the answer",
    ...headers,
    content: { "application/json": { schema: refOrSchema(answer, "output") } },
  };
}

function problemOf(status: number, codes: readonly string[]): Json {
  const waits = status === 429 || status === 503;
  return {
    description: codes.join(", "),
    ...(waits ? { headers: { "Retry-After": { description: "seconds", schema: { type: "integer" } } } } : {}),
    content: {
      "application/json": {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/Problem" },
            { properties: { error: { properties: { code: { enum: codes } } } } },
          ],
        },
      },
    },
  };
}

/** All problem codes of an operation, by status. */
export function problemsOf({ problems = {} }: Operation): Record<number, string[]> {
  const all: Record<number, string[]> = {};
  for (const source of [problems, ALWAYS]) {
    for (const [status, codes] of Object.entries(source)) (all[Number(status)] ??= []).push(...codes);
  }
  return all;
}

function operation(route: ApiRoute): Json {
  const described = OPERATIONS[route];
  const { id, summary, tag, body, answers, cached = false } = described;
  const [, path = ""] = route.split(" ");
  const given = parameters(path, described);
  const responses = {
    ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, answerOf(answer, cached)])),
    ...(cached ? { 304: { description: "unchanged since the ETag in If-None-Match" } } : {}),
    ...Object.fromEntries(
      Object.entries(problemsOf(described)).map(([status, codes]) => [status, problemOf(Number(status), codes)]),
    ),
  };
  return {
    operationId: id,
    summary,
    tags: [tag],
    description: `Needs the role "${API_ROUTES[route]}".`,
    ...(given.length === 0 ? {} : { parameters: given }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !body.safeParse({}).success,
            content: { "application/json": { schema: refOrSchema(body, "input") } },
          },
        }),
    responses,
  };
}

function build(): Json {
  const paths: Record<string, Json> = {};
  for (const route of Object.keys(API_ROUTES) as ApiRoute[]) {
    const [method = "", path = ""] = route.split(" ");
    const at = path.replaceAll(/:(\w+)/g, "{$1}");
    paths[at] = { ...paths[at], [method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Pulse Audit",
      version: "1",
      summary: "Website audits that never lie about their own state.",
      description:
        "Lists come in pages: follow nextCursor until it is null. Every problem has a stable code, a message and a hint. Times are milliseconds since the epoch, by the database's clock.",
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }, { session: [] }, { access: [] }],
    paths,
    components: {
      schemas: components(),
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "ADMIN_TOKEN, or a token made at /api/v1/tokens" },
        session: { type: "apiKey", in: "cookie", name: "__Host-pulse_session", description: "given by POST /sign-in" },
        access: {
          type: "apiKey",
          in: "header",
          name: "Cf-Access-Jwt-Assertion",
          description: "set by Cloudflare Access, and verified",
        },
      },
    },
  };
}

let document: Json | undefined;
export const openApiDocument = (): Json => (document ??= build());

openapi.get("/openapi.json", (c) => c.json(openApiDocument()));
