/**
 * Every tunable once: its name, default, unit, and why this number. The values come from wrangler vars of the same name
 * and are checked together, because the rule (supervision/liveness.ts) only holds when they fit each other.
 */

interface Tunable {
  default: number;
  min: number;
  max: number;
  unit: "ms" | "count" | "bytes";
  why: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const TUNABLES = {
  HEARTBEAT_EVERY_MS: {
    default: 15 * SECOND,
    min: 100,
    max: MINUTE,
    unit: "ms",
    why: "a working step beats at least this often; a promise is twice as long, so that one lost beat is no alarm",
  },
  STALE_RUNNING_AFTER_MS: {
    default: 5 * MINUTE,
    min: 500,
    max: 24 * HOUR,
    unit: "ms",
    why: "silence past the promise after which a run that still claims to run is dead; database stalls of 80 s are known",
  },
  SUSPECT_CONFIRM_MS: {
    default: MINUTE,
    min: 200,
    max: HOUR,
    unit: "ms",
    why: "looks that long apart must have seen the same heartbeat, so that a living run has had time for its next one",
  },
  INSTANCE_LOST_CONFIRM_MS: {
    default: 20 * SECOND,
    min: 0,
    max: HOUR,
    unit: "ms",
    why: "one hiccup of the control plane says 'not found' and must not kill",
  },
  INSTANCE_LOST_GRACE_MS: {
    default: 10 * MINUTE,
    min: SECOND,
    max: 24 * HOUR,
    unit: "ms",
    why: "how long an instance that has never beaten may be missing before it is lost",
  },
  RECREATE_AFTER_MS: {
    default: MINUTE,
    min: 100,
    max: HOUR,
    unit: "ms",
    why: "from this age on, an instance that was never found is created again under the same id",
  },
  START_FAILED_AFTER_MS: {
    default: 24 * HOUR,
    min: SECOND,
    max: 7 * 24 * HOUR,
    unit: "ms",
    why: "the platform may queue an instance while the account is at its limit; a day is more than it ever takes",
  },
  UNKNOWN_DEAD_AFTER_MS: {
    default: HOUR,
    min: SECOND,
    max: 24 * HOUR,
    unit: "ms",
    why: "an instance that cannot be asked is given an hour, longer than the status outages that are known",
  },
  EARLY_ASK_AFTER_MS: {
    default: MINUTE,
    min: SECOND,
    max: HOUR,
    unit: "ms",
    why: "a poll may ask this long after the last beat although a longer wait was promised; only final states count then",
  },
  PROBE_EVERY_MS: {
    default: 10 * SECOND,
    min: 0,
    max: HOUR,
    unit: "ms",
    why: "polls ask the platform at most this often for each overdue audit, whoever polls",
  },
  STATUS_TIMEOUT_MS: {
    default: 5 * SECOND,
    min: 50,
    max: MINUTE,
    unit: "ms",
    why: "a status call usually takes well under a second; one that hangs must not hold up a poll or a sweep",
  },
  CRON_INTERVAL_MS: {
    default: 2 * MINUTE,
    min: 200,
    max: HOUR,
    unit: "ms",
    why: "the interval of the cron in wrangler.toml; free plans have 720 steps a day to spare for it",
  },
  WATCHDOG_BATCH_LIMIT: {
    default: 100,
    min: 1,
    max: 1000,
    unit: "count",
    why: "overdue audits read and judged in one step: its JSON stays small and its status calls fit into the budget",
  },
  SWEEP_BUDGET_MS: {
    default: 90 * SECOND,
    min: 100,
    max: 10 * MINUTE,
    unit: "ms",
    why: "a sweep ends before the next one is due; what is left over, the next one takes",
  },
  SWEEP_STATUS_CALLS: {
    default: 4000,
    min: 1,
    max: 9000,
    unit: "count",
    why: "status calls in one run of the supervisor: a paid instance has 10,000 subrequests",
  },
  BREAKER_MIN: {
    default: 5,
    min: 0,
    max: 1_000_000,
    unit: "count",
    why: "that many audits may be lost in one sweep before the breaker asks whether it is the platform that failed",
  },
  CAPACITY_PER_ORGANIZATION: {
    default: 3,
    min: 1,
    max: 10_000,
    unit: "count",
    why: "running audits of one organization; a site is audited politely, so more at once rarely help",
  },
  DEFAULT_MAX_PAGES: {
    default: 500,
    min: 1,
    max: 10_000,
    unit: "count",
    why: "covers most sites and ends in a minute",
  },
  MAX_PAGES: {
    default: 10_000,
    min: 1,
    max: 10_000,
    unit: "count",
    why: "what one Workflow instance can audit within the default limits of a paid account",
  },
  CRAWL_STEP_PAGES: {
    default: 500,
    min: 1,
    max: 2_000,
    unit: "count",
    why: "pages of one crawl step: about a second of computing; between two steps the site has nothing to answer",
  },
  CRAWL_STEP_MS: {
    default: 90 * SECOND,
    min: 100,
    max: 5 * MINUTE,
    unit: "ms",
    why: "a slow site ends a step by time, so that its result is kept",
  },
  CRAWL_CONCURRENCY: {
    default: 6,
    min: 1,
    max: 6,
    unit: "count",
    why: "the platform lets six connections wait for response headers at once; more only queue",
  },
  SAVE_EVERY_PAGES: {
    default: 200,
    min: 1,
    max: 200,
    unit: "count",
    why: "pages saved in one database batch, but one a second at least: every batch waits for the disk, whatever its size",
  },
  TARGETS_STEP: {
    default: 100,
    min: 1,
    max: 1_000,
    unit: "count",
    why: "link targets verified in one step: other people's servers are slow, and each may take its whole time limit",
  },
  MAX_TARGETS: {
    default: 2_000,
    min: 0,
    max: 20_000,
    unit: "count",
    why: "links to other hosts, images, scripts and styles that one audit verifies; the summary says what was left out",
  },
  HEADERS_TIMEOUT_MS: {
    default: 15 * SECOND,
    min: 50,
    max: 2 * MINUTE,
    unit: "ms",
    why: "the catalogue's http.timeout",
  },
  BODY_TIMEOUT_MS: { default: 30 * SECOND, min: 50, max: 5 * MINUTE, unit: "ms", why: "the catalogue's http.timeout" },
  MAX_HTML_BYTES: {
    default: 5_000_000,
    min: 1_000,
    max: 20_000_000,
    unit: "bytes",
    why: "more than any real page; bounds memory against endless and compressed bodies",
  },
  MAX_SITEMAP_BYTES: {
    default: 52_428_800,
    min: 1_000,
    max: 100_000_000,
    unit: "bytes",
    why: "the limit of sitemaps.org for one uncompressed sitemap",
  },
  RETRY_DELAY_MS: {
    default: 5 * SECOND,
    min: 0,
    max: MINUTE,
    unit: "ms",
    why: "the catalogue's http.5xx asks again at least 5 s later",
  },
  MAX_RETRY_AFTER_MS: {
    default: 2 * MINUTE,
    min: 0,
    max: 4 * MINUTE,
    unit: "ms",
    why: "a longer Retry-After ends the page as blocked: a wait must fit into one promise of at most 5 min",
  },
  AUDIT_TIME_BUDGET_MS: {
    default: 6 * HOUR,
    min: SECOND,
    max: 72 * HOUR,
    unit: "ms",
    why: "the crawl of one attempt is cut here and says so; nobody waits longer for a report",
  },
} as const satisfies Record<string, Tunable>;

export type TunableName = keyof typeof TUNABLES;
export type Config = { readonly [Name in TunableName]: number } & { readonly warnings: readonly string[] };

export const STALE_RUNNING_AFTER_MS: number = TUNABLES.STALE_RUNNING_AFTER_MS.default;
export const INSTANCE_LOST_GRACE_MS: number = TUNABLES.INSTANCE_LOST_GRACE_MS.default;
export const WATCHDOG_BATCH_LIMIT: number = TUNABLES.WATCHDOG_BATCH_LIMIT.default;

/** Between the starts of two requests, whoever asks for it: with more, an audit would take days. Milliseconds. */
export const MAX_REQUEST_DELAY_MS = 10 * SECOND;

/** The longest wait that a beat may announce (design: promises). Milliseconds. */
export const MAX_WAIT_MS = 5 * MINUTE;
/** A beat that the database refuses to take is tried again inside the step for so long. Milliseconds. */
export const BEAT_RETRY_FOR_MS = 6 * MINUTE;
/** One try of a beat may take so long. Milliseconds. */
export const BEAT_TRY_MS = 10 * SECOND;
/** Steps are retried this far apart: constant and short, so that a run that lived through a stall beats again soon. */
export const STEP_RETRY_DELAY_MS = 10 * SECOND;

/** A promise: how long after a beat the next one may come at the latest. Milliseconds. */
export const promiseMs = (config: Config): number => 2 * config.HEARTBEAT_EVERY_MS;

/** A var that is no number, lies outside its bounds, or does not fit the others. The message says how to mend it. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** Combinations under which a healthy run could be called dead, each with its sentence. Design: "Promises". */
function dangers(config: Config): string[] {
  const found: string[] = [];
  const refuse = (condition: boolean, sentence: string) => {
    if (condition) found.push(sentence);
  };
  refuse(
    config.STALE_RUNNING_AFTER_MS < 5 * MINUTE,
    `STALE_RUNNING_AFTER_MS is ${config.STALE_RUNNING_AFTER_MS}, below 300000: a database stall of 5 minutes would kill healthy audits`,
  );
  refuse(
    config.SUSPECT_CONFIRM_MS < promiseMs(config) + STEP_RETRY_DELAY_MS,
    `SUSPECT_CONFIRM_MS is ${config.SUSPECT_CONFIRM_MS}, below two HEARTBEAT_EVERY_MS plus the ${STEP_RETRY_DELAY_MS} ms of a step's retry: a run that woke up has no time to beat before the second look`,
  );
  refuse(
    config.SUSPECT_CONFIRM_MS > config.CRON_INTERVAL_MS,
    `SUSPECT_CONFIRM_MS is ${config.SUSPECT_CONFIRM_MS}, above CRON_INTERVAL_MS: two looks of the supervisor would never be enough`,
  );
  refuse(
    config.HEARTBEAT_EVERY_MS > 15 * SECOND,
    `HEARTBEAT_EVERY_MS is ${config.HEARTBEAT_EVERY_MS}, above 15000: detection would be later than promised`,
  );
  refuse(
    config.UNKNOWN_DEAD_AFTER_MS < config.STALE_RUNNING_AFTER_MS,
    "UNKNOWN_DEAD_AFTER_MS is below STALE_RUNNING_AFTER_MS: a run that cannot be asked would die before one that was asked",
  );
  refuse(
    config.INSTANCE_LOST_CONFIRM_MS < 10 * SECOND,
    `INSTANCE_LOST_CONFIRM_MS is ${config.INSTANCE_LOST_CONFIRM_MS}, below 10000: one hiccup of the control plane would kill`,
  );
  refuse(
    config.INSTANCE_LOST_GRACE_MS < 2 * config.RECREATE_AFTER_MS,
    "INSTANCE_LOST_GRACE_MS is below twice RECREATE_AFTER_MS: an instance would be lost before it was created again",
  );
  refuse(
    config.SWEEP_BUDGET_MS >= config.CRON_INTERVAL_MS,
    "SWEEP_BUDGET_MS is not below CRON_INTERVAL_MS: a sweep would still run when the next one starts",
  );
  return found;
}

/**
 * Reads the tunables from wrangler vars. Throws ConfigError for a value that cannot be used, and for a dangerous
 * combination unless UNSAFE_LIMITS is "1": then it becomes a warning (tests that must not wait need short limits).
 */
export function readConfig(vars: Readonly<Record<string, unknown>>): Config {
  const values = {} as Record<TunableName, number>;
  for (const name of Object.keys(TUNABLES) as TunableName[]) {
    const { default: fallback, min, max, unit } = TUNABLES[name];
    const raw = vars[name];
    const value = raw === undefined || raw === "" ? fallback : Number(raw);
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new ConfigError(
        `${name} is ${JSON.stringify(raw)}; it must be a whole number of ${unit === "count" ? "at least" : `${unit}, at least`} ${min} and at most ${max}`,
      );
    }
    values[name] = value;
  }
  const warnings = dangers({ ...values, warnings: [] });
  if (warnings.length > 0 && vars.UNSAFE_LIMITS !== "1" && vars.UNSAFE_LIMITS !== 1) {
    throw new ConfigError(
      `${warnings.join("; ")}. Mend the vars, or set UNSAFE_LIMITS=1 if healthy audits may be killed.`,
    );
  }
  return { ...values, warnings };
}
