/** GET /audits/:id/pages: every page that was requested, filtered and paged by the database. */
import type { FC } from "hono/jsx";
import { INDEXABILITY } from "../../../audit/checks/indexability.ts";
import { type ListedPage, PageViewRepository, STATUS_CLASSES } from "../../../storage/page-view-repository.ts";
import { formatDuration } from "../../../words.ts";
import type { AppContext } from "../../context.ts";
import { Choices, Empty, Pager, Search, withQuery } from "../parts/lists.tsx";
import { Address, Crawled } from "../parts/text.tsx";
import { readChoice, readCursor, readSearch } from "../query.ts";
import { bytesOf, count } from "../words.ts";
import { auditPage } from "./frame.tsx";
import { type AuditView, loadAudit } from "./load.ts";
import { failureWords, reasonWords } from "./reasons.ts";

const LIMIT = 100;
const CURSOR = /^([a-z0-9-]{0,40})\.(\d{1,12})$/;
const STATUS_TEXT = { "2xx": "2xx", "3xx": "3xx", "4xx": "4xx", "5xx": "5xx", none: "No answer" } as const;

export async function showPages(c: AppContext): Promise<Response> {
  const view = await loadAudit(c);
  const q = readSearch(c);
  const status = readChoice(c, "status", STATUS_CLASSES);
  const reason = readChoice(c, "reason", INDEXABILITY);
  const cursor = readCursor(c, CURSOR);
  const rows = await new PageViewRepository(c.var.watch.db).pages(
    view.audit.id,
    { q, status, reason },
    cursor === null ? null : { reason: cursor[1] ?? "", urlId: Number(cursor[2]) },
    LIMIT + 1,
  );
  const shown = rows.slice(0, LIMIT);
  const last = shown.at(-1);
  const next = rows.length > LIMIT && last !== undefined ? `${last.indexability}.${last.urlId}` : null;
  const path = `${view.path}/pages`;
  const query = { q, status, reason };
  return auditPage(
    c,
    view,
    { tab: "pages", title: "Pages" },
    <section aria-labelledby="pages">
      <h2 id="pages" class="sr">
        Pages
      </h2>
      <div class="filters">
        <Choices
          label="Status"
          choices={[null, ...STATUS_CLASSES].map((one) => ({
            text: one === null ? "All" : STATUS_TEXT[one],
            note: one === null || view.summary === null ? null : count(view.summary.statuses[one] ?? 0),
            href: withQuery(path, { ...query, status: one }),
            current: one === status,
          }))}
        />
        <Search path={path} label="Search addresses and titles" value={q} keep={{ status, reason }} />
      </div>
      <ReasonFilter view={view} path={path} query={query} />
      {shown.length === 0 ? (
        <NoPages view={view} filtered={q !== "" || status !== null || reason !== null} />
      ) : (
        <Table view={view} rows={shown} />
      )}
      <Pager path={path} query={{ ...query, cursor: c.req.query("cursor") }} next={next} what="pages" />
    </section>,
  );
}

const ReasonFilter: FC<{
  view: AuditView;
  path: string;
  query: { q: string; status: string | null; reason: string | null };
}> = ({ view, path, query }) => {
  const counts = view.summary?.indexability;
  const reasons = INDEXABILITY.filter((reason) =>
    counts === undefined ? reason === query.reason : (counts[reason] ?? 0) > 0,
  );
  if (reasons.length === 0) return null;
  return (
    <Choices
      label="Whether they can be indexed"
      choices={[null, ...reasons.toReversed()].map((reason) => ({
        text: reason === null ? "Whatever the index" : reasonWords(reason),
        note: reason === null || counts === undefined ? null : count(counts[reason] ?? 0),
        href: withQuery(path, { ...query, reason }),
        current: reason === query.reason,
      }))}
    />
  );
};

const NoPages: FC<{ view: AuditView; filtered: boolean }> = ({ view, filtered }) =>
  filtered ? (
    <Empty title="No page fits">
      <p>
        <a href={`${view.path}/pages`}>Show all pages</a>
      </p>
    </Empty>
  ) : (
    <Empty title="No page yet">
      <p>Pages appear here as soon as they have been crawled, 25 at a time.</p>
    </Empty>
  );

const Table: FC<{ view: AuditView; rows: readonly ListedPage[] }> = ({ view, rows }) => (
  <div class="table-wrap">
    <table class="stack pages">
      <thead>
        <tr>
          <th scope="col">Page</th>
          <th scope="col">Status</th>
          <th scope="col">Index</th>
          <th scope="col" class="num">
            Depth
          </th>
          <th scope="col" class="num">
            Links to it
          </th>
          <th scope="col" class="num">
            Words
          </th>
          <th scope="col" class="num">
            Size
          </th>
          <th scope="col" class="num">
            First byte
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            <th scope="row">
              <a href={`${view.path}/pages/${row.urlId}`}>
                <Address url={row.url} base={view.origin} />
              </a>
              {row.title === null || row.title === "" ? null : (
                <span class="sub">
                  <Crawled text={row.title} limit={120} />
                </span>
              )}
            </th>
            <td data-label="Status">
              <StatusCode status={row.status} failure={row.failure} />
            </td>
            <td data-label="Index">{reasonWords(row.indexability)}</td>
            <td class="num" data-label="Depth">
              {row.depth ?? "–"}
            </td>
            <td class="num" data-label="Links to it">
              {row.inlinks === null ? "–" : count(row.inlinks)}
            </td>
            <td class="num" data-label="Words">
              {row.wordCount === null ? "–" : count(row.wordCount)}
            </td>
            <td class="num" data-label="Size">
              {row.bytes === null ? "–" : bytesOf(row.bytes)}
            </td>
            <td class="num" data-label="First byte">
              {row.ttfbMs === null ? "–" : formatDuration(row.ttfbMs)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** "200", "404", or what came instead of a status. */
export const StatusCode: FC<{ status: number | null; failure?: string | null }> = ({ status, failure = null }) => {
  if (status === null)
    return <span class="code code-bad">{failure === null ? "no answer" : failureWords(failure)}</span>;
  const tone = status < 300 ? "good" : status < 400 ? "calm" : status < 500 ? "warn" : "bad";
  return <span class={`code code-${tone} num`}>{status}</span>;
};
