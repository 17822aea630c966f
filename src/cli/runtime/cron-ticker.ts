/** What the platform's cron does for a deployed Worker: calls `scheduled()` at every slot of the clock. */

/** The slot that `now` lies in: the start of an interval counted from the epoch. Milliseconds, as everything here. */
export const slotOf = (now: number, intervalMs: number): number => Math.floor(now / intervalMs) * intervalMs;

export interface Ticker {
  stop: () => void;
}

/**
 * Ticks the slot of now at once, so that what happened while nothing ran is found, then every slot as it begins. A
 * slot that was slept through is left out, as the platform would. A tick that fails is reported and does not end it.
 */
export function startTicker(
  intervalMs: number,
  tick: (slot: number) => Promise<void>,
  report: (error: Error) => void,
): Ticker {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let last = -1;
  const tickOnce = (slot: number): void => {
    if (slot === last) return;
    last = slot;
    tick(slot).catch((error: unknown) => {
      if (!stopped) report(error instanceof Error ? error : new Error(String(error)));
    });
  };
  const next = (): void => {
    const now = Date.now();
    tickOnce(slotOf(now, intervalMs));
    // A timer may fire a little early; then the same slot comes again, is left out, and the wait is short.
    timer = setTimeout(next, slotOf(now, intervalMs) + intervalMs - now);
  };
  next();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** The address that makes the local runtime call `scheduled()` for a slot. */
export function scheduledUrl(origin: string, cron: string, slot: number): string {
  const url = new URL("/cdn-cgi/handler/scheduled", origin);
  url.searchParams.set("cron", cron);
  url.searchParams.set("time", String(slot));
  return url.href;
}
