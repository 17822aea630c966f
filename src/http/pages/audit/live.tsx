/** The part of an audit's page that is kept up to date: sentence, numbers, phases, pulse, and what can be done now. */
import type { Child, FC } from "hono/jsx";
import type { PhaseRow } from "../../../storage/audit-repository.ts";
import { AuditViewRepository, type Beat } from "../../../storage/audit-view-repository.ts";
import { formatDuration } from "../../../words.ts";
import type { AppContext } from "../../context.ts";
import { Live } from "../layout.tsx";
import { Progress } from "../parts/charts.tsx";
import { Figure } from "../parts/figure.tsx";
import { Answer } from "../parts/marks.tsx";
import { Ago } from "../parts/time.tsx";
import { count } from "../words.ts";
import { Actions } from "./actions.tsx";
import { Failure } from "./failure.tsx";
import type { AuditView } from "./load.ts";
import { paceWords, pagesPerSecond } from "./pace.ts";
import { Pulse } from "./pulse.tsx";
import { StateSentence } from "./sentence.tsx";
import { Timeline } from "./timeline.tsx";

/** All that the live part shows, except for the time that passes. */
export const liveTag = ({ audit, kind, supervisor }: AuditView): unknown[] => [
  audit.status,
  kind,
  audit.attempt,
  audit.phase,
  audit.heartbeatSeq,
  audit.heartbeatAt,
  audit.pagesCrawled,
  audit.pagesTotal,
  audit.lastLookAt,
  audit.lastVerdict,
  audit.endedAt,
  supervisor.late,
  supervisor.late ? null : supervisor.note,
];

export interface LiveData {
  beats: Beat[];
  phases: PhaseRow[];
}

export async function loadLive(c: AppContext, { audit }: AuditView): Promise<LiveData> {
  const beats = await new AuditViewRepository(c.var.watch.db).beats(audit.id, audit.attempt);
  const phases = (await c.var.watch.audits.phases(audit.id)).filter(({ attempt }) => attempt === audit.attempt);
  return { beats, phases };
}

/** `children` stand where the progress of a running audit stands: what it has come to. */
export const LiveAudit: FC<{ c: AppContext; view: AuditView; data: LiveData; children?: Child }> = ({
  c,
  view,
  data,
  children,
}) => {
  const { audit, kind, now, supervisor } = view;
  const running = audit.status === "running";
  const until = running ? now : (audit.endedAt ?? now);
  return (
    <Live id="live" src={running ? `${view.path}/live` : null} state={audit.status} now={now}>
      <Answer kind={kind}>
        <StateSentence view={view} beats={data.beats} config={c.var.watch.config} />
      </Answer>
      {supervisor.note === null || !running ? null : (
        <p class="notice notice-bad">
          {supervisor.note} <a href="/supervisor">See the supervisor</a>
        </p>
      )}
      <Actions c={c} view={view} />
      {running ? <RunningNumbers view={view} beats={data.beats} /> : children}
      <Timeline
        rows={data.phases}
        current={running ? audit.phase : null}
        silent={kind === "overdue"}
        failed={audit.status === "failed" || audit.status === "canceled" ? audit.failedPhase : null}
        until={until}
      />
      <PulseOf view={view} data={data} until={until} />
      <Failure view={view} />
    </Live>
  );
};

const RunningNumbers: FC<{ view: AuditView; beats: readonly Beat[] }> = ({
  view: { audit, kind, now, options },
  beats,
}) => {
  const rate = pagesPerSecond(beats, { at: audit.heartbeatAt, pagesCrawled: audit.pagesCrawled });
  return (
    <>
      <Progress done={audit.pagesCrawled} of={audit.pagesTotal} label="Pages crawled" />
      <dl class="figures">
        <Figure name="Pages">{count(audit.pagesCrawled)}</Figure>
        <Figure name="Known so far">{audit.pagesTotal === 0 ? "–" : count(audit.pagesTotal)}</Figure>
        <Figure name="At most">{count(options.maxPages)}</Figure>
        <Figure name="A second">
          {kind === "overdue" || audit.phase !== "crawling" || rate === null ? "–" : paceWords(rate)}
        </Figure>
        <Figure name="Last heartbeat">
          <Ago at={audit.heartbeatAt} now={now} />
        </Figure>
        <Figure name="Running for">{formatDuration(now - audit.attemptStartedAt)}</Figure>
      </dl>
    </>
  );
};

/** Every phase opens with a heartbeat, and the row knows the last one; between them stand those that were kept. */
const PulseOf: FC<{ view: AuditView; data: LiveData; until: number }> = ({ view, data, until }) => {
  const { audit, attempts } = view;
  const attempt = attempts.find((one) => one.attempt === audit.attempt);
  if (attempt === undefined || audit.heartbeatSeq === 0) return null;
  const times = [...data.beats.map(({ at }) => at), ...data.phases.map(({ beganAt }) => beganAt), audit.heartbeatAt];
  const judged = audit.endedBy === "watchdog" || audit.endedBy === "status_check";
  return (
    <Pulse
      beganAt={attempt.beganAt}
      until={until}
      phases={data.phases}
      beats={[...new Set(times)].toSorted((a, b) => a - b)}
      verdict={judged && audit.endedAt !== null ? { at: audit.endedAt, code: audit.errorCode ?? "unknown" } : null}
      alive={view.kind === "running" || view.kind === "completed"}
      ongoing={audit.status === "running"}
    />
  );
};
