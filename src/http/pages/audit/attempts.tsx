/** GET /audits/:id/attempts: every Workflow instance that ever worked on it, how it ended, and how to look inside. */
import type { FC } from "hono/jsx";
import { AuditViewRepository } from "../../../storage/audit-view-repository.ts";
import type { AttemptRow, PhaseRow } from "../../../storage/audit-repository.ts";
import type { SupervisorDecision } from "../../../storage/supervisor-repository.ts";
import { wordsOf } from "../../../supervision/audit-errors.ts";
import { formatDuration } from "../../../words.ts";
import { isLocal } from "../../auth/local.ts";
import type { AppContext } from "../../context.ts";
import { Copy, Crawled } from "../parts/text.tsx";
import { DateTime } from "../parts/time.tsx";
import { DecisionList } from "../supervisor/decisions.tsx";
import { ENDED_BY_WORDS, plural, sentence } from "../words.ts";
import { EvidenceLines } from "./failure.tsx";
import { auditPage } from "./frame.tsx";
import { type AuditView, loadAudit } from "./load.ts";
import { Pulse } from "./pulse.tsx";

/** As in wrangler.toml. */
const WORKFLOW_NAME = "pulse-site-audit";
/** Older attempts are listed without their pulse. */
const DRAWN = 5;

interface Drawn {
  attempt: AttemptRow;
  phases: PhaseRow[];
  beats: number[];
}

export async function showAttempts(c: AppContext): Promise<Response> {
  const view = await loadAudit(c);
  const repository = new AuditViewRepository(c.var.watch.db);
  const phases = await c.var.watch.audits.phases(view.audit.id);
  const drawn: Drawn[] = [];
  for (const attempt of view.attempts.toReversed()) {
    const own = phases.filter((row) => row.attempt === attempt.attempt);
    const beats = drawn.length < DRAWN ? await repository.beats(view.audit.id, attempt.attempt) : [];
    const times = [...beats.map(({ at }) => at), ...own.map(({ beganAt }) => beganAt)];
    if (attempt.attempt === view.audit.attempt && view.audit.heartbeatSeq > 0) times.push(view.audit.heartbeatAt);
    drawn.push({ attempt, phases: own, beats: [...new Set(times)].toSorted((a, b) => a - b) });
  }
  const decisions = await c.var.watch.supervisor.decisions(50, { auditId: view.audit.id });
  return auditPage(
    c,
    view,
    { tab: "attempts", title: "Attempts" },
    <>
      <section aria-labelledby="attempts">
        <h2 id="attempts">Attempts</h2>
        <p class="lede">
          An attempt is one Workflow instance that may write for this audit. A resume begins a new one; the old one can
          write nothing more.
        </p>
        <ol class="attempts">
          {drawn.map((one) => (
            <li>
              <Attempt c={c} view={view} drawn={one} />
            </li>
          ))}
        </ol>
      </section>
      <Decided decisions={decisions} now={view.now} />
    </>,
  );
}

const Attempt: FC<{ c: AppContext; view: AuditView; drawn: Drawn }> = ({
  c,
  view,
  drawn: { attempt, phases, beats },
}) => {
  const { audit, now } = view;
  const current = attempt.attempt === audit.attempt;
  const open = attempt.endedAt === null;
  const until = attempt.endedAt ?? now;
  const judged = attempt.endedBy === "watchdog" || attempt.endedBy === "status_check";
  const command = describeCommand(c, attempt.instanceId);
  const late = plural(attempt.lateBeats, "late heartbeat");
  return (
    <article class="attempt">
      <h3>
        Attempt {attempt.attempt} <span class="quiet">{endWords(attempt, current && open ? view : null)}</span>
      </h3>
      <p class="quiet">
        Began <DateTime at={attempt.beganAt} />
        {open ? null : (
          <>
            , ended <DateTime at={until} /> after {formatDuration(until - attempt.beganAt)}
          </>
        )}
        {attempt.detectionMs === null ? null : `; seen ${formatDuration(attempt.detectionMs)} after its last heartbeat`}
        {attempt.lateBeats === 0
          ? null
          : attempt.code === "heartbeat_lost"
            ? `; ${late}: it was called dead too early`
            : `; ${late} after its end, all refused`}
        {attempt.terminatePending === 1 ? "; its instance is still being ended" : null}
      </p>
      {beats.length === 0 ? null : (
        <Pulse
          beganAt={attempt.beganAt}
          until={until}
          phases={phases}
          beats={beats}
          verdict={judged ? { at: until, code: attempt.code ?? "unknown" } : null}
          alive={attempt.code === null && (open ? view.kind === "running" : true)}
          ongoing={open}
        />
      )}
      {attempt.detail === null || attempt.detail === "" ? null : (
        <p>
          <Crawled text={sentence(attempt.detail)} />
        </p>
      )}
      <EvidenceLines evidence={attempt.evidence} />
      <p class="command">
        <span class="quiet">Instance</span> <code>{attempt.instanceId}</code>
      </p>
      <pre class="command">
        <code>{command}</code>
        <Copy text={command} what="the command" />
      </pre>
    </article>
  );
};

/** Reads the instance's steps; of a local runtime through its port. */
function describeCommand(c: AppContext, instanceId: string): string {
  const command = `npx wrangler workflows instances describe ${WORKFLOW_NAME} ${instanceId}`;
  if (!isLocal(c.req.raw, c.env)) return command;
  const { port } = new URL(c.req.url);
  return `${command} --local${port === "" || port === "8787" ? "" : ` --port ${port}`}`;
}

function endWords(attempt: AttemptRow, running: AuditView | null): string {
  if (running !== null) return running.kind === "overdue" ? "overdue" : "at work";
  const by = attempt.endedBy === null ? "ended" : ENDED_BY_WORDS[attempt.endedBy].toLowerCase();
  return attempt.code === null ? by : `${wordsOf(attempt.code).title.toLowerCase()}; ${by}`;
}

const Decided: FC<{ decisions: readonly SupervisorDecision[]; now: number }> = ({ decisions, now }) => (
  <section aria-labelledby="decided">
    <h2 id="decided">What was decided about it</h2>
    {decisions.length === 0 ? (
      <p class="quiet">Nothing: it kept its promises, so nobody had to judge it.</p>
    ) : (
      <DecisionList decisions={decisions.map((decision) => ({ ...decision, url: null }))} now={now} />
    )}
  </section>
);
