/**
 * The first step: where the start address leads, what robots.txt allows, what the sitemaps list, and what the site says
 * to an address that does not exist. An audit that has obtained pages goes on with what was found then.
 */
import { sql } from "drizzle-orm";
import { MAX_REQUEST_DELAY_MS } from "../../config.ts";
import { fenceHolds, fenceOf } from "../../storage/fence.ts";
import { frontierCounts, insertUrls, markListed } from "../../storage/frontier-repository.ts";
import { QUEUE, SOURCE } from "../../storage/schema.ts";
import { allowedHosts, requestRules, resolverOf, sleep, type StepContext } from "../audit-context.ts";
import type { DiscoveryFacts, SiteContext } from "../checks/check.ts";
import { AddressBook, type Mention } from "../crawl/address-book.ts";
import { DNS_LIMIT_MS, forbiddenAddressOf } from "../crawl/dns-check.ts";
import { fetchRobots, type FetchedRobots } from "../crawl/fetch-robots.ts";
import { fetchSitemaps } from "../crawl/fetch-sitemaps.ts";
import { LinkJudge } from "../crawl/link-judge.ts";
import { type Answer, discard, MAX_REDIRECTS, request, requestLimitMs, type RequestRules } from "../crawl/request.ts";
import { parseRetryAfter } from "../crawl/retry-after.ts";
import { disallowAllRobots } from "../crawl/robots.ts";
import { createScope } from "../crawl/scope.ts";
import { probeNotFound } from "../crawl/soft-not-found-probe.ts";
import { isTrap } from "../crawl/traps.ts";
import { crawlDelayMs, FORBIDS_ALL } from "../crawl/prepare-crawl.ts";
import { discoveryTailMs } from "../step-limits.ts";
import { PRODUCT_TOKEN } from "../user-agent.ts";
import { discoveryIssues } from "./analyze-site.ts";
import type { Fatal } from "./finish.ts";

export interface DiscoverResult {
  siteOrigin: string;
  /** Addresses known when it ended. */
  known: number;
  sitemaps: number;
  /** Pages that earlier attempts crawled. */
  crawled: number;
  maxPages: number;
  stepPages: number;
  stepTargets: number;
  /** Why nothing may be crawled; null: go on. */
  fatal: Fatal | null;
}

/** Sitemap files read in one audit. */
const MAX_SITEMAPS = 100;

/** Addresses taken from sitemaps: enough to judge what the crawl did not reach, without drowning it. */
const sitemapUrlLimit = (maxPages: number): number => Math.max(2_000, maxPages * 5);

export async function discoverUrls(context: StepContext): Promise<DiscoverResult> {
  const { db, auditId, config, options, pulse } = context;
  const settings = { maxPages: options.maxPages, stepPages: config.CRAWL_STEP_PAGES, stepTargets: config.TARGETS_STEP };
  if (context.siteOrigin !== null && (await hasObtainedPages(context))) {
    await pulse.beat();
    const { pagesKnown, pagesDone } = await frontierCounts(db, auditId);
    return {
      siteOrigin: context.siteOrigin,
      known: pagesKnown,
      sitemaps: 0,
      crawled: pagesDone,
      ...settings,
      fatal: null,
    };
  }
  // Nothing was obtained yet: whatever an earlier try wrote down is found anew, since the site may have changed its mind.
  await pulse.save(forget(context));
  const rules = { ...(await requestRules(context)), maxHtmlBytes: config.MAX_HTML_BYTES };
  // Every hop of a redirect waits its turn.
  const bound = requestLimitMs(rules) + (MAX_REDIRECTS + 1) * MAX_REQUEST_DELAY_MS;

  const startOrigin = new URL(context.startUrl).origin;
  const refuse = (fatal: Fatal): DiscoverResult => ({
    siteOrigin: startOrigin,
    known: 0,
    sitemaps: 0,
    crawled: 0,
    ...settings,
    fatal,
  });
  const forbidden = await leadsNowherePublic(context, startOrigin);
  if (forbidden !== null) return refuse(forbidden);
  const start = await pulse.during(2 * bound + config.MAX_RETRY_AFTER_MS, () => askForStart(context, rules));
  discard(start);
  const siteOrigin = new URL(start.response === null ? context.startUrl : start.finalUrl).origin;
  if (siteOrigin !== startOrigin) {
    const redirected = await leadsNowherePublic(context, siteOrigin);
    if (redirected !== null) return refuse(redirected);
  }
  const robots =
    start.status === null
      ? unreadRobots(siteOrigin)
      : await pulse.during(2 * bound + config.RETRY_DELAY_MS, () =>
          fetchRobots(siteOrigin, rules, config.RETRY_DELAY_MS),
        );
  const facts: DiscoveryFacts = { robots: robots.facts, sitemaps: [] };
  const isClosed = start.status === null || robots.facts.unreachable;
  // A site that does not even serve its start page is no case of robots.txt: the crawl asks once more and writes down why.
  const fatal =
    isClosed && start.response !== null && start.response.status < 500 ? robotsUnreachable(robots.facts) : null;

  const book = new AddressBook(db, auditId, 0, Number.MAX_SAFE_INTEGER);
  const judge = new LinkJudge({
    scope: createScope(siteOrigin, options),
    options,
    robotsAllow: (url) => url.origin !== siteOrigin || robots.robots.isAllowed(url, PRODUCT_TOKEN),
    trap: isTrap,
  });
  let total = 0;
  const add = async (mentions: readonly (Mention | null)[]): Promise<void> => {
    const byKey = new Map(mentions.flatMap((mention) => (mention === null ? [] : [[mention.key, mention] as const])));
    const { created, listed } = await book.number(byKey);
    total += created.filter((url) => url.queue <= QUEUE.sitemap && url.refusal === undefined).length;
    await pulse.save([...insertUrls(pulse.fence, created), ...markListed(pulse.fence, listed)], {
      pagesTotal: Math.min(total, options.maxPages),
    });
  };

  // With a list, or the sitemaps only, the start address says which site it is; it is no page to crawl.
  const crawlsFromStart = options.list.length === 0 && !options.sitemapOnly;
  const listed = options.list.map((url) => judge.mention(url, SOURCE.list, 0));
  await add(crawlsFromStart || isClosed ? [startMention(context.startUrl, judge, siteOrigin, isClosed)] : listed);
  if (!isClosed) {
    rules.throttle.slowDown(crawlDelayMs(robots.robots));
    const endAt = Date.now() + config.CRAWL_STEP_MS;
    const limits = { files: MAX_SITEMAPS, urls: sitemapUrlLimit(options.maxPages), endAt };
    facts.sitemaps = await pulse.during(config.CRAWL_STEP_MS + discoveryTailMs(config), () =>
      fetchSitemaps(siteOrigin, robots.robots.sitemaps, rules, limits, (entries) =>
        add(entries.map(({ url }) => judge.mention(url, SOURCE.sitemap, 1))),
      ),
    );
    facts.probe = await pulse.during(bound, () => probeNotFound(siteOrigin, rules));
  }
  await pulse.save([
    sql`update audits set site_origin = ${siteOrigin} where ${fenceOf(pulse.fence)}`,
    sql`
      insert or replace into audit_discoveries (audit_id, robots_text, facts)
      select ${auditId}, ${isClosed ? FORBIDS_ALL : robots.text}, ${JSON.stringify(facts)} where ${fenceHolds(pulse.fence)}`,
  ]);
  if (fatal !== null) await pulse.save(discoveryIssues(context, siteContext(context, siteOrigin, facts)));
  await pulse.savePhase({ known: total, sitemaps: facts.sitemaps.length });
  return { siteOrigin, known: total, sitemaps: facts.sitemaps.length, crawled: 0, ...settings, fatal };
}

/** Whether a page answered: then a repeated or resumed run goes on with what was found. */
async function hasObtainedPages({ db, auditId }: StepContext): Promise<boolean> {
  const row = await db.get<{ found: number } | undefined>(sql`
    select exists (select 1 from audit_pages where audit_id = ${auditId} and final_status between 200 and 399 and failure is null)
      and exists (select 1 from audit_discoveries where audit_id = ${auditId}) as found`);
  return row?.found === 1;
}

function forget({ auditId, pulse }: StepContext) {
  const holds = fenceHolds(pulse.fence);
  return ["audit_urls", "audit_pages", "audit_issues", "audit_targets", "audit_discoveries"].map(
    (table) => sql`delete from ${sql.raw(table)} where audit_id = ${auditId} and ${holds}`,
  );
}

/** Why the site's name may not be asked: it means a machine in some private network. Null: it may. */
async function leadsNowherePublic({ env, pulse }: StepContext, origin: string): Promise<Fatal | null> {
  const resolve = resolverOf(env);
  const url = new URL(origin);
  // Who was allowed by name is asked, whatever the name means.
  if (resolve === null || allowedHosts(env).includes(url.host)) return null;
  const address = await pulse.during(DNS_LIMIT_MS, () => forbiddenAddressOf(url.hostname, resolve));
  if (address === null) return null;
  return {
    code: "site_unreachable",
    detail: `the name ${url.hostname} leads to ${address.slice(0, 60)}, which is no public address: it must not be reached by an audit`,
  };
}

/** The start address decides what is audited, so that a passing fault is not believed at once. */
async function askForStart({ startUrl, config }: StepContext, rules: RequestRules): Promise<Answer> {
  const first = await request(startUrl, rules);
  const status = first.response?.status ?? null;
  const mayPass = status === null ? PASSING.has(first.failure?.code) : status === 429 || status >= 500;
  if (!mayPass) return first;
  discard(first);
  const asked = parseRetryAfter(first.response?.headers.get("retry-after") ?? null, Date.now());
  await sleep(asked !== null && asked <= config.MAX_RETRY_AFTER_MS ? asked : config.RETRY_DELAY_MS);
  return request(startUrl, rules);
}

/** An unknown name or a bad certificate hardly mends itself within seconds. */
const PASSING: ReadonlySet<string | undefined> = new Set(["connection", "timeout_headers", "network"]);

const siteContext = (
  { auditId, startUrl }: StepContext,
  siteOrigin: string,
  discovery: DiscoveryFacts,
): SiteContext => ({
  auditId,
  startUrl,
  siteOrigin,
  discovery,
  crawlCompleted: false,
});

/**
 * The start address was asked for by a person: no pattern or guard keeps it out, only robots.txt does. It belongs to the
 * audit even where it redirects to another host: that is what the crawl follows.
 */
function startMention(startUrl: string, judge: LinkJudge, siteOrigin: string, isClosed: boolean): Mention | null {
  const mention = judge.mention(startUrl, SOURCE.start, 0);
  if (mention === null) return null;
  const { url, key, depth, source, refusal } = mention;
  const isForbidden = !isClosed && refusal === "robots" && new URL(startUrl).origin === siteOrigin;
  return { url, key, depth, source, queue: QUEUE.linked, ...(isForbidden ? { refusal } : {}) };
}

/** Nothing is known of the rules of a site that does not answer, and nothing was asked that could be reported. */
const unreadRobots = (siteOrigin: string): FetchedRobots => ({
  robots: disallowAllRobots(),
  text: null,
  facts: { url: `${siteOrigin}/robots.txt`, status: null, unreachable: false, problems: [] },
});

const robotsUnreachable = (facts: DiscoveryFacts["robots"]): Fatal => ({
  code: "robots_disallowed",
  detail: `${facts.url} ${facts.status === null ? "did not answer" : `answered ${facts.status}`}, twice: until it can be read, a crawler must take everything as forbidden (RFC 9309, 2.3.1.4)`,
});
