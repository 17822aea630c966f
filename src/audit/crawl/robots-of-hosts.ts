/**
 * robots.txt of the other origins that belong to an audited site: with and without "www.", http beside https, hosts
 * below it. Rules hold for one scheme, host and port only (RFC 9309, 2.3), so that each is asked, when it is needed.
 */
import { PRODUCT_TOKEN } from "../user-agent.ts";
import { fetchRobots } from "./fetch-robots.ts";
import type { RequestRules } from "./request.ts";
import type { Robots } from "./robots.ts";

/** Origins of one site that are asked in one step; the rest counts as forbidden until the next. */
const MAX_ORIGINS = 100;

export class RobotsOfHosts {
  readonly #known = new Map<string, Promise<Robots>>();
  readonly #rules: RequestRules;
  readonly #retryDelayMs: number;

  constructor(rules: RequestRules, retryDelayMs: number) {
    // The way to a robots.txt is not itself subject to rules.
    this.#rules = { ...rules, robotsAllow: null };
    this.#retryDelayMs = retryDelayMs;
  }

  async allow(url: URL): Promise<boolean> {
    const { origin } = url;
    if (!this.#known.has(origin)) {
      if (this.#known.size >= MAX_ORIGINS) return false;
      this.#known.set(
        origin,
        fetchRobots(origin, this.#rules, this.#retryDelayMs).then(({ robots }) => robots),
      );
    }
    return (await this.#known.get(origin))?.isAllowed(url, PRODUCT_TOKEN) ?? false;
  }
}
