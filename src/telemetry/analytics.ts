import type { Env } from "../env.ts";

/** Without a key nothing is sent: events are stored as skipped. */
export const analyticsOn = (env: Pick<Env, "POSTHOG_API_KEY">): boolean => (env.POSTHOG_API_KEY ?? "").trim() !== "";
