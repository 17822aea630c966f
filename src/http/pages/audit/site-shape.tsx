/** The site in numbers: what its pages answered, how deep they lie, why some cannot be indexed, and how the score came about. */
import type { FC } from "hono/jsx";
import { formatDuration } from "../../../words.ts";
import { type BarRow, Bars } from "../parts/charts.tsx";
import { withQuery } from "../parts/lists.tsx";
import { bytesOf, count, plural } from "../words.ts";
import { checkById } from "../../../audit/checks/catalogue.ts";
import { Figure } from "../parts/figure.tsx";
import type { AuditView, Summary } from "./load.ts";
import { REASON_WORDS } from "./reasons.ts";

const STATUS_ROWS = [
  { key: "2xx", label: "Answered (2xx)", tone: "good" },
  { key: "3xx", label: "Redirected (3xx)", tone: "calm" },
  { key: "4xx", label: "Refused or missing (4xx)", tone: "warn" },
  { key: "5xx", label: "Server error (5xx)", tone: "bad" },
  { key: "none", label: "No answer", tone: "bad" },
] as const;

/** Clicks beyond this share one bar. */
const DEEPEST = 8;

export function depthRows(depths: Readonly<Record<string, number>>): BarRow[] {
  const rows: BarRow[] = [];
  let deeper = 0;
  for (const [depth, value] of Object.entries(depths).toSorted(([a], [b]) => Number(a) - Number(b))) {
    if (Number(depth) > DEEPEST) deeper += value;
    else
      rows.push({
        label: depth === "0" ? "Start page" : plural(Number(depth), "click"),
        value,
        tone: Number(depth) >= 6 ? "warn" : "calm",
      });
  }
  if (deeper > 0) rows.push({ label: `More than ${DEEPEST} clicks`, value: deeper, tone: "warn" });
  return rows;
}

export const SiteShape: FC<{ view: AuditView; summary: Summary }> = ({ view: { path }, summary }) => {
  const statuses = STATUS_ROWS.filter(({ key }) => (summary.statuses[key] ?? 0) > 0).map(
    ({ key, label, tone }): BarRow => ({
      label,
      tone,
      value: summary.statuses[key] ?? 0,
      href: withQuery(`${path}/pages`, { status: key }),
    }),
  );
  const reasons = Object.entries(summary.indexability)
    .toSorted(([a, one], [b, other]) => Number(b === "indexable") - Number(a === "indexable") || other - one)
    .map(([reason, value]): BarRow => ({
      label: REASON_WORDS[reason] ?? reason,
      value,
      tone: reason === "indexable" ? "good" : "calm",
      href: withQuery(`${path}/pages`, { reason }),
    }));
  const { links, ttfbMs, bytes } = summary;
  return (
    <section aria-labelledby="shape">
      <h2 id="shape">The site in numbers</h2>
      <div class="charts">
        <Bars caption="What the pages answered" what="Answer" rows={statuses} />
        <Bars caption="Clicks from the start page" what="Depth" rows={depthRows(summary.depths)} />
        <Bars caption="Whether they can be indexed" what="Reason" rows={reasons} />
        <div>
          <p class="caption">Links, speed and size</p>
          <dl class="figures figures-small">
            <Figure name="Links between pages">{count(links.internal)}</Figure>
            <Figure name="Links a page">{count(links.perPage)}</Figure>
            <Figure name="Most on one page">{count(links.most)}</Figure>
            <Figure name="Pages without a link to them">{count(links.withoutInlinks)}</Figure>
            {ttfbMs === null ? null : (
              <>
                <Figure name="First byte, half of all pages within">{formatDuration(ttfbMs.p50)}</Figure>
                <Figure name="nine of ten within">{formatDuration(ttfbMs.p90)}</Figure>
              </>
            )}
            {bytes === null ? null : (
              <>
                <Figure name="Page size, half within">{bytesOf(bytes.p50)}</Figure>
                <Figure name="largest">{bytesOf(bytes.max)}</Figure>
              </>
            )}
          </dl>
        </div>
      </div>
    </section>
  );
};

export const ScoreParts: FC<{ summary: Summary }> = ({ summary: { scoreParts } }) => {
  if (scoreParts === null) return null;
  return (
    <details class="score-parts">
      <summary>How the health score came about</summary>
      <div class="table-wrap">
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">Category</th>
              <th scope="col" class="num">
                Weight
              </th>
              <th scope="col" class="num">
                Points of 10
              </th>
              <th scope="col">What took them</th>
            </tr>
          </thead>
          <tbody>
            {scoreParts.map(({ title, weight, points, losses }) => (
              <tr>
                <th scope="row">{title}</th>
                <td class="num" data-label="Weight">
                  {weight}
                </td>
                <td class="num" data-label="Points of 10">
                  {points.toFixed(1)}
                </td>
                <td data-label="What took them">
                  {losses.length === 0
                    ? "Nothing"
                    : losses
                        .slice(0, 4)
                        .map((loss) => `${checkById(loss.check)?.title ?? loss.check} (−${loss.points.toFixed(1)})`)
                        .join("; ")}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
};
