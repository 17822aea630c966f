/**
 * Being signed in: a cookie that says whose token was shown and until when, signed by the server. Nothing is stored, yet
 * revoking the token, changing ADMIN_TOKEN or changing SECRET_KEY ends it at once.
 */
import type { Env } from "../../env.ts";
import { openDatabase } from "../../storage/database.ts";
import { TokenRepository } from "../../storage/token-repository.ts";
import type { Identity } from "./identity.ts";
import { readCookie, setCookie } from "./cookies.ts";
import { randomText, sameSecret, sha256Hex, sign } from "./secret-text.ts";
import { ADMIN, tokenIdentity } from "./tokens.ts";

const NAME = "pulse_session";
const DAY = 24 * 3_600_000;
/** How long a sign-in lasts, by what was shown. Milliseconds. */
const LASTS = { token: 7 * DAY, admin: DAY / 2 } as const;

/** What signs sessions. Null: there is nothing to sign with, so nobody can sign in. */
export const sessionKey = (env: Env): string | null => nonEmpty(env.SECRET_KEY) ?? nonEmpty(env.ADMIN_TOKEN);
const nonEmpty = (text: string | undefined): string | null => (text === undefined || text === "" ? null : text);

/** The parts that are signed: a version, who ("admin-<fingerprint>" or "token-<id>"), expiry, a random name. */
const FORM = /^(v1\.(admin|token)-([0-9a-z]{1,64})\.(\d{13})\.([\w-]{22}))\.([\w-]{43})$/;

/** A new ADMIN_TOKEN is a new admin: the session carries which one it was, as a hash. */
const adminMark = async (env: Env): Promise<string> =>
  (await sha256Hex(`admin session ${env.ADMIN_TOKEN}`)).slice(0, 32);

/** The Set-Cookie value that signs this identity in. */
export async function openSession(identity: Identity, request: Request, env: Env, key: string): Promise<string> {
  const kind = identity.via === "admin" ? "admin" : "token";
  const who = kind === "admin" ? await adminMark(env) : identity.session;
  const body = `v1.${kind}-${who}.${Date.now() + LASTS[kind]}.${randomText(16)}`;
  const signature = await sign(key, `session ${body}`);
  return setCookie(request, NAME, `${body}.${signature}`, { maxAge: LASTS[kind] / 1_000, sameSite: "Lax" });
}

export const closeSession = (request: Request): string => setCookie(request, NAME, "", { maxAge: 0, sameSite: "Lax" });

/** Null: not signed in, or not any more. */
export async function sessionIdentity(request: Request, env: Env, now: number): Promise<Identity | null> {
  const key = sessionKey(env);
  const [, body, kind, who = "", until, session = "", signature = ""] =
    FORM.exec(readCookie(request, NAME) ?? "") ?? [];
  if (key === null || body === undefined || Number(until) <= now) return null;
  if (!(await sameSecret(signature, await sign(key, `session ${body}`)))) return null;
  if (kind === "admin") {
    const isCurrent = (env.ADMIN_TOKEN ?? "") !== "" && who === (await adminMark(env));
    return isCurrent ? { ...ADMIN, via: "session", session } : null;
  }
  const row = await new TokenRepository(openDatabase(env.DB)).use({ id: who });
  return row === null ? null : { ...tokenIdentity(row), via: "session", session };
}
