/** Everything that a crawl step needs besides its frontier, made from the audit's row and what discovery learnt. */
import { MAX_REQUEST_DELAY_MS } from "../../config.ts";
import { allowedHosts, loadDiscovery, requestRules, sleep, type StepContext } from "../audit-context.ts";
import { PRODUCT_TOKEN } from "../user-agent.ts";
import type { PageRules } from "./fetch-page.ts";
import { LinkJudge } from "./link-judge.ts";
import { parseRobots, type Robots } from "./robots.ts";
import { RobotsOfHosts } from "./robots-of-hosts.ts";
import { createScope, type Scope } from "./scope.ts";
import type { Throttle } from "./throttle.ts";
import { isTrap, type TrapGuardState } from "./traps.ts";

export interface CrawlTools {
  rules: PageRules & { throttle: Throttle };
  judge: LinkJudge;
  scope: Scope;
  siteOrigin: string;
  startUrl: string;
  /** May the address be asked for, whichever origin of the site it belongs to? */
  mayAsk: (url: string) => boolean | Promise<boolean>;
  /** What the trap guard had learnt when the last step ended. */
  traps: TrapGuardState | null;
}

/** What the crawl keeps to where robots.txt could not be read (RFC 9309, 2.3.1.4). */
export const FORBIDS_ALL = "# robots.txt could not be read\nUser-agent: *\nDisallow: /\n";

/** A longer crawl-delay is not kept to; the report says which rate resulted. */
export const crawlDelayMs = (robots: Robots): number =>
  Math.min(MAX_REQUEST_DELAY_MS, (robots.crawlDelaySeconds(PRODUCT_TOKEN) ?? 0) * 1_000);

export async function prepareCrawl(context: StepContext): Promise<CrawlTools> {
  const { config, options } = context;
  if (context.siteOrigin === null) throw new Error("the crawl began before the site was discovered");
  const { siteOrigin } = context;
  const discovery = await loadDiscovery(context);
  const robots = parseRobots(discovery.robotsText ?? "", { url: discovery.facts.robots.url });
  const scope = createScope(siteOrigin, options);
  const request = await requestRules(context, crawlDelayMs(robots));
  const { throttle } = request;
  const hosts = new RobotsOfHosts(request, config.RETRY_DELAY_MS);
  const isOwn = (url: URL): boolean => url.origin === siteOrigin;
  const mayAsk = (address: string): boolean | Promise<boolean> => {
    const url = new URL(address);
    if (isOwn(url)) return robots.isAllowed(url, PRODUCT_TOKEN);
    return scope.isSite(url) ? hosts.allow(url) : true;
  };
  return {
    siteOrigin,
    startUrl: context.startUrl,
    traps: discovery.traps,
    scope,
    mayAsk,
    judge: new LinkJudge({
      scope,
      options,
      robotsAllow: (url) => !isOwn(url) || robots.isAllowed(url, PRODUCT_TOKEN),
      trap: isTrap,
    }),
    rules: {
      ...request,
      allowedHosts: allowedHosts(context.env),
      // Where robots.txt could not be read, only the start page is asked for, to see and say what is wrong with it.
      robotsAllow: discovery.robotsText === FORBIDS_ALL ? null : mayAsk,
      maxHtmlBytes: config.MAX_HTML_BYTES,
      retryDelayMs: config.RETRY_DELAY_MS,
      maxRetryAfterMs: config.MAX_RETRY_AFTER_MS,
      sleep,
      onTrouble: (pauseMs) => throttle.trouble(pauseMs),
      onClean: () => throttle.clean(),
    },
  };
}
