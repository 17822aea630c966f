/** GET /audits/:id/pages/:page: everything that is known of one page. */
import type { Child, FC } from "hono/jsx";
import { checkById, CHECKS } from "../../../audit/checks/catalogue.ts";
import type { Evidence } from "../../../audit/checks/check.ts";
import { type LinkedAddress, type PageDetail, PageViewRepository } from "../../../storage/page-view-repository.ts";
import { type Severity, SOURCE } from "../../../storage/schema.ts";
import { formatDuration } from "../../../words.ts";
import type { AppContext } from "../../context.ts";
import { Problem } from "../../problems.ts";
import { Pager } from "../parts/lists.tsx";
import { SeverityMark } from "../parts/marks.tsx";
import { Address, Copy, Crawled, Outward } from "../parts/text.tsx";
import { DateTime } from "../parts/time.tsx";
import { readInteger } from "../query.ts";
import { bytesOf, count, plural, SEVERITY_WORDS } from "../words.ts";
import { readSources } from "./findings.tsx";
import { auditPage } from "./frame.tsx";
import { LinkTable, type ShownLink } from "./links.tsx";
import { type AuditView, loadAudit } from "./load.ts";
import { StatusCode } from "./pages-table.tsx";
import { failureWords, reasonWords } from "./reasons.ts";

const LINKS_LIMIT = 100;

interface PageIssue {
  check: string;
  severity: Severity;
  evidence: string;
}

export async function showPage(c: AppContext): Promise<Response> {
  const view = await loadAudit(c);
  const text = c.req.param("page") ?? "";
  const repository = new PageViewRepository(c.var.watch.db);
  const detail = /^\d{1,12}$/.test(text) ? await repository.page(view.audit.id, Number(text)) : null;
  if (detail === null) {
    throw new Problem(
      404,
      "page_not_found",
      "There is no such page in this audit.",
      "The list of pages shows those there are.",
    );
  }
  const issues = await repository.issuesOfPage(
    view.audit.id,
    detail.urlId,
    CHECKS.map(({ id }) => id),
  );
  const out = detail.links === null ? [] : (JSON.parse(detail.links) as [number, number, string][]);
  const from = Math.max(0, readInteger(c, "cursor") ?? 0);
  const shown = out.slice(from, from + LINKS_LIMIT).map(([id, flags, anchor]): ShownLink => ({ id, flags, anchor }));
  const incoming = readSources(detail.inlinkSample).map(([id, anchor]): ShownLink => ({
    id,
    flags: 0,
    anchor: anchor ?? "",
  }));
  const hreflang = detail.hreflang === null ? [] : (JSON.parse(detail.hreflang) as [string, number][]);
  const addresses = await repository.addresses(view.audit.id, [
    ...[...shown, ...incoming].map(({ id }) => id),
    ...hreflang.map(([, id]) => id),
  ]);
  const path = `${view.path}/pages/${detail.urlId}`;
  const next = out.length > from + LINKS_LIMIT ? String(from + LINKS_LIMIT) : null;
  return auditPage(
    c,
    view,
    { tab: "pages", title: detail.title ?? detail.url },
    <>
      <p class="crumb">
        <a href={`${view.path}/pages`}>All pages</a>
      </p>
      <header class="page-head">
        <h2>
          {detail.title === null || detail.title === "" ? (
            <Address url={detail.url} base={view.origin} />
          ) : (
            <Crawled text={detail.title} />
          )}
        </h2>
        <p>
          <Outward url={detail.url} /> <Copy text={detail.url} what="the address of the page" />
        </p>
      </header>
      <Issues view={view} issues={issues} />
      <Facts view={view} detail={detail} hreflang={hreflang} addresses={addresses} />
      <section aria-labelledby="in">
        <h2 id="in">
          Links to it <span class="quiet num">{detail.inlinks === null ? "" : count(detail.inlinks)}</span>
        </h2>
        {incoming.length === 0 ? (
          <p class="quiet">
            {detail.inlinks === null
              ? "Links are counted once the crawl is over."
              : "No page of the audit links to this address."}
          </p>
        ) : (
          <>
            {(detail.inlinks ?? 0) > incoming.length ? (
              <p class="quiet">
                {incoming.length} of {count(detail.inlinks ?? 0)}; links.csv has all of them.
              </p>
            ) : null}
            <LinkTable view={view} links={incoming} addresses={addresses} label="Pages that link here" />
          </>
        )}
      </section>
      <section aria-labelledby="out">
        <h2 id="out">
          Links on it <span class="quiet num">{count(out.length)}</span>
        </h2>
        {shown.length === 0 ? (
          <p class="quiet">There are none, or the page was not read.</p>
        ) : (
          <LinkTable view={view} links={shown} addresses={addresses} label="Links on this page" />
        )}
        <Pager path={path} query={{ cursor: from === 0 ? null : String(from) }} next={next} what="links" />
      </section>
    </>,
  );
}

const Issues: FC<{ view: AuditView; issues: readonly PageIssue[] }> = ({ view, issues }) => (
  <section aria-labelledby="issues">
    <h2 id="issues">Found here</h2>
    {issues.length === 0 ? (
      <p class="quiet">Nothing{view.summary === null ? " yet" : ""}.</p>
    ) : (
      <ul class="places">
        {issues.map(({ check, severity, evidence }) => (
          <li>
            <p class="place-head">
              <SeverityMark severity={severity}>
                <span class="sr">{SEVERITY_WORDS[severity].one}: </span>
                <a href={`${view.path}/findings/${encodeURIComponent(check)}`}>{checkById(check)?.title ?? check}</a>
              </SeverityMark>
            </p>
            <p>
              <Crawled text={(JSON.parse(evidence) as Evidence).message} limit={600} />
            </p>
          </li>
        ))}
      </ul>
    )}
  </section>
);

interface Fact {
  name: string;
  value: Child;
}

const Facts: FC<{
  view: AuditView;
  detail: PageDetail;
  hreflang: readonly [string, number][];
  addresses: ReadonlyMap<number, LinkedAddress>;
}> = ({ view, detail, hreflang, addresses }) => {
  const hops = detail.hops === null ? [] : (JSON.parse(detail.hops) as [string, number, string | null][]);
  const facts: (Fact | null)[] = [
    {
      name: "Answer",
      value: (
        <>
          <StatusCode status={detail.status} failure={detail.failure} />
          {detail.failure === null ? null : ` ${failureWords(detail.failure)}`}
          {detail.failureDetail === null ? null : (
            <>
              {": "}
              <Crawled text={detail.failureDetail} />
            </>
          )}
        </>
      ),
    },
    hops.length === 0 ? null : { name: "Redirects", value: <Hops hops={hops} detail={detail} /> },
    {
      name: "Index",
      value: (
        <>
          {reasonWords(detail.indexability)}
          {detail.indexabilityDetail === null ? null : (
            <>
              {" ("}
              <Crawled text={detail.indexabilityDetail} />)
            </>
          )}
        </>
      ),
    },
    textFact("Title", detail.title),
    textFact("Description", detail.description),
    textFact("First h1", detail.h1),
    textFact("Language", detail.lang),
    detail.canonical === null ? null : { name: "Canonical", value: <Outward url={detail.canonical} /> },
    detail.noindex === 1 || detail.nofollow === 1
      ? {
          name: "Robots",
          value: [detail.noindex === 1 ? "noindex" : "", detail.nofollow === 1 ? "nofollow" : ""]
            .filter(Boolean)
            .join(", "),
        }
      : null,
    detail.wordCount === null ? null : { name: "Words", value: count(detail.wordCount) },
    {
      name: "Depth",
      value:
        detail.depth === null
          ? "not reached by links"
          : detail.depth === 0
            ? "start page"
            : plural(detail.depth, "click"),
    },
    detail.followInlinks === null ? null : { name: "Pages that lead here", value: count(detail.followInlinks) },
    { name: "Known from", value: sourceWords(detail.source) },
    textFact("Type", detail.contentType),
    textFact("Charset", detail.charset),
    detail.bytes === null
      ? null
      : { name: "Size", value: `${bytesOf(detail.bytes)}${detail.truncated === 1 ? ", cut at the limit" : ""}` },
    detail.ttfbMs === null ? null : { name: "First byte", value: formatDuration(detail.ttfbMs) },
    detail.totalMs === null ? null : { name: "Whole answer", value: formatDuration(detail.totalMs) },
    { name: "Fetched", value: <DateTime at={detail.fetchedAt} /> },
    hreflang.length === 0
      ? null
      : {
          name: "Languages",
          value: (
            <ul class="plain-list">
              {hreflang.slice(0, 50).map(([lang, id]) => (
                <li>
                  <code>
                    <Crawled text={lang} limit={40} />
                  </code>{" "}
                  {addresses.has(id) ? <Address url={addresses.get(id)!.url} base={view.origin} /> : null}
                </li>
              ))}
            </ul>
          ),
        },
  ];
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">Everything known</h2>
      <dl class="words facts">
        {facts.flatMap((fact) =>
          fact === null
            ? []
            : [
                <>
                  <dt>{fact.name}</dt>
                  <dd>{fact.value}</dd>
                </>,
              ],
        )}
      </dl>
    </section>
  );
};

const textFact = (name: string, text: string | null): Fact | null =>
  text === null || text === "" ? null : { name, value: <Crawled text={text} limit={1_000} /> };

const Hops: FC<{ hops: readonly [string, number, string | null][]; detail: PageDetail }> = ({ hops, detail }) => (
  <ol class="plain-list">
    {hops.map(([url, status, location]) => (
      <li>
        <StatusCode status={status} /> <Address url={url} />
        {location === null ? " names no target" : null}
      </li>
    ))}
    <li>
      {detail.finalStatus === null ? null : <StatusCode status={detail.finalStatus} />}{" "}
      {detail.targetUrl === null ? "nowhere" : <Address url={detail.targetUrl} />}
    </li>
  </ol>
);

const SOURCE_WORDS: Readonly<Record<keyof typeof SOURCE, string>> = {
  start: "the start address",
  link: "links",
  sitemap: "a sitemap",
  canonical: "a canonical",
  hreflang: "hreflang",
  redirect: "a redirect",
  resource: "a page that loads it",
  list: "the given list",
};

export function sourceWords(bits: number): string {
  const names = (Object.keys(SOURCE) as (keyof typeof SOURCE)[]).filter((name) => (bits & SOURCE[name]) !== 0);
  return names.length === 0 ? "nothing that is kept" : names.map((name) => SOURCE_WORDS[name]).join(", ");
}
