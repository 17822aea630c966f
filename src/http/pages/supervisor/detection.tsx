/** Deaths that somebody found: a day at a time by code, how long each took against its bound, and the false alarms. */
import type { FC } from "hono/jsx";
import type { Config } from "../../../config.ts";
import type { Detection } from "../../../storage/supervision-view-repository.ts";
import { wordsOf } from "../../../supervision/audit-errors.ts";
import { formatDuration } from "../../../words.ts";
import { hostOf } from "../audit/load.ts";
import { Crawled } from "../parts/text.tsx";
import { DateTime, dayOf, exactTime } from "../parts/time.tsx";
import { count, plural } from "../words.ts";
import { boundMs } from "./bounds.ts";

const DAY_MS = 24 * 3_600_000;

/** Days with deaths, newest first, and their codes. */
export const DeathsByDay: FC<{ detections: readonly Detection[] }> = ({ detections }) => {
  const codes = [...new Set(detections.map(({ code }) => code))].toSorted();
  const days = [...new Set(detections.map(({ endedAt }) => Math.floor(endedAt / DAY_MS)))].toSorted((a, b) => b - a);
  return (
    <div class="table-wrap">
      <table class="by-day">
        <thead>
          <tr>
            <th scope="col">Day</th>
            {codes.map((code) => (
              <th scope="col" class="num" title={code}>
                {wordsOf(code).title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr>
              <th scope="row">{dayOf(day * DAY_MS)}</th>
              {codes.map((code) => {
                const found = detections.filter(
                  (one) => one.code === code && Math.floor(one.endedAt / DAY_MS) === day,
                ).length;
                return <td class="num">{found === 0 ? <span class="quiet">0</span> : count(found)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const WIDTH = 600;
const ROW = 34;
const LEFT = 6;

/** One dot a death, left early and right late; the line is the bound that is promised. */
export const DetectionPlot: FC<{ detections: readonly Detection[]; config: Config }> = ({ detections, config }) => {
  const codes = [...new Set(detections.map(({ code }) => code))].toSorted();
  return (
    <ul class="plots">
      {codes.map((code) => {
        const own = detections.filter((one) => one.code === code);
        const bound = boundMs(code, config);
        const longest = Math.max(bound * 1.15, ...own.map(({ detectionMs }) => detectionMs));
        const x = (ms: number): number => Math.round(LEFT + ((WIDTH - 2 * LEFT) * ms) / longest);
        const late = own.filter(({ detectionMs }) => detectionMs > bound).length;
        const times = own.map(({ detectionMs }) => detectionMs).toSorted((a, b) => a - b);
        const middle = times[Math.floor(times.length / 2)] ?? 0;
        return (
          <li>
            <p>
              <b>{wordsOf(code).title}</b>{" "}
              <span class="quiet num">
                {plural(own.length, "time")}; median {formatDuration(middle)}, longest{" "}
                {formatDuration(times.at(-1) ?? 0)}, bound {formatDuration(bound)}
                {late > 0 ? `; ${late} past it` : ""}
              </span>
            </p>
            <svg
              class="plot"
              viewBox={`0 0 ${WIDTH} ${ROW}`}
              width="100%"
              role="img"
              aria-label={`${own.length} detection times from ${formatDuration(times[0] ?? 0)} to ${formatDuration(times.at(-1) ?? 0)}; the bound is ${formatDuration(bound)}`}
            >
              <path class="plot-axis" d={`M0 ${ROW / 2}H${WIDTH}`} />
              <path class="plot-bound" d={`M${x(bound)} 3V${ROW - 3}`} />
              {own.map(({ detectionMs, endedAt, url }) => (
                <circle
                  class={detectionMs > bound ? "plot-dot plot-late" : "plot-dot"}
                  cx={x(detectionMs)}
                  cy={ROW / 2}
                  r="5"
                >
                  <title>{`${hostOf(url)}, ${exactTime(endedAt)}: ${formatDuration(detectionMs)}`}</title>
                </circle>
              ))}
            </svg>
          </li>
        );
      })}
    </ul>
  );
};

/** An audit called dead for its silence that beat afterwards. */
export const isFalseAlarm = ({ code, lateBeats }: Detection): boolean => code === "heartbeat_lost" && lateBeats > 0;

export const FalseAlarms: FC<{ detections: readonly Detection[] }> = ({ detections }) => {
  const alarms = detections.filter(isFalseAlarm);
  if (alarms.length === 0) {
    return <p>None. No audit that was ended for its silence has sent a heartbeat afterwards.</p>;
  }
  return (
    <ul class="places">
      {alarms.map(({ auditId, url, endedAt, lateBeats, attempt }) => (
        <li>
          <p>
            <a href={`/audits/${auditId}/attempts`}>
              <Crawled text={hostOf(url)} limit={100} />
            </a>
            , attempt {attempt}: ended for its silence <DateTime at={endedAt} />, and sent{" "}
            {plural(lateBeats, "heartbeat")} afterwards, all refused.
          </p>
        </li>
      ))}
    </ul>
  );
};
