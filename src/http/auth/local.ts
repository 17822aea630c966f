/** The launcher's own machine: whoever sits at it needs no token. */
import type { Env } from "../../env.ts";
import { DEFAULT_OWNER, type Identity } from "./identity.ts";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export const LOCAL: Identity = {
  ...DEFAULT_OWNER,
  userId: "local",
  name: "this machine",
  role: "admin",
  via: "local",
  session: "local",
};

/**
 * Only the launcher sets LOCAL_MODE, and only a request to a loopback host counts: a deployed Worker has no such host,
 * and a foreign page that makes its own name point to this machine is not let in either.
 */
export function isLocal(request: Request, env: Env): boolean {
  if (env.LOCAL_MODE !== "1" || !LOOPBACK.test(new URL(request.url).hostname)) return false;
  const origin = request.headers.get("origin");
  return origin === null || LOOPBACK.test(URL.parse(origin)?.hostname ?? "");
}
