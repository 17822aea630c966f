/** /sign-in and /sign-out: a token is traded for a cookie, and the cookie given back. The form itself is a page's. */
import { Hono } from "hono";
import type { AppContext, AppEnv } from "../context.ts";
import { Problem } from "../problems.ts";
import { accessSettings } from "./access.ts";
import { isConfigured } from "./authenticate.ts";
import { NOBODY, refuseForgery } from "./forgery.ts";
import type { Identity } from "./identity.ts";
import { isLocal } from "./local.ts";
import { nextPage } from "./next-page.ts";
import { limitStrangers } from "./rate-limits.ts";
import { closeSession, openSession, sessionIdentity, sessionKey } from "./session.ts";
import { bearerIdentity } from "./tokens.ts";

export const signIn = new Hono<AppEnv>();

/** Whoever is in already is led on; everybody else is asked for a token by the page that a 401 is told with. */
signIn.get("/sign-in", async (c) => {
  const next = nextPage(c.req.query("next"));
  if (isLocal(c.req.raw, c.env) || (await sessionIdentity(c.req.raw, c.env, Date.now())) !== null) {
    return c.redirect(next, 303);
  }
  refuseUnconfigured(c);
  throw new Problem(401, "token_missing", "Nobody is signed in.", "Give a token.");
});

signIn.post("/sign-in", async (c) => {
  refuseUnconfigured(c);
  await limitStrangers(c);
  await refuseForgery(c, NOBODY);
  const { token, next, to } = await c.req.parseBody().catch((): Record<string, unknown> => ({}));
  const given = typeof token === "string" ? token.trim().slice(0, 512) : "";
  const identity = given === "" ? null : await bearerIdentity(given, c.env);
  if (identity === null) {
    throw new Problem(
      401,
      "token_wrong",
      "The token is not known here.",
      "It may be mistyped or revoked. Whoever has ADMIN_TOKEN can make a new one.",
    );
  }
  c.header("set-cookie", await openSession(identity, c.req.raw, c.env, keyOf(c)), { append: true });
  const asked = [next, to].find((value) => typeof value === "string");
  return c.redirect(nextPage(asked), 303);
});

signIn.post("/sign-out", async (c) => {
  const identity = await sessionIdentity(c.req.raw, c.env, Date.now());
  if (identity !== null) await refuseForgery(c, identity);
  c.header("set-cookie", closeSession(c.req.raw), { append: true });
  return c.redirect(isThroughAccess(c, identity) ? "/cdn-cgi/access/logout" : "/sign-in", 303);
});

const isThroughAccess = (c: AppContext, identity: Identity | null): boolean =>
  identity === null && accessSettings(c.env) !== null && c.req.header("cf-access-jwt-assertion") !== undefined;

function keyOf(c: AppContext): string {
  const key = sessionKey(c.env);
  if (key !== null) return key;
  throw new Problem(
    503,
    "no_secret_key",
    "This server cannot sign anybody in: it has no SECRET_KEY.",
    "Set one: npx wrangler secret put SECRET_KEY",
  );
}

function refuseUnconfigured(c: AppContext): void {
  if (isConfigured(c.env) || isLocal(c.req.raw, c.env)) return;
  throw new Problem(
    403,
    "not_configured",
    "This server has no token configured, so it answers nobody.",
    "Set one: npx wrangler secret put ADMIN_TOKEN",
  );
}
