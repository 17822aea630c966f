/**
 * One pass over the stored pages, which feeds everything that must look at all of them: the link graph, response times,
 * addresses, fragments, near duplicates. 10,000 pages with 100 links each take about 60 MB at most.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../storage/database.ts";
import { SOURCE, URL_STATE } from "../../storage/schema.ts";
import { HEAVY_IMAGE } from "../checks/site/images.ts";
import type { PageExtras } from "../crawl/page-extras.ts";
import { parseRobots } from "../crawl/robots.ts";
import type { AnalysisInput } from "./analysis-context.ts";
import type { FoundIssue } from "./found-issue.ts";
import { FragmentLinks } from "./fragments.ts";
import { LinkGraph } from "./link-graph.ts";
import {
  NEAR_DUPLICATE_FROM,
  nearDuplicateIssues,
  nearDuplicates,
  type SignedText,
  textSimilarity,
} from "./near-duplicates.ts";
import { readPages, type StoredPage } from "./page-reader.ts";
import { responseTimeIssues } from "./response-times.ts";
import { blockedAssets, blockedPages, type RobotsSubject } from "./robots-blocks.ts";
import { shownOn } from "./shown.ts";
import { templatesOf } from "./templates.ts";
import { UrlQuality } from "./url-quality.ts";

/** Who reads robots.txt: what it keeps from this crawler is another matter. */
const SEARCH_ENGINE = "Googlebot";
/** Refused and disallowed addresses whose sources are kept. */
const WANTED_AT_MOST = 20_000;

export interface SitePass {
  graph: LinkGraph;
  depths: Int32Array;
  pageIds: number[];
  /** Addresses that are no pages whose sources are to be kept. */
  wanted: number[];
  /** Pages that turned out to be the site's "not found", by their likeness to it. */
  softNotFound: Set<number>;
  issues: FoundIssue[];
  /** The template of each page that let itself be seen, by url id. */
  templates: Map<number, string>;
}

interface Disallowed {
  id: number;
  url: string;
  rule: string;
  /** A page that was or could have been opened, or a file that pages load. */
  isResource: boolean;
  inSitemap: boolean;
  noindexBefore: number;
}

/** `onPages` is called after each read, so that somebody can beat. */
export async function passSite(input: AnalysisInput, onPages: () => Promise<void>): Promise<SitePass> {
  const { db, site } = input;
  const { auditId } = site;
  const pages = await db.all<{ urlId: number; targetId: number | null }>(
    sql`select url_id as urlId, target_id as targetId from audit_pages where audit_id = ${auditId} order by url_id`,
  );
  const [ends] = await db.all<{ lastId: number | null; startId: number | null }>(sql`
    select max(id) as lastId, min(iif((source & ${SOURCE.start}) <> 0, id, null)) as startId
    from audit_urls where audit_id = ${auditId}`);
  const disallowed = await disallowedAddresses(input);
  const wanted = new Set([...(await troubledTargets(db, auditId)), ...disallowed.map(({ id }) => id)]);
  for (const { urlId } of pages) wanted.delete(urlId);
  const graph = new LinkGraph({ lastId: ends?.lastId ?? 0, pages, wanted });
  const collected = new Collected(input);
  for (let reading = readPages(db, auditId, 0); ;) {
    const read = await reading;
    const last = read.at(-1);
    if (last === undefined) break;
    // The database reads the next pages while these are looked at.
    reading = readPages(db, auditId, last.urlId);
    reading.catch(() => {});
    for (const page of read) {
      graph.add({ ...page, nofollow: page.nofollow === 1 });
      collected.add(page);
    }
    await onPages();
  }
  const templates = collected.templates();
  const issues = [
    ...collected.issues(templates),
    ...(await fragmentIssues(input, collected.fragments)),
    ...nofollowIssues(graph, collected, site.siteOrigin),
    ...robotsIssues(disallowed, graph, collected, site.siteOrigin),
  ];
  return {
    graph,
    depths: graph.depths(ends?.startId ?? 0),
    pageIds: pages.map(({ urlId }) => urlId),
    wanted: [...wanted],
    softNotFound: collected.softNotFound,
    issues,
    templates,
  };
}

/** What is gathered of the pages beside their links. */
class Collected {
  readonly fragments = new FragmentLinks();
  readonly softNotFound = new Set<number>();
  readonly indexable = new Map<number, string>();
  readonly noindex = new Set<number>();
  readonly #input: AnalysisInput;
  readonly #urls = new UrlQuality();
  readonly #texts: SignedText[] = [];
  readonly #addresses: [number, string][] = [];
  readonly #times: { urlId: number; ttfbMs: number }[] = [];

  constructor(input: AnalysisInput) {
    this.#input = input;
  }

  add(page: StoredPage): void {
    const { urlId, url } = page;
    if (page.noindex === 1) this.noindex.add(urlId);
    if (page.extras !== null) this.fragments.add(urlId, page.extras);
    if (page.indexability !== "blocked-by-bot-protection") {
      this.#addresses.push([urlId, url]);
      if (page.status === 200 && page.ttfbMs !== null) this.#times.push({ urlId, ttfbMs: page.ttfbMs });
    }
    if (page.indexability !== "indexable") return;
    if (this.#isSoftNotFound(page)) {
      this.softNotFound.add(urlId);
      return;
    }
    this.indexable.set(urlId, url);
    this.#urls.add(urlId, url);
    if (page.minhash !== null && page.isAppShell === 0) {
      this.#texts.push({ urlId, minhash: page.minhash, textKey: page.textKey });
    }
  }

  /** The page reads like the answer to an address that cannot exist. The start page may be what a site shows then. */
  #isSoftNotFound(page: StoredPage): boolean {
    const { discovery, startUrl, siteOrigin } = this.#input.site;
    const probe = discovery.probe;
    if (probe == null || probe.status !== 200 || page.isAppShell !== 0) return false;
    if (page.url === startUrl || page.url === `${siteOrigin}/`) return false;
    if (probe.textKey !== null && probe.textKey === page.textKey) return true;
    if (probe.minhash === null || page.minhash === null) return false;
    return textSimilarity(probe.minhash, page.minhash, NEAR_DUPLICATE_FROM) >= NEAR_DUPLICATE_FROM;
  }

  templates(): Map<number, string> {
    return templatesOf(this.#addresses);
  }

  issues(templates: ReadonlyMap<number, string>): FoundIssue[] {
    const timed = this.#times.map((time) => ({ ...time, template: templates.get(time.urlId) ?? "" }));
    return [...nearDuplicateIssues(nearDuplicates(this.#texts)), ...responseTimeIssues(timed), ...this.#urls.issues()];
  }
}

/** Targets that did not answer well, or heavily: checks want to know who leads there. */
async function troubledTargets(db: Database, auditId: string): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select url_id as id from audit_targets
    where audit_id = ${auditId} and (outcome <> 'ok' or bytes > ${HEAVY_IMAGE}) limit ${WANTED_AT_MOST}`);
  return rows.map(({ id }) => id);
}

/** Addresses of the site that robots.txt keeps Googlebot from. */
async function disallowedAddresses({ db, site, robotsText }: AnalysisInput): Promise<Disallowed[]> {
  if (robotsText === null || !/allow/i.test(robotsText)) return [];
  const robots = parseRobots(robotsText);
  const found: Disallowed[] = [];
  const before: SQL =
    site.previousAuditId == null
      ? sql`0`
      : sql`ifnull((select b.noindex from audit_urls bu cross join audit_pages b on b.audit_id = bu.audit_id and b.url_id = bu.id
          where bu.audit_id = ${site.previousAuditId} and bu.key = u.key), 0)`;
  for (let afterId = 0; found.length < WANTED_AT_MOST;) {
    const rows = await db.all<{ id: number; url: string; source: number; state: number; noindexBefore: number }>(sql`
      select u.id, u.url, u.source, u.state, iif(u.refusal like 'robots%', ${before}, 0) as noindexBefore from audit_urls u
      where u.audit_id = ${site.auditId} and u.id > ${afterId}
        and substr(u.url, 1, ${site.siteOrigin.length + 1}) = ${`${site.siteOrigin}/`}
        and (u.state <> ${URL_STATE.refused} or u.refusal like 'robots%')
      order by u.id limit 10000`);
    for (const { id, url, source, noindexBefore } of rows) {
      const verdict = robots.judge(url, SEARCH_ENGINE);
      if (verdict.allowed) continue;
      const isResource = (source & ~SOURCE.resource) === 0;
      const isListed = (source & SOURCE.sitemap) !== 0;
      found.push({
        id,
        url,
        isResource,
        inSitemap: isListed,
        noindexBefore,
        rule: `Disallow: ${verdict.rule?.path ?? "/"}`.slice(0, 200),
      });
    }
    if (rows.length < 10_000) break;
    afterId = rows.at(-1)!.id;
  }
  return found;
}

function robotsIssues(
  disallowed: readonly Disallowed[],
  graph: LinkGraph,
  { indexable, noindex }: Collected,
  siteOrigin: string,
): FoundIssue[] {
  const shown = shownOn(siteOrigin);
  const pages = disallowed
    .filter(({ isResource }) => !isResource)
    .map(({ id, url, rule, inSitemap, noindexBefore }): RobotsSubject => {
      const seen = noindex.has(id) ? "now" : noindexBefore === 1 ? "before" : null;
      return { urlId: id, url, rule, inSitemap, noindex: seen, target: graph.target(id) };
    });
  const assets = disallowed.map(({ id, url }) => ({ url, target: graph.target(id) }));
  return [...blockedPages(pages, shown), ...blockedAssets(assets, (page) => indexable.has(page), shown)];
}

function nofollowIssues(graph: LinkGraph, { indexable }: Collected, siteOrigin: string): FoundIssue[] {
  const shown = shownOn(siteOrigin);
  return graph.nofollowTargets().flatMap(({ urlId, count, sample }): FoundIssue[] => {
    const url = indexable.get(urlId);
    if (url === undefined) return [];
    const message = `${count === 1 ? "1 page links" : `${count} pages link`} to ${shown(url)} with nofollow, although it may be indexed`;
    return [
      {
        checkId: "link.nofollow-internal",
        urlId,
        severity: "notice",
        evidence: { message, measured: count, limit: 0 },
        sources: sample,
        sourceCount: count,
      },
    ];
  });
}

/** Looks up the pages that links point into, some at a time: their lists of ids may be long. */
async function fragmentIssues({ db, site }: AnalysisInput, fragments: FragmentLinks): Promise<FoundIssue[]> {
  const shown = shownOn(site.siteOrigin);
  const targets = fragments.targets();
  const issues: FoundIssue[] = [];
  for (let at = 0; at < targets.length; at += 100) {
    const rows = await db.all<{ urlId: number; url: string; extras: string | null }>(sql`
      select p.url_id as urlId, u.url, p.extras from json_each(${JSON.stringify(targets.slice(at, at + 100))}) t
      cross join audit_pages p on p.audit_id = ${site.auditId} and p.url_id = t.value
      cross join audit_urls u on u.audit_id = ${site.auditId} and u.id = p.url_id
      where p.status = 200 and p.truncated = 0 and p.links is not null
        and p.indexability in ('indexable', 'noindex', 'canonicalised')`);
    for (const { urlId, url, extras } of rows) {
      const known: PageExtras = JSON.parse(extras ?? "{}");
      const issue = fragments.judge(urlId, shown(url), known);
      if (issue !== null) issues.push(issue);
    }
  }
  return issues;
}
