/** Watches an audit until it has ended. */
import { setTimeout as sleep } from "node:timers/promises";
import type { AuditResponse } from "../http/api/schemas.ts";
import { formatDuration } from "../words.ts";
import { ApiError, ServerUnreachable, StrangeAnswer, type Api } from "./api-client.ts";
import type { ProgressDisplay } from "./progress-display.ts";

/** A server that is started anew or a network that drops is waited for so long. */
const GIVE_UP_AFTER_MS = 120_000;

interface FollowOptions {
  everyMs: number;
  signal: AbortSignal;
  /** Gets every answer. */
  seen?: (audit: AuditResponse) => void;
}

const passes = (error: unknown): boolean =>
  (error instanceof ServerUnreachable && !(error instanceof StrangeAnswer)) ||
  (error instanceof ApiError && (error.status === 429 || error.status >= 500));

/** Resolves to the last answer, whose status is final. Throws when the server stays away, or with the signal's reason. */
export async function followAudit(
  api: Api,
  id: string,
  display: ProgressDisplay,
  options: FollowOptions,
): Promise<AuditResponse> {
  const { everyMs, signal } = options;
  let troubleSince: number | null = null;
  for (;;) {
    let wait = everyMs;
    try {
      const audit = await api.audit(id);
      troubleSince = null;
      display.trouble(null);
      display.update(audit);
      options.seen?.(audit);
      if (audit.status !== "running") return audit;
    } catch (error) {
      signal.throwIfAborted();
      if (!passes(error)) throw error;
      const now = performance.now();
      troubleSince ??= now;
      if (now - troubleSince > GIVE_UP_AFTER_MS) throw error;
      display.trouble(
        `No answer for ${formatDuration(now - troubleSince)}, asking again: ${error instanceof Error ? error.message : ""}`,
      );
      wait = Math.max(everyMs, (error instanceof ApiError ? error.retryAfterMs : null) ?? 1_000);
    }
    await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
