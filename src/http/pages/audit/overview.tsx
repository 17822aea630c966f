/** GET /audits/:id: the whole audit at a glance. */
import type { FC } from "hono/jsx";
import type { AppContext } from "../../context.ts";
import { LiveBar, livePart } from "../layout.tsx";
import { Empty } from "../parts/lists.tsx";
import { ScoreRing } from "../parts/charts.tsx";
import { Figure } from "../parts/figure.tsx";
import { SeverityCount, SeverityMark } from "../parts/marks.tsx";
import { Address } from "../parts/text.tsx";
import { count, plural, SEVERITY_WORDS } from "../words.ts";
import { CheckList } from "./check-list.tsx";
import { type Findings, loadFindings } from "./findings-by-check.ts";
import { auditPage } from "./frame.tsx";
import { LiveAudit, liveTag, loadLive } from "./live.tsx";
import { type AuditView, loadAudit, type Summary } from "./load.ts";
import { ScoreParts, SiteShape } from "./site-shape.tsx";

export async function showAudit(c: AppContext): Promise<Response> {
  const view = await loadAudit(c);
  const [data, findings] = await Promise.all([loadLive(c, view), loadFindings(c, view)]);
  const { summary } = view;
  return auditPage(
    c,
    view,
    { tab: "overview" },
    <>
      {view.audit.status === "running" ? <LiveBar href={view.path} /> : null}
      <LiveAudit c={c} view={view} data={data}>
        {summary === null ? null : <Scored view={view} summary={summary} />}
      </LiveAudit>
      {summary === null || summary.fixFirst.length === 0 ? null : <FixFirst view={view} fixes={summary.fixFirst} />}
      <Found view={view} findings={findings} />
      {summary === null ? null : (
        <>
          <SiteShape view={view} summary={summary} />
          <ScoreParts summary={summary} />
        </>
      )}
    </>,
  );
}

/** GET /audits/:id/live */
export async function showLive(c: AppContext): Promise<Response> {
  const view = await loadAudit(c);
  return livePart(c, { parts: liveTag(view), now: view.now }, async () => (
    <LiveAudit c={c} view={view} data={await loadLive(c, view)} />
  ));
}

const Scored: FC<{ view: AuditView; summary: Summary }> = ({ view, summary }) => {
  const { score, scoreNote, issues, comparison } = summary;
  return (
    <section class="scored" aria-label="Result">
      {score === null ? (
        <p class="no-score">
          <b>No score:</b> {(scoreNote ?? "").replace(/^No score: /, "")}
        </p>
      ) : (
        <div class="score">
          <ScoreRing score={score} />
          <span>Health</span>
        </div>
      )}
      <ul class="severities">
        {(["error", "warning", "notice"] as const).map((severity) => (
          <li>
            <SeverityCount severity={severity} value={issues[severity]} />
          </li>
        ))}
      </ul>
      <dl class="figures">
        <Figure name="Pages">{count(summary.pages)}</Figure>
        <Figure name="Indexable">{count(summary.indexable)}</Figure>
        <Figure name="Blocked">{count(summary.blocked)}</Figure>
        <Figure name="Checks passed">
          {summary.checksPassed} of {summary.checksTotal}
        </Figure>
        {comparison === null ? null : (
          <Figure name="Since the last audit">
            <a href={`${view.path}/compare`}>
              {count(comparison.issues.new)} new, {count(comparison.issues.fixed)} fixed
            </a>
          </Figure>
        )}
      </dl>
    </section>
  );
};

const FixFirst: FC<{ view: AuditView; fixes: Summary["fixFirst"] }> = ({ view: { path, origin }, fixes }) => (
  <section aria-labelledby="fix-first">
    <h2 id="fix-first">Fix first</h2>
    <ol class="fixes">
      {fixes.map(({ check, severity, title, examples, fix }) => (
        <li>
          <h3>
            <SeverityMark severity={severity}>
              <span class="sr">{SEVERITY_WORDS[severity].one}: </span>
              <a href={`${path}/findings/${encodeURIComponent(check)}`}>{title}</a>
            </SeverityMark>
          </h3>
          <p>{fix}</p>
          {examples.length === 0 ? null : (
            <p class="quiet examples">
              {examples.map((url, at) => (
                <>
                  {at === 0 ? "at " : ", "}
                  <Address url={url} base={origin} />
                </>
              ))}
            </p>
          )}
        </li>
      ))}
    </ol>
  </section>
);

const Found: FC<{ view: AuditView; findings: Findings }> = ({ view, findings }) => {
  const { audit, path } = view;
  if (findings.found.length === 0 && findings.passed === null) {
    if (audit.status === "running") return null;
    return (
      <section aria-labelledby="found">
        <h2 id="found">Findings</h2>
        <Empty title="Nothing was found before it ended">
          <p>
            Findings about single pages are kept as the crawl goes on; those about the whole site come at the end.
            Resume goes on from here.
          </p>
        </Empty>
      </section>
    );
  }
  return (
    <section aria-labelledby="found">
      <h2 id="found">{audit.summary === null ? "Found so far" : "Findings"}</h2>
      {audit.summary === null ? (
        <p class="quiet">
          {plural(findings.found.length, "check")} found something on single pages. What needs the whole site is judged
          at the end.
        </p>
      ) : null}
      <CheckList path={path} findings={findings} />
    </section>
  );
};
