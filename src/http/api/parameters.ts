/** What may stand behind the question mark: one schema each, which guards the door and describes itself. */
import { z } from "zod";
import { CHANGES } from "../../audit/analysis/change-words.ts";
import { AUDIT_STATUSES, SEVERITIES } from "../../storage/schema.ts";
import type { AppContext } from "../context.ts";
import { Problem } from "../problems.ts";
import { badCursor } from "./input.ts";

const limit = (fallback: number, max: number) =>
  z.coerce.number().int().min(1).max(max).optional().describe(`items on a page, 1 to ${max}; ${fallback} unless said`);
const cursor = (form: RegExp) => z.string().regex(form).optional().describe("nextCursor of the page before");

/** "1790000000000.0a1b2c": when something was made, and its id. */
const TIME_AND_ID = /^\d{1,15}\.[0-9a-z]{1,40}$/;
const NUMBER = /^\d{1,15}$/;

export const auditsQuery = z.object({
  limit: limit(20, 100),
  status: z.enum(AUDIT_STATUSES).optional(),
  cursor: cursor(TIME_AND_ID),
});
export const pagesQuery = z.object({ limit: limit(100, 500), cursor: cursor(/^\d{1,12}$/) });
export const issuesQuery = z.object({
  limit: limit(100, 500),
  cursor: cursor(/^[a-z0-9.-]{1,60}:-?\d{1,12}$/),
  check: z.string().max(60).optional().describe("only findings of this check, such as title.missing"),
  severity: z.enum(SEVERITIES).optional(),
});
export const changesQuery = z.object({
  kind: z.enum(["issues", "pages"]).optional().describe("what is compared; issues unless said"),
  change: z
    .enum([...CHANGES, "gone"])
    .optional()
    .describe("issues: new, fixed, still, not_seen; pages: new, gone"),
  limit: limit(100, 500),
  cursor: cursor(/^[a-z0-9.:-]{1,90}$/),
});
export const runsQuery = z.object({ limit: limit(50, 200), cursor: cursor(NUMBER) });
export const decisionsQuery = z.object({
  limit: limit(50, 200),
  cursor: cursor(NUMBER),
  audit: z.string().max(40).optional().describe("only decisions about this audit"),
});
export const tokensQuery = z.object({ limit: limit(50, 200), cursor: cursor(TIME_AND_ID) });

/** Throws Problem: the code is invalid_ and the name of the parameter. */
export function readQuery<T extends z.ZodObject>(c: AppContext, schema: T): z.infer<T> {
  const given = c.req.query();
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0] ?? "");
  if (name === "cursor") throw badCursor();
  throw new Problem(
    400,
    `invalid_${name}`,
    `"${name}" is ${JSON.stringify((given[name] ?? "").slice(0, 20))}.`,
    hintOf(schema.shape[name]),
  );
}

function hintOf(parameter: z.core.$ZodType | undefined): string {
  const inner = parameter instanceof z.ZodOptional ? parameter.unwrap() : parameter;
  if (inner instanceof z.ZodEnum) return `Give one of ${inner.options.join(", ")}.`;
  if (inner instanceof z.ZodNumber) return `Give a whole number from ${inner.minValue} to ${inner.maxValue}.`;
  return "GET /api/v1/openapi.json describes what is expected.";
}
