/**
 * GET /audits/:id/compare: beside the previous completed audit of the same site. The counts come from the summary; the
 * lists are made by comparing both audits' rows, which takes time that grows with their issues.
 */
import type { FC } from "hono/jsx";
import {
  type Change,
  type ChangeCursor,
  CHANGES,
  compareAudits,
  type Comparison,
  listChangedIssues,
  listChangedPages,
  previousAuditOf,
} from "../../../audit/analysis/compare.ts";
import { checkById } from "../../../audit/checks/catalogue.ts";
import type { Evidence } from "../../../audit/checks/check.ts";
import type { AppContext } from "../../context.ts";
import { Choices, Empty, Pager, withQuery } from "../parts/lists.tsx";
import { SeverityMark } from "../parts/marks.tsx";
import { Address, Crawled } from "../parts/text.tsx";
import { DateTime } from "../parts/time.tsx";
import { readChoice, readCursor, readInteger } from "../query.ts";
import { count, SEVERITY_WORDS } from "../words.ts";
import { auditPage } from "./frame.tsx";
import { type AuditView, loadAudit } from "./load.ts";
import { StatusCode } from "./pages-table.tsx";

const LIMIT = 50;
const CURSOR = /^([01]):([a-z0-9.-]{1,60}):(-?\d{1,12})$/;
const VIEWS = [...CHANGES, "pages_new", "pages_gone"] as const;
type CompareView = (typeof VIEWS)[number];
const VIEW_WORDS: Readonly<Record<CompareView, string>> = {
  new: "New findings",
  fixed: "Fixed",
  still: "Still there",
  not_seen: "Cannot be told",
  pages_new: "New pages",
  pages_gone: "Pages gone",
};

export async function showCompare(c: AppContext): Promise<Response> {
  const view = await loadAudit(c);
  const { db } = c.var.watch;
  const { audit, summary } = view;
  const previousId = summary?.comparison?.previousAuditId ?? (await previousAuditOf(db, audit.id));
  const previous = previousId === null ? null : await c.var.watch.audits.find(previousId, audit.organizationId);
  if (audit.status !== "completed" || previousId === null || previous === null) {
    return auditPage(
      c,
      view,
      { tab: "compare", title: "Compare" },
      <NoComparison view={view} gone={previousId !== null && previous === null} />,
    );
  }
  const comparison: Comparison = summary?.comparison ?? (await compareAudits(db, audit.id, previousId));
  const shown = readChoice(c, "show", VIEWS) ?? "new";
  const path = `${view.path}/compare`;
  const choices = VIEWS.map((name) => ({
    text: VIEW_WORDS[name],
    note: count(countsOf(comparison)[name]),
    href: withQuery(path, { show: name }),
    current: name === shown,
  })).filter(({ note, current, text }) => current || note !== "0" || text !== VIEW_WORDS.not_seen);
  return auditPage(
    c,
    view,
    { tab: "compare", title: "Compare" },
    <section aria-labelledby="compare">
      <h2 id="compare">Since the audit before</h2>
      <p class="lede">
        Beside the audit of <DateTime at={previous.audit.createdAt} /> (<a href={`/audits/${previousId}`}>open it</a>):{" "}
        {comparisonWords(comparison)}
      </p>
      <Choices label="What to show" choices={choices} />
      {shown === "pages_new" || shown === "pages_gone" ? (
        <ChangedPages
          list={await pagesOf(c, view, previousId, shown)}
          path={path}
          shown={shown}
          cursor={c.req.query("cursor")}
        />
      ) : (
        <ChangedIssues
          list={await issuesOf(c, view, previousId, shown)}
          view={view}
          path={path}
          shown={shown}
          cursor={c.req.query("cursor")}
        />
      )}
    </section>,
  );
}

const countsOf = ({ issues, pages }: Comparison): Record<CompareView, number> => ({
  ...issues,
  pages_new: pages.new,
  pages_gone: pages.gone,
});

export function comparisonWords({ issues, pages }: Comparison): string {
  if (issues.new + issues.fixed + pages.new + pages.gone === 0) return "nothing has changed.";
  const findings = `${count(issues.new)} new, ${count(issues.fixed)} fixed, ${count(issues.still)} still there`;
  return `findings ${findings}; pages ${count(pages.new)} new, ${count(pages.gone)} gone.`;
}

const NoComparison: FC<{ view: AuditView; gone: boolean }> = ({ view: { audit, host }, gone }) =>
  audit.status === "completed" ? (
    <Empty title={gone ? "The audit before has been deleted" : "Nothing to compare with yet"}>
      <p>
        This page sets an audit beside the one before of the same site: what is new, what is fixed, what is still there.
        Start another audit of {host} after something has changed, and it will be filled.
      </p>
    </Empty>
  ) : (
    <Empty title="Not completed, so not compared">
      <p>Only completed audits are compared: what a cut one did not find may well be there.</p>
    </Empty>
  );

const issuesOf = (c: AppContext, view: AuditView, previousAuditId: string, change: Change) => {
  const cursor = readCursor(c, CURSOR);
  const after: ChangeCursor | null =
    cursor === null ? null : { side: Number(cursor[1]), check: cursor[2] ?? "", urlId: Number(cursor[3]) };
  return listChangedIssues(
    c.var.watch.db,
    { auditId: view.audit.id, previousAuditId },
    { change, after, limit: LIMIT },
  );
};

const ChangedIssues: FC<{
  list: Awaited<ReturnType<typeof listChangedIssues>>;
  view: AuditView;
  path: string;
  shown: CompareView;
  cursor: string | undefined;
}> = ({ list: { items, next }, view, path, shown, cursor }) => (
  <>
    {items.length === 0 ? (
      <Empty title="None">
        <p>{shown === "new" ? "No finding is new since the audit before." : "Nothing falls under this heading."}</p>
      </Empty>
    ) : (
      <ul class="places">
        {items.map(({ check, severity, url, evidence }) => (
          <li>
            <p class="place-head">
              <SeverityMark severity={severity}>
                <span class="sr">{SEVERITY_WORDS[severity].one}: </span>
                {shown === "fixed" ? (
                  <b>{checkById(check)?.title ?? check}</b>
                ) : (
                  <a href={`${view.path}/findings/${encodeURIComponent(check)}`}>{checkById(check)?.title ?? check}</a>
                )}
              </SeverityMark>
            </p>
            <p>{url === "" ? "The site as a whole" : <Address url={url} base={view.origin} />}</p>
            <p class="quiet">
              <Crawled text={(JSON.parse(evidence) as Evidence).message} limit={400} />
            </p>
          </li>
        ))}
      </ul>
    )}
    <Pager
      path={path}
      query={{ show: shown, cursor }}
      next={next === null ? null : `${next.side}:${next.check}:${next.urlId}`}
      what="changes"
    />
  </>
);

const pagesOf = (c: AppContext, view: AuditView, previousAuditId: string, shown: "pages_new" | "pages_gone") =>
  listChangedPages(
    c.var.watch.db,
    { auditId: view.audit.id, previousAuditId },
    {
      change: shown === "pages_new" ? "new" : "gone",
      afterId: Math.max(0, readInteger(c, "cursor") ?? 0),
      limit: LIMIT,
    },
  );

const ChangedPages: FC<{
  list: Awaited<ReturnType<typeof listChangedPages>>;
  path: string;
  shown: CompareView;
  cursor: string | undefined;
}> = ({ list: { items, nextId }, path, shown, cursor }) => (
  <>
    {items.length === 0 ? (
      <Empty title="None">
        <p>
          {shown === "pages_new" ? "No page is new since the audit before." : "No page is gone since the audit before."}
        </p>
      </Empty>
    ) : (
      <ul class="places">
        {items.map(({ url, status, title }) => (
          <li>
            <p class="place-head">
              <StatusCode status={status} /> <Address url={url} />
            </p>
            {title === null ? null : (
              <p class="quiet">
                <Crawled text={title} limit={200} />
              </p>
            )}
          </li>
        ))}
      </ul>
    )}
    <Pager path={path} query={{ show: shown, cursor }} next={nextId === null ? null : String(nextId)} what="pages" />
  </>
);
