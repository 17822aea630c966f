/**
 * How often somebody may ask, through Cloudflare's rate limiting bindings (wrangler.toml has the numbers): counted in
 * memory at each of Cloudflare's locations, so that a limit is near enough and costs no write. Whoever sits at the local
 * machine is not limited, nor is anybody where a binding is missing.
 */
import type { Env } from "../../env.ts";
import type { AppContext } from "../context.ts";
import { Problem } from "../problems.ts";
import type { Identity } from "./identity.ts";

export type Limit = "READ_LIMIT" | "WRITE_LIMIT" | "DOOR_LIMIT";

/** The period of the bindings. Seconds. */
const PERIOD = 60;

async function count(env: Env, limit: Limit, key: string): Promise<void> {
  // A counter that does not answer must not close the door.
  const outcome = await env[limit]?.limit({ key }).catch(() => undefined);
  if (outcome === undefined || outcome.success) return;
  throw new Problem(
    429,
    "rate_limited",
    limit === "DOOR_LIMIT" ? "Too many attempts to get in." : "Too many requests.",
    `Wait ${PERIOD} s, then go on more slowly.`,
    { retryAfter: PERIOD },
  );
}

/** Throws Problem beyond the limit. Changing something is limited more strictly than reading. */
export async function limitRequests(c: AppContext, { via, userId }: Identity, limit: Limit): Promise<void> {
  if (via !== "local") await count(c.env, limit, userId);
}

/** For whoever is not known yet: by their address, which Cloudflare sets and nobody else can. */
export const limitStrangers = ({ env, req }: AppContext): Promise<void> =>
  count(env, "DOOR_LIMIT", `address ${req.header("cf-connecting-ip") ?? "unknown"}`);
