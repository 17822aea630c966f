/** What every page is served with. What a form must bring is looked at by the door: auth/forgery.ts. */
import type { MiddlewareHandler } from "hono";
import type { AppContext, AppEnv } from "../context.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** No inline code, no inline style, no frame, nothing from elsewhere. */
export function secureHeaders(c: AppContext): void {
  c.header("content-security-policy", POLICY);
  c.header("x-content-type-options", "nosniff");
  c.header("x-frame-options", "DENY");
  // Not "no-referrer": browsers then send "Origin: null" with a form, and nobody could tell where it came from.
  c.header("referrer-policy", "same-origin");
  c.header("cross-origin-opener-policy", "same-origin");
  c.header("cross-origin-resource-policy", "same-origin");
  c.header("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()");
}

export const guardPages: MiddlewareHandler<AppEnv> = async (c, next) => {
  secureHeaders(c);
  await next();
};
