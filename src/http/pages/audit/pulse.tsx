/**
 * The pulse of one attempt: its heartbeats over its life, the phases as coloured ground, silence as a gap, the verdict as
 * a line. One glance shows when it died. Geometry is computed apart from drawing.
 */
import type { FC } from "hono/jsx";
import type { Phase } from "../../../storage/schema.ts";
import { formatDuration } from "../../../words.ts";
import { clockTime, exactTime } from "../parts/time.tsx";
import { PHASE_WORDS } from "../words.ts";

export interface PulseInput {
  beganAt: number;
  /** When the attempt ended, or now. */
  until: number;
  phases: readonly { phase: Phase; beganAt: number; endedAt: number | null }[];
  /** Times of known heartbeats, oldest first. */
  beats: readonly number[];
  /** When somebody other than the run ended it, and with which code. */
  verdict: { at: number; code: string } | null;
  /** It did not fall silent: it is at work, or has ended by itself. */
  alive: boolean;
  /** `until` is now. */
  ongoing: boolean;
}

/** Two kept beats further apart than this have silence between them: at most one a minute is kept. Milliseconds. */
const GAP_MS = 130_000;
const WIDTH = 1_000;
const HEIGHT = 72;
const BASE = 44;

export interface PulseShape {
  grounds: { x: number; width: number; phase: Phase }[];
  /** The line of a living run, as an SVG path. */
  line: string;
  gaps: { x: number; width: number; ms: number }[];
  verdictX: number | null;
}

/** Where everything stands on a strip 1,000 wide. Pure. */
export function pulseShape(input: Omit<PulseInput, "ongoing">): PulseShape {
  const { beganAt, until, phases, beats, verdict, alive } = input;
  const length = Math.max(1, until - beganAt);
  const x = (at: number): number => Math.round(Math.min(1, Math.max(0, (at - beganAt) / length)) * WIDTH * 10) / 10;
  const grounds = phases.map(({ phase, beganAt: from, endedAt }) => {
    const left = x(from);
    return { phase, x: left, width: Math.max(1, x(endedAt ?? until) - left) };
  });
  const last = beats.at(-1);
  // Many beats share a pixel in a long life; a spike needs room to be one.
  const spikes: number[] = [];
  for (const at of beats) if (spikes.length === 0 || x(at) - x(spikes.at(-1)!) >= 9) spikes.push(at);
  const gaps: PulseShape["gaps"] = [];
  const parts: string[] = [];
  const end = alive || last === undefined ? null : last;
  let before = beganAt;
  parts.push(`M${x(beganAt)} ${BASE}`);
  for (const at of beats) {
    if (at - before > GAP_MS) {
      gaps.push({ x: x(before), width: x(at) - x(before), ms: at - before });
      parts.push(`M${x(at)} ${BASE}`);
    }
    if (spikes.includes(at)) parts.push(spike(x(at)));
    before = at;
  }
  if (end === null) parts.push(`H${WIDTH}`);
  else if (until - end > Math.max(2_000, length / 50)) gaps.push({ x: x(end), width: WIDTH - x(end), ms: until - end });
  return { grounds, line: parts.join(""), gaps, verdictX: verdict === null ? null : x(verdict.at) };
}

/** One heartbeat: a small dip, a tall spike, back to rest. */
const spike = (at: number): string => {
  const left = Math.max(0, at - 4);
  return `L${left} ${BASE}L${left + 1.5} ${BASE + 6}L${left + 4} ${BASE - 30}L${left + 6.5} ${BASE + 12}L${left + 8} ${BASE}`;
};

export const Pulse: FC<PulseInput> = (input) => {
  const { beganAt, until, beats, verdict, phases } = input;
  const shape = pulseShape(input);
  const words = [
    `From ${exactTime(beganAt)} to ${exactTime(until)}.`,
    `${beats.length} heartbeats are kept (at most one a minute).`,
    ...shape.gaps.map(({ ms }) => `Silence for ${formatDuration(ms)}.`),
    verdict === null ? "" : `Ended as ${verdict.code} at ${exactTime(verdict.at)}.`,
  ].join(" ");
  return (
    <figure class="pulse">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={words}
      >
        <rect class="pulse-ground" width={WIDTH} height={HEIGHT} />
        {shape.grounds.map(({ x, width, phase }) => (
          <rect class={`phase-${phase}`} x={x} width={width} height={HEIGHT}>
            <title>{PHASE_WORDS[phase].noun}</title>
          </rect>
        ))}
        {shape.gaps.map(({ x, width, ms }) => (
          <g>
            <rect class="pulse-gap" x={x} width={width} height={HEIGHT}>
              <title>{`Silence for ${formatDuration(ms)}`}</title>
            </rect>
            <path class="pulse-silence" d={`M${x} ${BASE}h${width}`} />
          </g>
        ))}
        <path class="pulse-line" d={shape.line} />
        {shape.verdictX === null ? null : (
          <path class="pulse-verdict" d={`M${Math.min(shape.verdictX, WIDTH - 2)} 0V${HEIGHT}`} />
        )}
      </svg>
      <figcaption>
        <span class="num">{clockTime(beganAt)}</span>
        <ul class="legend">
          {phases.map(({ phase }) => (
            <li>
              <svg width="12" height="12" aria-hidden="true" focusable="false">
                <rect class={`phase-${phase}`} width="12" height="12" rx="3" />
              </svg>
              {PHASE_WORDS[phase].noun}
            </li>
          ))}
          {shape.gaps.length === 0 ? null : (
            <li>
              <svg width="12" height="12" aria-hidden="true" focusable="false">
                <rect class="pulse-gap" width="12" height="12" rx="3" />
              </svg>
              Silence
            </li>
          )}
          {verdict === null ? null : (
            <li>
              <svg width="12" height="12" aria-hidden="true" focusable="false">
                <path class="pulse-verdict" d="M6 0V12" />
              </svg>
              Verdict
            </li>
          )}
        </ul>
        <span class="num">{input.ongoing ? "now" : clockTime(until)}</span>
      </figcaption>
    </figure>
  );
};
