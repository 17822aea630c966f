/** Times, relative for people and exact for who hovers or reads by machine. The script keeps relative ones going. */
import type { FC } from "hono/jsx";
import { formatDuration } from "../../../words.ts";

/** "2026-11-30 16:24:05 UTC" */
export const exactTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
/** "16:24 UTC" */
export const clockTime = (at: number): string => `${new Date(at).toISOString().slice(11, 16)} UTC`;
/** "30 Nov" */
export const dayOf = (at: number): string =>
  new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** "4 s ago", of a time in the past; "in 12 s" of one to come. */
export const relative = (at: number, now: number): string =>
  at <= now ? `${formatDuration(wholeSeconds(now - at))} ago` : `in ${formatDuration(wholeSeconds(at - now))}`;

const wholeSeconds = (ms: number): number => Math.floor(ms / 1_000) * 1_000;

/** A moment: "4 s ago", its exact time on hover. */
export const Ago: FC<{ at: number; now: number }> = ({ at, now }) => (
  <time datetime={new Date(at).toISOString()} title={exactTime(at)} data-ago={String(at)}>
    {relative(at, now)}
  </time>
);

/** A moment by the clock: "16:24 UTC", with its date on hover. */
export const Clock: FC<{ at: number }> = ({ at }) => (
  <time datetime={new Date(at).toISOString()} title={exactTime(at)}>
    {clockTime(at)}
  </time>
);

/** A moment with its date: "30 Nov, 16:24 UTC". */
export const DateTime: FC<{ at: number }> = ({ at }) => (
  <time datetime={new Date(at).toISOString()} title={exactTime(at)}>
    {dayOf(at)}, {clockTime(at)}
  </time>
);
