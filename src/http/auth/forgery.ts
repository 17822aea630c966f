/**
 * Requests that a browser was tricked into. Whoever is recognised by something that a browser sends by itself (a cookie,
 * Access, the address of the local machine) must come from a page of this very origin, and a form must bring a token that
 * only such a page could have: an HMAC of who is signed in, keyed by a random cookie.
 */
import type { AppContext } from "../context.ts";
import { Problem } from "../problems.ts";
import { readCookie, setCookie } from "./cookies.ts";
import type { Identity } from "./identity.ts";
import { randomText, sameSecret, sign } from "./secret-text.ts";

export const CSRF_FIELD = "csrf";
const COOKIE = "pulse_csrf";
const COOKIE_FORM = /^[\w-]{22}$/;

const FORM_TYPES = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i;

type Bound = Pick<Identity, "via" | "userId" | "session">;
/** Nobody is signed in yet: the sign-in form. */
export const NOBODY: Bound = { via: "session", userId: "", session: "" };

const tokenOf = (secret: string, { via, userId, session }: Bound): Promise<string> =>
  sign(secret, JSON.stringify([via, userId, session]));

/** Makes the form token of this request, and the cookie that it hangs on if the browser has none. */
export async function prepareForms(c: AppContext, bound: Bound): Promise<void> {
  const known = readCookie(c.req.raw, COOKIE);
  const secret = known !== null && COOKIE_FORM.test(known) ? known : randomText(16);
  if (secret !== known)
    c.header("set-cookie", setCookie(c.req.raw, COOKIE, secret, { sameSite: "Strict" }), { append: true });
  c.set("csrf", await tokenOf(secret, bound));
}

/** What the browser says about where the request comes from. Whatever it says must agree. */
export function originOf(request: Request): "same" | "foreign" | "unsaid" {
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  if (origin === null && site === null) return "unsaid";
  const agrees =
    (origin === null || origin === new URL(request.url).origin) && (site === null || site === "same-origin");
  return agrees ? "same" : "foreign";
}

const isSafe = (method: string): boolean => method === "GET" || method === "HEAD" || method === "OPTIONS";

/** Throws Problem for a request that changes something and may not be what its sender wanted. */
export async function refuseForgery(c: AppContext, identity: Bound): Promise<void> {
  const { method, raw } = c.req;
  // A browser adds no bearer token by itself.
  if (isSafe(method) || identity.via === "token" || identity.via === "admin") return;
  const origin = originOf(raw);
  // A program, not a browser: every browser says where a POST comes from.
  const mayBeSilent = identity.via === "local" || identity.via === "service";
  if (origin === "foreign" || (origin === "unsaid" && !mayBeSilent)) {
    throw new Problem(
      403,
      "foreign_origin",
      "The request did not come from a page of this server, so nothing was done.",
      "Open the page here and try again; a program sends an API token instead of a cookie.",
    );
  }
  if (FORM_TYPES.test(raw.headers.get("content-type") ?? "")) await refuseStrangeForm(c, identity);
}

async function refuseStrangeForm(c: AppContext, identity: Bound): Promise<void> {
  const secret = readCookie(c.req.raw, COOKIE);
  const { [CSRF_FIELD]: given } = await c.req.parseBody().catch((): Record<string, unknown> => ({}));
  const isOurs =
    secret !== null && typeof given === "string" && (await sameSecret(given, await tokenOf(secret, identity)));
  if (isOurs) return;
  throw new Problem(
    403,
    "form_token_wrong",
    "The form is too old, or was opened by somebody else, so nothing was done.",
    "Load the page again and press the button once more.",
  );
}
