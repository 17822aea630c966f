/**
 * Who asks? Closed by default: what is shown is judged first (a token, whatever else there is), then the launcher's own
 * machine, a sign-in, and Cloudflare Access. With none of them configured, nobody gets in.
 */
import type { Env } from "../../env.ts";
import { Problem } from "../problems.ts";
import { accessIdentity, accessSettings } from "./access.ts";
import type { Identity } from "./identity.ts";
import { isLocal, LOCAL } from "./local.ts";
import { sessionIdentity } from "./session.ts";
import { bearerIdentity, isTokenForm } from "./tokens.ts";

export const isConfigured = (env: Env): boolean => (env.ADMIN_TOKEN ?? "") !== "" || accessSettings(env) !== null;

/** Throws Problem when nobody is recognised. */
export async function authenticate(request: Request, env: Env): Promise<Identity> {
  const header = request.headers.get("authorization");
  const given = /^Bearer +(\S{1,512})$/i.exec(header ?? "")?.[1];
  if (given !== undefined) {
    const identity = await bearerIdentity(given, env);
    if (identity !== null) return identity;
  }
  const local = isLocal(request, env);
  // At the local machine a token that was meant for some other server does no harm; one of our own kind is judged.
  const isMeantForUs = isConfigured(env) || (local && isTokenForm(given ?? ""));
  if (header !== null && isMeantForUs) throw given === undefined ? tokenStrange() : tokenWrong();
  if (local) return LOCAL;
  const identity = (await sessionIdentity(request, env, Date.now())) ?? (await accessIdentity(request, env));
  if (identity !== null) return identity;
  throw isConfigured(env) ? tokenMissing() : notConfigured();
}

const notConfigured = (): Problem =>
  new Problem(
    403,
    "not_configured",
    "This server has no token configured, so it answers nobody.",
    "Set one: npx wrangler secret put ADMIN_TOKEN. Or put Cloudflare Access before it and set ACCESS_TEAM_DOMAIN and ACCESS_AUD. On your own machine, npm start needs none.",
  );

const tokenMissing = (): Problem =>
  new Problem(401, "token_missing", "The request carries no token.", "Send it as: Authorization: Bearer TOKEN");

const tokenStrange = (): Problem =>
  new Problem(
    401,
    "token_wrong",
    "The Authorization header is not understood.",
    "Send it as: Authorization: Bearer TOKEN",
  );

const tokenWrong = (): Problem =>
  new Problem(
    401,
    "token_wrong",
    "The token is not known here.",
    "Check PULSE_AUDIT_TOKEN: it may be revoked, or of another server. Whoever has ADMIN_TOKEN can make a new one.",
  );
