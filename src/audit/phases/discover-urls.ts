/**
 * The first step: where the start address leads, what robots.txt allows, what the sitemaps list, and what the site says
 * to an address that does not exist. Repeating it, or resuming an audit, finds what is there already.
 */
import { sql } from "drizzle-orm";
import { fenceHolds, fenceOf } from "../../storage/fence.ts";
import { frontierCounts, insertUrls } from "../../storage/frontier-repository.ts";
import { QUEUE, SOURCE } from "../../storage/schema.ts";
import { requestRules, type StepContext } from "../audit-context.ts";
import type { DiscoveryFacts } from "../checks/check.ts";
import { AddressBook, type Mention } from "../crawl/address-book.ts";
import { fetchRobots, type FetchedRobots } from "../crawl/fetch-robots.ts";
import { fetchSitemaps } from "../crawl/fetch-sitemaps.ts";
import { LinkJudge } from "../crawl/link-judge.ts";
import { discard, request } from "../crawl/request.ts";
import { allowAllRobots } from "../crawl/robots.ts";
import { createScope } from "../crawl/scope.ts";
import { probeNotFound } from "../crawl/soft-not-found-probe.ts";
import { isTrap } from "../crawl/traps.ts";
import { crawlDelayMs } from "../crawl/prepare-crawl.ts";
import { PRODUCT_TOKEN } from "../user-agent.ts";
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
  const counts = await frontierCounts(db, auditId);
  const settings = { maxPages: options.maxPages, stepPages: config.CRAWL_STEP_PAGES, stepTargets: config.TARGETS_STEP };
  const known = await isDiscovered(context);
  if (known && context.siteOrigin !== null) {
    await pulse.beat();
    return {
      siteOrigin: context.siteOrigin,
      known: counts.pagesKnown,
      sitemaps: 0,
      crawled: counts.pagesDone,
      ...settings,
      fatal: null,
    };
  }
  const rules = { ...(await requestRules(context)), maxHtmlBytes: config.MAX_HTML_BYTES };
  const bound = 12 * rules.headersTimeoutMs + rules.bodyTimeoutMs + config.RETRY_DELAY_MS;

  const home = await pulse.during(bound, () => request(context.startUrl, rules));
  discard(home);
  const siteOrigin = home.response === null ? new URL(context.startUrl).origin : new URL(home.finalUrl).origin;
  // A site that does not answer at all is asked for its start page by the crawl, which writes down what happens.
  const answers = home.response !== null && home.response.status < 500;
  const robots = answers
    ? await pulse.during(2 * bound, () => fetchRobots(siteOrigin, rules, config.RETRY_DELAY_MS))
    : noRobots(siteOrigin);
  const facts: DiscoveryFacts = { robots: robots.facts, sitemaps: [] };
  const forbidden = robots.facts.unreachable ? robotsUnreachable(robots.facts) : null;

  const book = new AddressBook(db, auditId, counts.lastId, Number.MAX_SAFE_INTEGER);
  const judge = new LinkJudge({
    scope: createScope(siteOrigin, options),
    options,
    robotsAllow: (url) => url.origin !== siteOrigin || robots.robots.isAllowed(url, PRODUCT_TOKEN),
    trap: isTrap,
  });
  let total = counts.pagesKnown;
  const add = async (mentions: readonly (Mention | null)[]): Promise<void> => {
    const byKey = new Map(mentions.flatMap((mention) => (mention === null ? [] : [[mention.key, mention] as const])));
    const { created } = await book.number(byKey);
    total += created.filter((url) => url.queue <= QUEUE.sitemap && url.refusal === undefined).length;
    await pulse.save(insertUrls(pulse.fence, created), { pagesTotal: Math.min(total, options.maxPages) });
  };

  // With a list, or the sitemaps only, the start address says which site it is; it is no page to crawl.
  const crawlsFromStart = options.list.length === 0 && !options.sitemapOnly;
  const listed = options.list.map((url) => judge.mention(url, SOURCE.list, 0));
  await add(crawlsFromStart ? [startMention(context.startUrl, judge, siteOrigin)] : listed);
  if (answers && forbidden === null) {
    rules.throttle.slowDown(crawlDelayMs(robots.robots));
    const endAt = Date.now() + config.CRAWL_STEP_MS;
    const limits = { files: MAX_SITEMAPS, urls: sitemapUrlLimit(options.maxPages), endAt };
    facts.sitemaps = await pulse.during(config.CRAWL_STEP_MS + 4 * bound, () =>
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
      select ${auditId}, ${robots.text}, ${JSON.stringify(facts)} where ${fenceHolds(pulse.fence)}`,
  ]);
  await pulse.savePhase({ known: total, sitemaps: facts.sitemaps.length });
  return {
    siteOrigin,
    known: total,
    sitemaps: facts.sitemaps.length,
    crawled: counts.pagesDone,
    ...settings,
    fatal: forbidden,
  };
}

async function isDiscovered({ db, auditId }: StepContext): Promise<boolean> {
  const row = await db.get<{ found: number } | undefined>(
    sql`select exists (select 1 from audit_discoveries where audit_id = ${auditId}) as found`,
  );
  return row?.found === 1;
}

/** The start address belongs to the audit even where it redirects to another host: that is what the crawl follows. */
function startMention(startUrl: string, judge: LinkJudge, siteOrigin: string): Mention | null {
  const mention = judge.mention(startUrl, SOURCE.start, 0);
  if (mention === null) return null;
  if (new URL(startUrl).origin === siteOrigin) return mention;
  const { url, key, depth, source } = mention;
  return { url, key, depth, source, queue: QUEUE.linked };
}

const noRobots = (siteOrigin: string): FetchedRobots => ({
  robots: allowAllRobots(),
  text: null,
  facts: { url: `${siteOrigin}/robots.txt`, status: null, unreachable: false, problems: [] },
});

const robotsUnreachable = (facts: DiscoveryFacts["robots"]): Fatal => ({
  code: "robots_disallowed",
  detail: `${facts.url} ${facts.status === null ? "did not answer" : `answered ${facts.status}`}, twice: until it can be read, a crawler must take everything as forbidden (RFC 9309, 2.3.1.4)`,
});
