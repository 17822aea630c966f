/** The phases of one attempt: done, at work, still to come, each with what it took and counted. */
import type { FC } from "hono/jsx";
import type { PhaseRow } from "../../../storage/audit-repository.ts";
import { type Phase, PHASES } from "../../../storage/schema.ts";
import { formatDuration } from "../../../words.ts";
import { exactTime } from "../parts/time.tsx";
import { count, PHASE_WORDS } from "../words.ts";

interface Props {
  rows: readonly PhaseRow[];
  /** The phase that is at work; null: the attempt is over. */
  current: Phase | null;
  failed: Phase | null;
  /** The phase at work has broken its promise. */
  silent: boolean;
  until: number;
}

export const Timeline: FC<Props> = ({ rows, current, failed, silent, until }) => {
  const byPhase = new Map(rows.map((row) => [row.phase, row]));
  return (
    <ol class="timeline" aria-label="Phases">
      {PHASES.map((phase) => {
        const row = byPhase.get(phase);
        const isCurrent = phase === current && row !== undefined;
        const state = stateOf(phase === failed, isCurrent ? silent : null, row);
        return (
          <li class={`step step-${state}`} {...(isCurrent ? { "aria-current": "step" as const } : {})}>
            <span class="step-name">{PHASE_WORDS[phase].noun}</span>
            <span class="step-note num">
              {row === undefined ? (
                STATE_WORDS[state]
              ) : (
                <span title={`began ${exactTime(row.beganAt)}`}>
                  {STATE_WORDS[state]}
                  {isCurrent ? null : formatDuration((row.endedAt ?? until) - row.beganAt)}
                </span>
              )}
            </span>
            <span class="step-counts num">{row?.counts == null ? null : countWords(row.counts)}</span>
          </li>
        );
      })}
    </ol>
  );
};

type StepState = keyof typeof STATE_WORDS;

/** `silent`: null unless it is the phase at work. */
function stateOf(failed: boolean, silent: boolean | null, row: PhaseRow | undefined): StepState {
  if (failed) return "failed";
  if (silent !== null) return silent ? "silent" : "now";
  return row === undefined ? "ahead" : "done";
}

const STATE_WORDS = { done: "", now: "at work", silent: "silent", failed: "died after ", ahead: "to come" } as const;

/** "812 crawled, 1 error": what the phase itself counted, whatever that is; at most three of them. */
export function countWords(json: string): string {
  const counts = JSON.parse(json) as Record<string, unknown>;
  return Object.entries(counts)
    .flatMap(([name, value]) =>
      typeof value === "number" && value > 0 ? [`${count(value)} ${nameOf(name, value)}`] : [],
    )
    .slice(0, 3)
    .join(", ");
}

/** "leftOut" becomes "left out"; one of "sitemaps" is a "sitemap". */
function nameOf(name: string, value: number): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return value === 1 ? words.replace(/s$/, "") : words;
}
