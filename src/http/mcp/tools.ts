/** The tools: each is a route of the API under another name, with the same roles, schemas and problems. */
import { z } from "zod";
import { auditsQuery, issuesQuery, pagesQuery } from "../api/parameters.ts";
import { startAuditFields } from "../api/start-request.ts";
import type { Role } from "../auth/identity.ts";

export interface ApiCall {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
}

interface Tool {
  title: string;
  description: string;
  need: Role;
  input: z.ZodObject;
  /** The route that does it. `given` has passed `input`. */
  call: (given: Record<string, unknown>) => ApiCall;
}

const auditId = z
  .string()
  .regex(/^[0-9a-zA-Z-]{1,40}$/)
  .describe("the id that start_audit or list_audits gave");

/** Secrets do not belong into a conversation: headers and passwords are for the API and the command line. */
const start = startAuditFields.omit({ headers: true, basicAuth: true });

const path = (id: unknown, part = ""): string => `/audits/${encodeURIComponent(String(id))}${part}`;

function withQuery(at: string, query: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === "string" || typeof value === "number") parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === "" ? at : `${at}?${text}`;
}

/** `limit` as a number, which a query string does not need to be. */
const limit = (max: number) => z.number().int().min(1).max(max).optional().describe(`items at most, 1 to ${max}`);

export const TOOLS: Readonly<Record<string, Tool>> = {
  start_audit: {
    title: "Start an audit",
    description:
      "Starts an audit of a website and returns it at once, running. It crawls politely and within robots.txt.",
    need: "write",
    input: start,
    call: (given) => ({ method: "POST", path: "/audits", body: given }),
  },
  audit_status: {
    title: "Status of an audit",
    description:
      "How far an audit is; once it has completed, its summary: score, counts, the ten things to fix first. When it failed: why, and what to do.",
    need: "read",
    input: z.strictObject({ auditId }),
    call: ({ auditId: id }) => ({ method: "GET", path: path(id) }),
  },
  list_audits: {
    title: "List audits",
    description: "Audits, newest first, with their status and summary.",
    need: "read",
    input: z.strictObject({ ...auditsQuery.shape, limit: limit(20) }),
    call: (given) => ({ method: "GET", path: withQuery("/audits", { limit: 5, ...given }) }),
  },
  issues: {
    title: "Issues of an audit",
    description:
      "What an audit has found: the check, its severity, the page, the evidence and which pages lead there. Follow nextCursor for more.",
    need: "read",
    input: z.strictObject({ auditId, ...issuesQuery.shape, limit: limit(100) }),
    call: ({ auditId: id, ...query }) => ({
      method: "GET",
      path: withQuery(path(id, "/issues"), { limit: 25, ...query }),
    }),
  },
  pages: {
    title: "Pages of an audit",
    description:
      "The pages that an audit crawled: status, title, whether each can be indexed and why not, depth, links. Follow nextCursor for more.",
    need: "read",
    input: z.strictObject({ auditId, ...pagesQuery.shape, limit: limit(100) }),
    call: ({ auditId: id, ...query }) => ({
      method: "GET",
      path: withQuery(path(id, "/pages"), { limit: 25, ...query }),
    }),
  },
  explain_audit: {
    title: "Explain the state of an audit",
    description:
      "Which rule decides whether an audit's compute is alive, and with which numbers. Asks the platform, changes nothing.",
    need: "read",
    input: z.strictObject({ auditId }),
    call: ({ auditId: id }) => ({ method: "GET", path: path(id, "/explain") }),
  },
};

function described(name: string, { title, description, need, input }: Tool) {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" }) as Record<
    string,
    unknown
  >;
  const isReading = need === "read";
  return {
    name,
    title,
    description,
    inputSchema,
    annotations: { readOnlyHint: isReading, destructiveHint: false, openWorldHint: !isReading },
  };
}

export const describeTools = () => Object.entries(TOOLS).map(([name, tool]) => described(name, tool));
