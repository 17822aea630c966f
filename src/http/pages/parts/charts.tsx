/** Charts drawn by the server: SVG whose every number stands beside it as text. */
import type { FC } from "hono/jsx";
import { count, percent } from "../words.ts";

export interface BarRow {
  label: string;
  value: number;
  /** A class that gives the bar its colour: "good", "bad", "warn", "calm". */
  tone: "good" | "warn" | "bad" | "calm";
  href?: string;
}

/** One bar a row; its length is its share of the largest. */
export const Bars: FC<{ rows: readonly BarRow[]; caption: string; what: string }> = ({ rows, caption, what }) => {
  const largest = Math.max(1, ...rows.map(({ value }) => value));
  const total = rows.reduce((sum, { value }) => sum + value, 0);
  return (
    <table class="bars">
      <caption>{caption}</caption>
      <thead class="sr">
        <tr>
          <th scope="col">{what}</th>
          <th scope="col">Share</th>
          <th scope="col">Pages</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, value, tone, href }) => (
          <tr>
            <th scope="row">{href === undefined ? label : <a href={href}>{label}</a>}</th>
            <td>
              <svg class="bar" width="100%" height="12" role="img" aria-label={percent(value, total)}>
                <rect class="bar-ground" width="100%" height="12" rx="3" />
                <rect
                  class={`bar-${tone}`}
                  width={`${value === 0 ? 0 : Math.max(0.6, (100 * value) / largest).toFixed(2)}%`}
                  height="12"
                  rx="3"
                />
              </svg>
            </td>
            <td class="num">{count(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

/** How far something has come. `of` 0: nobody knows yet. */
export const Progress: FC<{ done: number; of: number; label: string }> = ({ done, of, label }) => {
  const share = of <= 0 ? 0 : Math.min(100, (100 * done) / of);
  return (
    <svg
      class="progress"
      width="100%"
      height="6"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share)}
    >
      <rect class="bar-ground" width="100%" height="6" rx="3" />
      <rect class="bar-calm" width={`${share.toFixed(2)}%`} height="6" rx="3" />
    </svg>
  );
};

/** The score as a ring; its number stands inside. */
export const ScoreRing: FC<{ score: number }> = ({ score }) => {
  const length = 2 * Math.PI * 42;
  const tone = score >= 80 ? "good" : score >= 50 ? "warn" : "bad";
  return (
    <svg class="ring" viewBox="0 0 100 100" width="112" height="112" role="img" aria-label={`Health ${score} of 100`}>
      <circle class="ring-ground" cx="50" cy="50" r="42" />
      <circle
        class={`ring-${tone}`}
        cx="50"
        cy="50"
        r="42"
        stroke-dasharray={`${((length * score) / 100).toFixed(1)} ${length.toFixed(1)}`}
        transform="rotate(-90 50 50)"
      />
      <text x="50" y="57" text-anchor="middle">
        {score}
      </text>
    </svg>
  );
};
