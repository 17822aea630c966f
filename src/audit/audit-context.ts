/** What every step of a run works with, read anew at the start of each step: nothing outside of a step may be trusted. */
import { eq } from "drizzle-orm";
import type { Config } from "../config.ts";
import type { Env } from "../env.ts";
import { dbNow } from "../storage/clock.ts";
import type { Database } from "../storage/database.ts";
import { auditDiscoveries, audits } from "../storage/schema.ts";
import type { Pulse } from "../supervision/heartbeat.ts";
import { type AuditOptions, parseOptions } from "./audit-options.ts";
import type { DiscoveryFacts } from "./checks/check.ts";
import { credentialSite } from "./crawl/cookies.ts";
import { DEFAULT_RESOLVER, type Resolve, resolveOverHttps } from "./crawl/dns-check.ts";
import type { RequestRules } from "./crawl/request.ts";
import type { TrapGuardState } from "./crawl/traps.ts";
import { Throttle } from "./crawl/throttle.ts";
import { openSecrets } from "./secrets.ts";
import { USER_AGENT } from "./user-agent.ts";

export interface StepContext {
  env: Env;
  db: Database;
  config: Config;
  pulse: Pulse;
  auditId: string;
  attempt: number;
  startUrl: string;
  siteOrigin: string | null;
  options: AuditOptions;
  /** How long this attempt had been going when the step began. Milliseconds. */
  ageMs: number;
}

export interface Discovery {
  robotsText: string | null;
  facts: DiscoveryFacts;
  cutBy: string | null;
  traps: TrapGuardState | null;
}

export async function loadContext(env: Env, db: Database, config: Config, pulse: Pulse): Promise<StepContext> {
  const { auditId, attempt } = pulse.fence;
  const [row] = await db
    .select({
      url: audits.url,
      siteOrigin: audits.siteOrigin,
      options: audits.options,
      startedAt: audits.attemptStartedAt,
      now: dbNow,
    })
    .from(audits)
    .where(eq(audits.id, auditId));
  if (row === undefined) throw new Error(`the row of audit ${auditId} is gone`);
  return {
    env,
    db,
    config,
    pulse,
    auditId,
    attempt,
    startUrl: row.url,
    siteOrigin: row.siteOrigin,
    options: parseOptions(row.options),
    ageMs: row.now - row.startedAt,
  };
}

export async function loadDiscovery(context: Pick<StepContext, "db" | "auditId">): Promise<Discovery> {
  const [row] = await context.db.select().from(auditDiscoveries).where(eq(auditDiscoveries.auditId, context.auditId));
  if (row === undefined) throw new Error(`audit ${context.auditId} has no discovery row`);
  return {
    robotsText: row.robotsText,
    facts: JSON.parse(row.facts) as DiscoveryFacts,
    cutBy: row.cutBy,
    traps: row.traps === null ? null : (JSON.parse(row.traps) as TrapGuardState),
  };
}

/** Loopback and private hosts that this Worker may reach: only a local one may reach any. */
export function allowedHosts(env: Env): string[] {
  if (env.LOCAL_MODE !== "1") return [];
  return (env.ALLOWED_HOSTS ?? "").split(",").filter((host) => host !== "");
}

/** Hosts under which the product itself is known. */
export const publicHosts = (env: Env): string[] =>
  (env.PUBLIC_HOST ?? "").split(",").flatMap((host) => (host.trim() === "" ? [] : [host.trim()]));

/** What looks names up before a site is crawled; null: nothing does. Locally only on demand: it asks the network. */
export function resolverOf(env: Env): Resolve | null {
  const isWanted = env.DNS_CHECK === "1" || (env.DNS_CHECK !== "0" && env.LOCAL_MODE !== "1");
  if (!isWanted) return null;
  return resolveOverHttps(env.DNS_RESOLVER ?? DEFAULT_RESOLVER, (url, init) => fetch(url, init));
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The rules under which this audit asks for anything. `delayMs` is the site's crawl-delay, where it has one. */
export async function requestRules(context: StepContext, delayMs = 0): Promise<RequestRules & { throttle: Throttle }> {
  const { config, options, env } = context;
  const headers = await openSecrets(options.secrets, env);
  const site = credentialSite(context.startUrl, context.siteOrigin);
  const rules = {
    userAgent: options.userAgent ?? USER_AGENT,
    allowedHosts: allowedHosts(env),
    ownHosts: [...publicHosts(env), ...(options.ownHost === undefined ? [] : [options.ownHost])],
    headersTimeoutMs: config.HEADERS_TIMEOUT_MS,
    bodyTimeoutMs: config.BODY_TIMEOUT_MS,
    throttle: new Throttle({
      max: config.CRAWL_CONCURRENCY,
      delayMs: Math.max(delayMs, options.requestDelayMs),
      now: Date.now,
      sleep,
    }),
    fetch: (input: string, init: RequestInit) => fetch(input, init),
  };
  return headers === null ? rules : { ...rules, siteHeaders: { site, headers } };
}
