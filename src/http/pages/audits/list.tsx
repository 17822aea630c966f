/** GET /: is everything all right, start an audit, and all audits newest first. */
import type { Child, FC } from "hono/jsx";
import { AuditViewRepository, type Alarms, type ListedAudit } from "../../../storage/audit-view-repository.ts";
import { AUDIT_STATUSES, type Phase } from "../../../storage/schema.ts";
import { wordsOf } from "../../../supervision/audit-errors.ts";
import { type SupervisorHealth, supervisorHealth } from "../../../supervision/supervisor-health.ts";
import { formatDuration } from "../../../words.ts";
import type { AppContext } from "../../context.ts";
import { hostOf, kindOf } from "../audit/load.ts";
import { Live, LiveBar, livePart, page } from "../layout.tsx";
import { Notice } from "../notices.tsx";
import { Progress } from "../parts/charts.tsx";
import { Choices, Empty, Pager, Search, withQuery } from "../parts/lists.tsx";
import { Answer, SeverityTrio, StatusMark } from "../parts/marks.tsx";
import { Address, Crawled } from "../parts/text.tsx";
import { Ago, DateTime } from "../parts/time.tsx";
import { readChoice, readCursor, readSearch } from "../query.ts";
import { count, lower, PHASE_WORDS, plural, STATUS_WORDS } from "../words.ts";
import { viewerOf } from "../viewer.ts";
import { NO_FIELDS, type StartFields } from "./read-start-form.ts";
import { StartForm } from "./start-form.tsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";

const LIMIT = 25;
const CURSOR = /^(\d{1,15})\.([0-9a-z]{1,40})$/;

interface ListView {
  rows: ListedAudit[];
  next: string | null;
  alarms: Alarms;
  supervisor: SupervisorHealth;
  query: { q: string; status: string | null; cursor: string | undefined };
  filtered: boolean;
  now: number;
}

async function loadList(c: AppContext): Promise<ListView> {
  const { watch, caller } = c.var;
  const repository = new AuditViewRepository(watch.db);
  const q = readSearch(c);
  const status = readChoice(c, "status", AUDIT_STATUSES);
  const cursor = readCursor(c, CURSOR);
  const before = cursor === null ? null : { createdAt: Number(cursor[1]), id: cursor[2] ?? "" };
  const [{ audits, now }, alarms, { state }] = await Promise.all([
    repository.list(caller.organizationId, { status, q, before, limit: LIMIT + 1 }),
    repository.alarms(caller.organizationId),
    watch.supervisor.state(),
  ]);
  const rows = audits.slice(0, LIMIT);
  const last = rows.at(-1);
  return {
    rows,
    next: audits.length > LIMIT && last !== undefined ? `${last.createdAt}.${last.id}` : null,
    alarms,
    supervisor: supervisorHealth(state, last?.createdAt ?? null, now, watch.config),
    query: { q, status, cursor: c.req.query("cursor") },
    filtered: q !== "" || status !== null || before !== null,
    now,
  };
}

export async function showList(
  c: AppContext,
  form: {
    fields: StartFields;
    problem: { message: string; hint: string | null };
    status: ContentfulStatusCode;
  } | null = null,
): Promise<Response> {
  const view = await loadList(c);
  const { query, alarms, now } = view;
  const mayWrite = viewerOf(c)?.mayWrite === true;
  return page(
    c,
    { title: "Audits", section: "audits", now, status: form?.status ?? 200 },
    <>
      <h1 class="sr">Audits</h1>
      <Notice c={c} />
      <AnswerLine view={view} />
      {mayWrite ? <StartForm c={c} fields={form?.fields ?? NO_FIELDS} problem={form?.problem ?? null} /> : null}
      {!alarms.any ? (
        <FirstAudit />
      ) : (
        <section aria-labelledby="audits">
          <div class="section-head">
            <h2 id="audits">Audits</h2>
            {alarms.running > 0 ? <LiveBar href={withQuery("/", query)} /> : null}
          </div>
          <div class="filters">
            <Choices
              label="Status"
              choices={[null, ...AUDIT_STATUSES].map((status) => ({
                text: status === null ? "All" : STATUS_WORDS[status],
                href: withQuery("/", { q: query.q, status }),
                current: status === query.status,
              }))}
            />
            <Search path="/" label="Search by address" value={query.q} keep={{ status: query.status }} />
          </div>
          <ListPart view={view} />
          <Pager path="/" query={query} next={view.next} what="audits" />
        </section>
      )}
    </>,
  );
}

/** GET /audits/live: the rows, while something runs. */
export async function showListLive(c: AppContext): Promise<Response> {
  const view = await loadList(c);
  const { rows, now, alarms } = view;
  return livePart(
    c,
    { parts: [rows.map(({ ...row }) => ({ ...row, now: 0, kind: kindOf(row, now) })), alarms], now },
    () => <ListPart view={view} />,
  );
}

const ListPart: FC<{ view: ListView }> = ({ view }) => {
  const { rows, query, alarms, now } = view;
  return (
    <Live
      id="live"
      src={alarms.running > 0 ? withQuery("/audits/live", query) : null}
      everyMs={3_000}
      state={`${alarms.running}`}
      now={now}
    >
      {rows.length === 0 ? (
        <Empty title="No audit fits">
          <p>
            <a href="/">Show all audits</a>
          </p>
        </Empty>
      ) : (
        <ul class="audits">
          {rows.map((row) => (
            <Row row={row} now={now} />
          ))}
        </ul>
      )}
    </Live>
  );
};

/** Alarms in their order: the supervisor late, audits overdue, audits failed since yesterday. */
const AnswerLine: FC<{ view: ListView }> = ({ view: { alarms, supervisor, now } }) => {
  if (supervisor.late) {
    return (
      <Answer kind="failed">
        {supervisor.note} <a href="/supervisor">See the supervisor</a>
      </Answer>
    );
  }
  if (alarms.overdue > 0) {
    return (
      <Answer kind="overdue">
        {plural(alarms.overdue, "audit")} of {alarms.running} running {alarms.overdue === 1 ? "is" : "are"} overdue: a
        promised heartbeat has not come. The supervisor is watching; nothing has to be done.
      </Answer>
    );
  }
  if (alarms.failed > 0) {
    return (
      <Answer kind="failed">
        {plural(alarms.failed, "audit")} failed since yesterday.{" "}
        <a href={alarms.failed === 1 && alarms.failedId !== null ? `/audits/${alarms.failedId}` : "/?status=failed"}>
          See why
        </a>
      </Answer>
    );
  }
  const seen: Child =
    supervisor.lastFinishedAt === null ? (
      "the supervisor has not run yet"
    ) : (
      <>
        the supervisor finished a run <Ago at={supervisor.lastFinishedAt} now={now} />
      </>
    );
  return (
    <Answer kind="completed">
      Everything is all right:{" "}
      {alarms.running === 0
        ? "no audit is running"
        : `${plural(alarms.running, "audit")} ${alarms.running === 1 ? "is" : "are"} running and well`}
      , {seen}.
    </Answer>
  );
};

const Row: FC<{ row: ListedAudit; now: number }> = ({ row, now }) => {
  const kind = kindOf({ ...row }, now);
  const running = row.status === "running";
  return (
    <li class="audit-row">
      <a class="audit-link" href={`/audits/${row.id}`}>
        <span class="audit-host">
          <Crawled text={hostOf(row.siteOrigin ?? row.url)} limit={120} />
        </span>
        <span class="audit-path">
          <Address url={row.url} />
        </span>
      </a>
      <div class="audit-state">
        <StatusMark kind={kind} />
        <span class="quiet audit-note">
          <RowNote row={row} now={now} />
        </span>
      </div>
      <div class="audit-result">
        {running ? (
          <>
            <Progress done={row.pagesCrawled} of={row.pagesTotal} label="Pages crawled" />
            <span class="quiet num">
              {count(row.pagesCrawled)}
              {row.pagesTotal > row.pagesCrawled ? ` of about ${count(row.pagesTotal)}` : ""} pages
            </span>
          </>
        ) : (
          <>
            {row.errors === null ? null : (
              <SeverityTrio error={row.errors} warning={row.warnings ?? 0} notice={row.notices ?? 0} />
            )}
            <span class="quiet num">{plural(row.pagesCrawled, "page")}</span>
          </>
        )}
      </div>
      <div class="audit-score num">
        {row.score === null ? (
          <span class="sr">no score</span>
        ) : (
          <>
            {row.score}
            <small>health</small>
          </>
        )}
      </div>
    </li>
  );
};

const RowNote: FC<{ row: ListedAudit; now: number }> = ({ row, now }) => {
  if (row.status === "running") {
    return (
      <>
        {lower(PHASE_WORDS[row.phase as Phase].doing)}, last heartbeat <Ago at={row.heartbeatAt} now={now} />
      </>
    );
  }
  const when = <DateTime at={row.endedAt ?? row.createdAt} />;
  if (row.status === "failed") {
    return (
      <>
        {lower(wordsOf(row.errorCode ?? "unknown").title)}, {when}
      </>
    );
  }
  if (row.status === "canceled") return when;
  return (
    <>
      in {formatDuration((row.endedAt ?? row.heartbeatAt) - row.attemptStartedAt)}, {when}
    </>
  );
};

const FirstAudit: FC = () => (
  <Empty title="No audit yet">
    <p>
      An audit crawls a site as a search engine would, keeps to its robots.txt, and tells what keeps pages from being
      found or visitors from getting on. Give an address above, or start one from a terminal:
    </p>
    <pre>
      <code>npm run audit -- https://example.com</code>
    </pre>
    <p>Audits stand here newest first, and while one runs you can watch it.</p>
  </Empty>
);
