/** The one place where it is decided who comes in, in front of every route. */
import type { MiddlewareHandler } from "hono";
import type { AppContext, AppEnv } from "../context.ts";
import { Problem } from "../problems.ts";
import { authenticate } from "./authenticate.ts";
import { NOBODY, prepareForms, refuseForgery } from "./forgery.ts";
import { type Identity, mayDo, type Role } from "./identity.ts";
import { limitRequests, limitStrangers } from "./rate-limits.ts";
import { needOf } from "./routes.ts";

/** Everything else is a page, and pages have forms. */
const isForPrograms = (path: string): boolean => /^\/(api|mcp|healthz|assets)(\/|$)/.test(path);

export const door: MiddlewareHandler<AppEnv> = async (c, next) => {
  const need = needOf(c);
  const hasForms = !isForPrograms(c.req.path);
  if (need === "open") {
    if (hasForms) await prepareForms(c, NOBODY);
    return next();
  }
  const identity = await recognise(c, hasForms);
  c.set("caller", identity);
  if (hasForms) await prepareForms(c, identity);
  requireRole(identity, need);
  await refuseForgery(c, identity);
  const isReading = c.req.method === "GET" || c.req.method === "HEAD" || c.req.path === "/mcp";
  await limitRequests(c, identity, isReading ? "READ_LIMIT" : "WRITE_LIMIT");
  return next();
};

async function recognise(c: AppContext, hasForms: boolean): Promise<Identity> {
  try {
    return await authenticate(c.req.raw, c.env);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // The answer may be a page with the sign-in form.
    if (hasForms) await prepareForms(c, NOBODY);
    if (error.status === 401) {
      c.header("www-authenticate", 'Bearer realm="Pulse Audit"');
      if (error.code !== "token_missing") await limitStrangers(c);
    }
    throw error;
  }
}

/** Throws Problem when the role is not enough. */
export function requireRole({ role, name }: Identity, need: Role): void {
  if (mayDo(role, need)) return;
  throw new Problem(
    403,
    "role_too_low",
    `This needs the role "${need}"; "${name}" has "${role}".`,
    need === "admin"
      ? "Only whoever has ADMIN_TOKEN, or is named in ACCESS_ADMINS, may do this."
      : 'Use a token with the role "write".',
  );
}
