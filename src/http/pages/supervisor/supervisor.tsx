/** GET /supervisor: is it on time, what has it done, and how well. */
import type { Child, FC } from "hono/jsx";
import {
  type Detection,
  type OwnDecision,
  SupervisionViewRepository,
} from "../../../storage/supervision-view-repository.ts";
import type { SupervisorState } from "../../../storage/supervisor-repository.ts";
import { reconcileStaleAudits } from "../../../supervision/run-sweep.ts";
import { type SupervisorHealth, supervisorHealth } from "../../../supervision/supervisor-health.ts";
import { formatDuration } from "../../../words.ts";
import { isLocal } from "../../auth/local.ts";
import type { AppContext } from "../../context.ts";
import { csrfField } from "../csrf.tsx";
import { Live, LiveBar, livePart, page } from "../layout.tsx";
import { Notice, type NoticeCode, withNotice } from "../notices.tsx";
import { Empty, Pager } from "../parts/lists.tsx";
import { Answer } from "../parts/marks.tsx";
import { Ago } from "../parts/time.tsx";
import { Figure } from "../parts/figure.tsx";
import { readInteger } from "../query.ts";
import { count, plural } from "../words.ts";
import { viewerOf } from "../viewer.ts";
import { DecisionList } from "./decisions.tsx";
import { DeathsByDay, DetectionPlot, FalseAlarms, isFalseAlarm } from "./detection.tsx";
import { RunStrip, type Slot, SLOTS, slotsOf } from "./run-strip.tsx";

const DECISIONS = 20;
const DAYS = 14;
const MAX_DETECTIONS = 500;
const EVERY_MS = 10_000;

interface Status {
  state: SupervisorState;
  health: SupervisorHealth;
  running: number;
  overdue: number;
  slots: Slot[];
  now: number;
}

async function loadStatus(c: AppContext): Promise<Status> {
  const { watch } = c.var;
  const { state, now } = await watch.supervisor.state();
  const interval = watch.config.CRON_INTERVAL_MS;
  const since = now - (SLOTS + 1) * interval;
  const [counts, runs] = await Promise.all([
    watch.looks.counts(),
    new SupervisionViewRepository(watch.db).runsSince(since, 4 * SLOTS),
  ]);
  const first = state.lastFinishedAt === null ? null : (runs[0]?.startedAt ?? since);
  const health = supervisorHealth(state, null, now, watch.config);
  return { state, health, ...counts, slots: slotsOf(runs, now, interval, first), now };
}

export async function showSupervisor(c: AppContext): Promise<Response> {
  const { watch, caller } = c.var;
  const repository = new SupervisionViewRepository(watch.db);
  const status = await loadStatus(c);
  const [decisions, detections] = await Promise.all([
    repository.decisions(caller.organizationId, readInteger(c, "cursor"), DECISIONS + 1),
    repository.detections(caller.organizationId, DAYS, MAX_DETECTIONS),
  ]);
  return page(
    c,
    { title: "Supervisor", section: "supervisor", now: status.now },
    <>
      <Notice c={c} />
      <LiveBar href="/supervisor" />
      <StatusPart c={c} status={status} />
      <Explained c={c} />
      <Decisions c={c} decisions={decisions} now={status.now} />
      <Detections c={c} detections={detections} />
    </>,
  );
}

/** GET /supervisor/live */
export async function showSupervisorLive(c: AppContext): Promise<Response> {
  const status = await loadStatus(c);
  const { state, health, running, overdue, slots, now } = status;
  return livePart(c, { parts: [state, health.late, running, overdue, slots], now }, () => (
    <StatusPart c={c} status={status} />
  ));
}

const StatusPart: FC<{ c: AppContext; status: Status }> = ({ c, status }) => {
  const { state, health, running, overdue, slots, now } = status;
  const { config } = c.var.watch;
  return (
    <Live id="live" src="/supervisor/live" everyMs={EVERY_MS} state="supervisor" now={now}>
      <h1 class="sr">Supervisor</h1>
      <Answer
        kind={
          health.late
            ? "failed"
            : state.heldSweeps > 0
              ? "overdue"
              : state.lastFinishedAt === null
                ? "running"
                : "completed"
        }
      >
        <OnTime status={status} interval={config.CRON_INTERVAL_MS} />
      </Answer>
      {state.heldSweeps > 0 ? <Held state={state} now={now} /> : null}
      <RunStrip slots={slots} />
      <dl class="figures">
        <Figure name="Running audits">{count(running)}</Figure>
        <Figure name="Overdue now">{count(overdue)}</Figure>
        <Figure name="Last run finished">
          {state.lastFinishedAt === null ? "never" : <Ago at={state.lastFinishedAt} now={now} />}
        </Figure>
        <Figure name="Cron last seen">
          {state.lastCronAt === null ? "never" : <Ago at={state.lastCronAt} now={now} />}
        </Figure>
        <Figure name="Runs every">{formatDuration(config.CRON_INTERVAL_MS)}</Figure>
      </dl>
    </Live>
  );
};

const OnTime: FC<{ status: Status; interval: number }> = ({ status: { state, health, overdue, now }, interval }) => {
  if (health.late) return <>{health.note}</>;
  if (state.lastFinishedAt === null) {
    return (
      <>
        The supervisor has not run yet; the cron starts it every {formatDuration(interval)}. The first run fills this
        page.
      </>
    );
  }
  const rest: Child =
    overdue === 0
      ? "no audit is overdue"
      : `${plural(overdue, "audit")} ${overdue === 1 ? "is" : "are"} overdue and watched`;
  return (
    <>
      The supervisor is on time: it finished a run <Ago at={state.lastFinishedAt} now={now} />, and {rest}.
    </>
  );
};

/** A held sweep must not be a riddle. */
const Held: FC<{ state: SupervisorState; now: number }> = ({ state, now }) => (
  <section class="failure" aria-labelledby="held">
    <h2 id="held">Held: too many would have been ended at once</h2>
    <p>
      {plural(state.heldSweeps, "sweep")} in a row would have ended{" "}
      {state.heldCount === null ? "many" : count(state.heldCount)} audits as lost
      {state.heldSince === null ? null : (
        <>
          , the first <Ago at={state.heldSince} now={now} />
        </>
      )}
      . When so many fall silent together, the platform itself may have failed, or a Workflow binding may have been
      renamed, so nobody is ended yet. If three sweeps in a row say the same, they act.
    </p>
    <p>
      Check cloudflarestatus.com and the bindings in wrangler.toml. To end them now:{" "}
      <code>npm run audit -- sweep --force</code>
    </p>
  </section>
);

const Explained: FC<{ c: AppContext }> = ({ c }) => {
  const local = isLocal(c.req.raw, c.env);
  return (
    <section class="side-by-side" aria-label="What it does">
      <p>
        The supervisor is a Workflow that the cron starts. It reads the audits that have broken their promise of a
        heartbeat, asks the platform about each, and ends those whose compute is dead. Healthy audits are never read.
      </p>
      <div class="buttons">
        {viewerOf(c)?.mayWrite === true ? (
          <form method="post" action="/supervisor/run">
            {csrfField(c)}
            <button type="submit" class="button">
              Run now
            </button>
          </form>
        ) : null}
        {local ? (
          <a class="button button-quiet" href="/cdn-cgi/local/explorer/">
            Local explorer
          </a>
        ) : (
          <a
            class="button button-quiet"
            href="https://dash.cloudflare.com/?to=/:account/workers/workflows"
            rel="noreferrer noopener"
          >
            Cloudflare dashboard
          </a>
        )}
      </div>
    </section>
  );
};

const Decisions: FC<{ c: AppContext; decisions: readonly OwnDecision[]; now: number }> = ({ c, decisions, now }) => {
  const shown = decisions.slice(0, DECISIONS);
  const next = decisions.length > DECISIONS ? String(shown.at(-1)?.id) : null;
  return (
    <section aria-labelledby="decisions">
      <h2 id="decisions">Decisions</h2>
      {shown.length === 0 ? (
        <Empty title="Nothing had to be decided">
          <p>
            A decision stands here whenever the verdict on an overdue audit changes, with the row of the rule that
            applied and its numbers. Audits that keep their promises leave no trace.
          </p>
        </Empty>
      ) : (
        <DecisionList decisions={shown} now={now} />
      )}
      <Pager path="/supervisor" query={{ cursor: c.req.query("cursor") }} next={next} what="decisions" />
    </section>
  );
};

const Detections: FC<{ c: AppContext; detections: readonly Detection[] }> = ({ c, detections }) => (
  <>
    <section aria-labelledby="deaths">
      <h2 id="deaths">Zombies found, last {DAYS} days</h2>
      {detections.length === 0 ? (
        <Empty title="None">
          <p>
            An audit whose compute died, and which somebody else had to end, is counted here by day and by code. None
            did.
          </p>
        </Empty>
      ) : (
        <>
          <DeathsByDay detections={detections} />
          <h3>How long it took to see them</h3>
          <p class="quiet">
            From the last heartbeat to the verdict, one dot each. The line is the bound that holds while nobody looks
            and no slot is missed.
          </p>
          <DetectionPlot detections={detections} config={c.var.watch.config} />
        </>
      )}
    </section>
    <section aria-labelledby="alarms">
      <h2 id="alarms">
        False alarms <span class="quiet num">{count(detections.filter(isFalseAlarm).length)}</span>
      </h2>
      <FalseAlarms detections={detections} />
    </section>
  </>
);

/** POST /supervisor/run: sweeps in this request. */
export async function runSupervisor(c: AppContext): Promise<Response> {
  const { now } = await c.var.watch.supervisor.state();
  const report = await reconcileStaleAudits(c.env, c.var.watch, {
    runId: `manual-${crypto.randomUUID()}`,
    startedBy: "manual",
    slotAt: now,
  });
  const notice: NoticeCode =
    report.outcome === "lease_taken" ? "lease_taken" : report.outcome === "held" ? "sweep_held" : "swept";
  return c.redirect(withNotice("/supervisor", notice), 303);
}
