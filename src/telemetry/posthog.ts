import { PostHog } from "posthog-node";
import type { Env } from "../env.ts";
import { withTimeout } from "../time-limit.ts";

export interface ServerEvent {
  /** Stable: a resend is the same event. */
  uuid: string;
  event: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Who started the audit. */
  distinctId: string;
  organization: string;
  properties: Record<string, unknown>;
}

/** A collector gets so long for one event; the library's own retries could hold a call for nine seconds. Milliseconds. */
const REQUEST_TIMEOUT_MS = 3_000;
const DEFAULT_HOST = "https://eu.i.posthog.com";

export function openPostHog(env: Pick<Env, "POSTHOG_API_KEY" | "POSTHOG_HOST">): PostHog {
  return new PostHog(env.POSTHOG_API_KEY ?? "", {
    host: env.POSTHOG_HOST ?? DEFAULT_HOST,
    requestTimeout: REQUEST_TIMEOUT_MS,
    fetchRetryCount: 0,
    flushAt: 1,
    flushInterval: 0,
    disableGeoip: true,
  });
}

/** Sends one event now. Null: it was taken. Otherwise why not; never throws, since the library only tells a listener. */
export async function captureServerEvent(posthog: PostHog, event: ServerEvent): Promise<string | null> {
  let failure: string | null = null;
  const stop = posthog.on("error", (error: unknown) => {
    failure = error instanceof Error ? error.message : String(error);
  });
  try {
    const sent = posthog.captureImmediate({
      distinctId: event.distinctId,
      event: event.event,
      properties: event.properties,
      groups: { organization: event.organization },
      timestamp: new Date(event.at),
      uuid: event.uuid,
    });
    // The library's own limit ends with the headers of the answer.
    await withTimeout(sent, REQUEST_TIMEOUT_MS + 1_000, "the collector did not answer");
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  } finally {
    stop();
  }
  return failure;
}
