/** Reads and checks what a request brings; every no says what was wrong and how to mend it. */
import type { z } from "zod";
import { isAddressAllowed } from "../../audit/crawl/addresses.ts";
import { normaliseStartUrl } from "../../audit/crawl/url.ts";
import type { AppContext } from "../context.ts";
import { Problem } from "../problems.ts";

/** JSON bodies at most: a list of 10,000 addresses of a hundred characters. Bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** The body, checked. An absent body is {} where the schema allows that. */
export async function readJson<T extends z.ZodType>(c: AppContext, schema: T): Promise<z.infer<T>> {
  const type = c.req.header("content-type") ?? "";
  if (c.req.raw.body !== null && !/^application\/json\b/i.test(type)) {
    throw new Problem(
      415,
      "not_json",
      `The body is "${type.slice(0, 60)}".`,
      "Send JSON with the header Content-Type: application/json.",
    );
  }
  return check(parse(await c.req.text()), schema);
}

function parse(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Problem(
      400,
      "invalid_json",
      "The body is not valid JSON.",
      'Send an object such as {"url": "https://example.com"}.',
    );
  }
}

export function check<T extends z.ZodType>(value: unknown, schema: T): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "The request" : `"${issue.path.join(".")}"`;
  throw new Problem(
    400,
    "invalid_request",
    `${where}: ${issue?.message ?? "is not valid"}.`,
    "GET /api/v1/openapi.json describes what is expected.",
  );
}

/** The address of a site as somebody wrote it, made whole; refused when no audit may reach it. */
export function readSiteUrl(input: string, hosts: { allowed: readonly string[]; own: readonly string[] }): string {
  const parsed = normaliseStartUrl(input);
  if (!parsed.ok) {
    throw new Problem(
      400,
      parsed.reason === "unsupported_scheme" ? "unsupported_scheme" : "invalid_url",
      parsed.message,
      "Give the address as a browser shows it, such as https://example.com.",
    );
  }
  const verdict = isAddressAllowed(parsed.url, hosts.allowed, hosts.own);
  if (!verdict.ok) {
    throw new Problem(
      400,
      "address_not_allowed",
      verdict.message,
      "Audit a public address; for a site on this machine: npm start -- --allow-host HOST:PORT.",
    );
  }
  return parsed.url.href;
}

export const badCursor = (): Problem =>
  new Problem(
    400,
    "invalid_cursor",
    "The cursor is not one that this list gave.",
    "Start again without ?cursor=, and follow nextCursor.",
  );

/** A cursor made of a time and an id, whose form has been checked. */
export function readTimeAndId(cursor: string): { createdAt: number; id: string } {
  const [createdAt = "", id = ""] = cursor.split(".");
  return { createdAt: Number(createdAt), id };
}
