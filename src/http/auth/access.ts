/**
 * Cloudflare Access in front of the Worker: it lets people in and says who they are in a signed header. The signature is
 * what counts; the header alone proves nothing, since a Worker may be reachable by another name that Access does not
 * guard. Cloudflare's docs: "Validate JWTs".
 */
import { createRemoteJWKSet, errors, jwtVerify } from "jose";
import type { Env } from "../../env.ts";
import { Problem } from "../problems.ts";
import { DEFAULT_OWNER, type Identity } from "./identity.ts";
import { sha256Hex } from "./secret-text.ts";

export interface AccessSettings {
  /** "https://team.cloudflareaccess.com" */
  issuer: string;
  audiences: string[];
}

const split = (list: string | undefined): string[] =>
  (list ?? "").split(",").flatMap((entry) => (entry.trim() === "" ? [] : [entry.trim()]));

/** Null: Access is not configured; both vars are needed. Plain http counts on a loopback host only, for tests. */
export function accessSettings(env: Env): AccessSettings | null {
  const domain = (env.ACCESS_TEAM_DOMAIN ?? "").trim();
  const audiences = split(env.ACCESS_AUD);
  if (domain === "" || audiences.length === 0) return null;
  const url = URL.parse(domain.includes("://") ? domain : `https://${domain}`);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && url.hostname === "127.0.0.1");
  return url !== null && isSafe ? { issuer: url.origin, audiences } : null;
}

type KeySet = ReturnType<typeof createRemoteJWKSet>;
/** Keys are kept for as long as the isolate lives, at most an hour; an unknown key is looked for at most every 30 s. */
const keySets = new Map<string, KeySet>();

function keySetOf(issuer: string): KeySet {
  const known = keySets.get(issuer);
  if (known !== undefined) return known;
  const keys = createRemoteJWKSet(new URL("/cdn-cgi/access/certs", issuer), {
    cacheMaxAge: 3_600_000,
    cooldownDuration: 30_000,
    timeoutDuration: 5_000,
  });
  keySets.set(issuer, keys);
  return keys;
}

/** Null: the request does not come through Access, or Access is not configured. Throws Problem when its word is false. */
export async function accessIdentity(request: Request, env: Env): Promise<Identity | null> {
  const settings = accessSettings(env);
  const assertion = request.headers.get("cf-access-jwt-assertion");
  if (settings === null || assertion === null) return null;
  const { issuer, audiences } = settings;
  let claims;
  try {
    const options = { issuer, audience: audiences, algorithms: ["RS256"], requiredClaims: ["exp", "iat"] };
    claims = (await jwtVerify(assertion, keySetOf(issuer), options)).payload;
  } catch (error) {
    throw refusalOf(error);
  }
  const { email, common_name: service } = claims;
  const session = (await sha256Hex(assertion)).slice(0, 32);
  if (typeof email === "string" && email !== "") {
    const isAdmin = split(env.ACCESS_ADMINS).some((admin) => admin.toLowerCase() === email.toLowerCase());
    const role = isAdmin ? "admin" : "write";
    return { ...DEFAULT_OWNER, userId: email, name: email, role, via: "access", session };
  }
  if (typeof service === "string" && service !== "") {
    return { ...DEFAULT_OWNER, userId: `service:${service}`, name: service, role: "write", via: "service", session };
  }
  throw new Problem(
    401,
    "access_invalid",
    "Cloudflare Access does not say who is asking.",
    "Sign in by Access as a person, or with a service token.",
  );
}

/** What jose says when the keys could not be fetched; everything else is about the assertion. */
const KEYS_NOT_HAD = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID"]);

function refusalOf(error: unknown): Problem {
  const code = error instanceof errors.JOSEError ? error.code : "";
  const isTheirs = code !== "" && !KEYS_NOT_HAD.has(code);
  if (!isTheirs) {
    // Nobody can be let in, and nobody who asks is to blame.
    return new Problem(
      503,
      "access_unavailable",
      "The keys of Cloudflare Access could not be fetched.",
      "Try again in a moment; check ACCESS_TEAM_DOMAIN if it stays.",
      { retryAfter: 10 },
    );
  }
  const why = error instanceof errors.JWTExpired ? "has expired" : "does not hold";
  return new Problem(
    401,
    "access_invalid",
    `The assertion of Cloudflare Access ${why}.`,
    "Sign in by Access again; the Worker's ACCESS_TEAM_DOMAIN and ACCESS_AUD must be those of its Access application.",
  );
}
