/** The supervisor's runs as a strip: one mark a slot, so that a missing one is a gap. */
import type { FC } from "hono/jsx";
import type { SupervisorRun } from "../../../storage/supervisor-repository.ts";
import { clockTime } from "../parts/time.tsx";

type Run = Pick<SupervisorRun, "slotAt" | "startedAt" | "endedAt" | "outcome" | "startedBy" | "failed" | "checked">;

/** `before`: the product had not run yet, so nothing was missed. `open`: under way, or never finished. */
export type SlotState = "done" | "held" | "failed" | "open" | "missing" | "before";

export interface Slot {
  at: number;
  state: SlotState;
  ended: number;
}

export const SLOTS = 90;

/** The last slots up to now. `since`: the first run that is known of; nothing was due before it. Pure. */
export function slotsOf(runs: readonly Run[], now: number, intervalMs: number, since: number | null): Slot[] {
  const last = Math.floor(now / intervalMs) * intervalMs;
  const bySlot = new Map<number, Run[]>();
  for (const run of runs) {
    const slot = Math.floor(run.slotAt / intervalMs) * intervalMs;
    bySlot.set(slot, [...(bySlot.get(slot) ?? []), run]);
  }
  return Array.from({ length: SLOTS }, (_, index): Slot => {
    const at = last - (SLOTS - 1 - index) * intervalMs;
    const own = bySlot.get(at) ?? [];
    const ended = own.reduce((sum, run) => sum + run.failed, 0);
    if (own.length > 0) return { at, state: stateOf(own, now, intervalMs), ended };
    // The slot of this very moment may still be on its way.
    const early = since === null || at < since || now - at < intervalMs;
    return { at, state: early ? "before" : "missing", ended };
  });
}

function stateOf(runs: readonly Run[], now: number, intervalMs: number): SlotState {
  const finished = runs.filter(({ endedAt }) => endedAt !== null);
  if (finished.some(({ outcome }) => outcome === "held")) return "held";
  if (finished.some(({ outcome }) => outcome !== "failed")) return "done";
  if (finished.length > 0) return "failed";
  return runs.some(({ startedAt }) => now - startedAt < intervalMs) ? "open" : "failed";
}

const WORDS: Readonly<Record<SlotState, string>> = {
  done: "done",
  held: "held",
  failed: "began and recorded no end",
  open: "under way",
  missing: "missing",
  before: "not due",
};

const STEP = 11;
const HEIGHT = 44;

export const RunStrip: FC<{ slots: readonly Slot[] }> = ({ slots }) => {
  const counts = new Map<SlotState, number>();
  for (const { state } of slots) counts.set(state, (counts.get(state) ?? 0) + 1);
  const told = (["done", "held", "failed", "missing", "open"] as const).filter((state) => counts.has(state));
  const words = told.map((state) => `${counts.get(state)} ${WORDS[state]}`).join(", ");
  return (
    <figure class="strip">
      <svg
        viewBox={`0 0 ${SLOTS * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={words === "" ? "No run yet" : words}
      >
        {slots.map(({ at, state, ended }, index) => (
          <g>
            <rect
              class={`slot slot-${state}`}
              x={index * STEP + 1.5}
              y={TOP[state]}
              width={STEP - 3}
              height={HEIGHT - TOP[state]}
              rx="2"
            >
              <title>{`${clockTime(at)}: ${WORDS[state]}${ended > 0 ? `, ended ${ended}` : ""}`}</title>
            </rect>
            {ended > 0 ? (
              <rect class="slot-ended" x={index * STEP + 1.5} y="0" width={STEP - 3} height="4" rx="2" />
            ) : null}
          </g>
        ))}
      </svg>
      <figcaption>
        <span class="num">{clockTime(slots[0]?.at ?? 0)}</span>
        <ul class="legend">
          {told.map((state) => (
            <li>
              <svg width="8" height="12" aria-hidden="true" focusable="false">
                <rect
                  class={`slot slot-${state}`}
                  width="8"
                  y={(12 * TOP[state]) / HEIGHT}
                  height={12 - (12 * TOP[state]) / HEIGHT}
                  rx="2"
                />
              </svg>
              <span class="num">{counts.get(state)}</span> {WORDS[state]}
            </li>
          ))}
        </ul>
        <span>now</span>
      </figcaption>
    </figure>
  );
};

/** Each state has its own height as well as its colour. */
const TOP: Readonly<Record<SlotState, number>> = { done: 8, held: 20, failed: 26, open: 30, missing: 38, before: 41 };
