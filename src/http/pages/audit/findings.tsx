/** GET /audits/:id/findings: by check, and of one check with every place that it is about. */
import type { FC } from "hono/jsx";
import { checkById } from "../../../audit/checks/catalogue.ts";
import type { Evidence } from "../../../audit/checks/check.ts";
import { type LinkedAddress, PageViewRepository } from "../../../storage/page-view-repository.ts";
import { type Severity, SEVERITIES } from "../../../storage/schema.ts";
import type { AppContext } from "../../context.ts";
import { Problem } from "../../problems.ts";
import { Choices, Empty, Pager, Search, withQuery } from "../parts/lists.tsx";
import { SeverityMark } from "../parts/marks.tsx";
import { Address, Crawled, Outward } from "../parts/text.tsx";
import { readChoice, readInteger, readSearch } from "../query.ts";
import { count, plural, SEVERITY_WORDS } from "../words.ts";
import { CheckList, CheckWords, countOf } from "./check-list.tsx";
import { byCheck, type FoundCheck, loadFindings } from "./findings-by-check.ts";
import { auditPage } from "./frame.tsx";
import { type AuditView, loadAudit } from "./load.ts";

const LIMIT = 50;
const SHOWN_SOURCES = 3;
const SHOWN_MEMBERS = 5;

export async function showFindings(c: AppContext): Promise<Response> {
  const view = await loadAudit(c);
  const all = await loadFindings(c, view);
  const q = readSearch(c);
  const severity = readChoice(c, "severity", SEVERITIES);
  const wanted = (check: FoundCheck): boolean =>
    (severity === null || check.counts[severity] > 0) &&
    `${check.id} ${check.title} ${check.why}`.toLowerCase().includes(q.toLowerCase());
  const filtered = q !== "" || severity !== null;
  const findings = { ...all, found: all.found.filter(wanted), passed: filtered ? null : all.passed };
  const path = `${view.path}/findings`;
  const choices = [
    { text: "All", value: null, note: null },
    ...SEVERITIES.map((value) => ({
      text: capital(SEVERITY_WORDS[value].many),
      value,
      note: `${count(all.counts[value])}${all.atLeast ? "+" : ""}`,
    })),
  ].map(({ text, value, note }) => ({
    text,
    note,
    href: withQuery(path, { q, severity: value }),
    current: value === severity,
  }));
  return auditPage(
    c,
    view,
    { tab: "findings", title: "Findings" },
    <section aria-labelledby="found">
      <h2 id="found" class="sr">
        Findings by check
      </h2>
      <div class="filters">
        <Choices label="Severity" choices={choices} />
        <Search path={path} label="Search the checks" value={q} keep={{ severity }} />
      </div>
      {findings.found.length === 0 ? <NothingFound view={view} filtered={filtered} /> : null}
      <CheckList path={view.path} findings={findings} />
    </section>,
  );
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const NothingFound: FC<{ view: AuditView; filtered: boolean }> = ({ view: { audit, path }, filtered }) => {
  if (filtered) {
    return (
      <Empty title="No check fits">
        <p>
          <a href={`${path}/findings`}>Show all findings</a>
        </p>
      </Empty>
    );
  }
  if (audit.status === "completed") {
    return (
      <Empty title="Nothing was found wrong">
        <p>Every check that could be judged on this site has passed.</p>
      </Empty>
    );
  }
  return (
    <Empty title="Nothing yet">
      <p>Findings about single pages appear as they are crawled; those about the whole site come at the end.</p>
    </Empty>
  );
};

/** GET /audits/:id/findings/:check */
export async function showCheck(c: AppContext): Promise<Response> {
  const view = await loadAudit(c);
  const id = c.req.param("check") ?? "";
  const words = checkById(id);
  if (words === undefined) {
    throw new Problem(
      404,
      "check_unknown",
      "There is no such check.",
      "The findings of the audit list those there are.",
    );
  }
  const q = readSearch(c);
  const repository = new PageViewRepository(c.var.watch.db);
  const rows = await repository.issues(view.audit.id, id, {
    q,
    afterUrlId: readInteger(c, "cursor") ?? Number.MIN_SAFE_INTEGER,
    limit: LIMIT + 1,
  });
  const shown = rows.slice(0, LIMIT);
  const places = shown.map((row) => ({
    ...row,
    sources: readSources(row.sources),
    evidence: JSON.parse(row.evidence) as Evidence,
  }));
  const ids = places.flatMap(({ sources, evidence }) => [
    ...sources.slice(0, SHOWN_SOURCES).map(([source]) => source),
    ...(evidence.members ?? []).slice(0, SHOWN_MEMBERS),
  ]);
  const addresses = await repository.addresses(view.audit.id, ids);
  const counted =
    view.summary === null
      ? (await loadFindings(c, view)).found.find((found) => found.id === id)
      : byCheck(
          view.summary.byCheck.filter(({ check }) => check === id),
          null,
        )[0];
  const path = `${view.path}/findings/${encodeURIComponent(id)}`;
  const next = rows.length > LIMIT ? String(shown.at(-1)?.urlId) : null;
  return auditPage(
    c,
    view,
    { tab: "findings", title: words.title },
    <section aria-labelledby="check">
      <p class="crumb">
        <a href={`${view.path}/findings`}>All findings</a>
      </p>
      <h2 id="check">
        <SeverityMark severity={counted?.severity ?? words.severity}>
          <span class="sr">{SEVERITY_WORDS[counted?.severity ?? words.severity].one}: </span>
          {words.title}
        </SeverityMark>
      </h2>
      <CheckWords check={words} />
      <div class="filters">
        <p class="quiet">
          {counted === undefined
            ? "Found nowhere."
            : `Found in ${countOf(counted)} ${counted.total === 1 ? "place" : "places"}.`}
        </p>
        <Search path={path} label="Search addresses and evidence" value={q} />
      </div>
      {places.length === 0 ? (
        <Empty title={q === "" ? "No place" : "No place fits"}>
          <p>{q === "" ? "This check has found nothing wrong in this audit." : <a href={path}>Show all places</a>}</p>
        </Empty>
      ) : (
        <ul class="places">
          {places.map((place) => (
            <Place view={view} place={place} addresses={addresses} />
          ))}
        </ul>
      )}
      <Pager path={path} query={{ q, cursor: c.req.query("cursor") }} next={next} what="places" />
    </section>,
  );
}

type Source = [number, string?];
export const readSources = (json: string | null): Source[] => (json === null ? [] : (JSON.parse(json) as Source[]));

interface PlaceRow {
  urlId: number;
  url: string | null;
  isPage: number;
  severity: Severity;
  evidence: Evidence;
  sources: Source[];
  sourceCount: number | null;
}

const Place: FC<{ view: AuditView; place: PlaceRow; addresses: ReadonlyMap<number, LinkedAddress> }> = ({
  view,
  place,
  addresses,
}) => {
  const { urlId, url, isPage, severity, evidence, sources, sourceCount } = place;
  const about = url ?? evidence.target ?? null;
  const members = (evidence.members ?? []).slice(0, SHOWN_MEMBERS).flatMap((id) => addresses.get(id) ?? []);
  const memberCount = evidence.memberCount ?? evidence.members?.length ?? 0;
  return (
    <li>
      <p class="place-head">
        <SeverityMark severity={severity}>
          <span class="sr">{SEVERITY_WORDS[severity].one} </span>
        </SeverityMark>
        {about === null || urlId <= 0 ? (
          <b>{about === null ? "The site as a whole" : <Address url={about} base={view.origin} />}</b>
        ) : isPage === 1 ? (
          <a href={`${view.path}/pages/${urlId}`}>
            <Address url={about} base={view.origin} />
          </a>
        ) : (
          <Outward url={about} />
        )}
      </p>
      <p>
        <Crawled text={evidence.message} limit={600} />
      </p>
      {evidence.found === undefined || evidence.found === "" ? null : (
        <pre class="found">
          <code>
            <Crawled text={evidence.found} limit={600} />
          </code>
        </pre>
      )}
      {evidence.target === undefined || url === null ? null : (
        <p class="quiet">
          points at <Outward url={evidence.target} />
        </p>
      )}
      {members.length === 0 ? null : (
        <p class="quiet">
          {plural(memberCount, "page")}:{" "}
          {members.map(({ id, url: member }, at) => (
            <>
              {at === 0 ? "" : ", "}
              <a href={`${view.path}/pages/${id}`}>
                <Address url={member} base={view.origin} />
              </a>
            </>
          ))}
          {memberCount > members.length ? ", …" : ""}
        </p>
      )}
      <Sources view={view} sources={sources} total={sourceCount} addresses={addresses} />
    </li>
  );
};

const Sources: FC<{
  view: AuditView;
  sources: Source[];
  total: number | null;
  addresses: ReadonlyMap<number, LinkedAddress>;
}> = ({ view, sources, total, addresses }) => {
  const known = sources.slice(0, SHOWN_SOURCES).flatMap(([id, anchor]) => {
    const address = addresses.get(id);
    return address === undefined ? [] : [{ id, url: address.url, anchor: anchor ?? "" }];
  });
  if (known.length === 0) return null;
  const all = Math.max(total ?? 0, sources.length);
  return (
    <p class="quiet">
      linked from{" "}
      {known.map(({ id, url, anchor }, at) => (
        <>
          {at === 0 ? "" : ", "}
          <a href={`${view.path}/pages/${id}`}>
            <Address url={url} base={view.origin} />
          </a>
          {anchor === "" ? null : (
            <>
              {" "}
              (“
              <Crawled text={anchor} limit={80} />
              ”)
            </>
          )}
        </>
      ))}
      {all > known.length ? ` and ${plural(all - known.length, "more page")}` : ""}
    </p>
  );
};
