/**
 * Who asks? Closed by default: without a configured token, and outside of the launcher's local mode, nobody gets in.
 */
import type { Caller } from "../audit/audit-service.ts";
import type { Env } from "../env.ts";
import { Problem } from "./problems.ts";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Only the launcher sets LOCAL_MODE, and only a request to a loopback host counts: a deployed Worker has no such host,
 * and a foreign page that makes its own name point to this machine is not let in either.
 */
export function isLocal(request: Request, env: Env): boolean {
  if (env.LOCAL_MODE !== "1" || !LOOPBACK.test(new URL(request.url).hostname)) return false;
  const origin = request.headers.get("origin");
  return origin === null || LOOPBACK.test(URL.parse(origin)?.hostname ?? "");
}

const DEFAULT_ORGANIZATION = "default";
const DEFAULT_PROJECT = "default";

export async function authenticate(request: Request, env: Env): Promise<Caller> {
  const base = { organizationId: DEFAULT_ORGANIZATION, projectId: DEFAULT_PROJECT };
  if (isLocal(request, env)) return { userId: "local", ...base };
  const configured = env.ADMIN_TOKEN ?? "";
  if (configured === "") {
    throw new Problem(
      403,
      "not_configured",
      "This server has no token configured, so it answers nobody.",
      "Set one: npx wrangler secret put ADMIN_TOKEN. On your own machine, npm start needs none.",
    );
  }
  const given = /^Bearer\s+(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (given === undefined) {
    throw new Problem(401, "token_missing", "The request carries no token.", "Send it as: Authorization: Bearer TOKEN");
  }
  if (!(await sameSecret(given, configured))) {
    throw new Problem(
      401,
      "token_wrong",
      "The token is not known here.",
      "Check PULSE_AUDIT_TOKEN, or set the secret again with: npx wrangler secret put ADMIN_TOKEN",
    );
  }
  return { userId: "admin", ...base };
}

/** Compared by hash, so that the time it takes says nothing about the secret. */
async function sameSecret(a: string, b: string): Promise<boolean> {
  const digest = (text: string) => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const [one, other] = await Promise.all([digest(a), digest(b)]);
  return crypto.subtle.timingSafeEqual(one, other);
}
