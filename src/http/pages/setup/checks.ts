/** The product looks at its own configuration: what is in order, what is not, and how to mend it. Pure. */
import type { Config } from "../../../config.ts";
import type { Env } from "../../../env.ts";
import type { OutboxState } from "../../../storage/setup-repository.ts";
import type { SupervisorState } from "../../../storage/supervisor-repository.ts";
import { supervisorHealth } from "../../../supervision/supervisor-health.ts";
import { analyticsOn } from "../../../telemetry/analytics.ts";
import { formatDuration } from "../../../words.ts";
import { accessSettings } from "../../auth/access.ts";

/** `optional`: off, and nothing is wrong with that. */
export type CheckState = "good" | "bad" | "wait" | "optional";

export interface SetupCheck {
  id: string;
  title: string;
  state: CheckState;
  /** What was found. */
  text: string;
  /** How to mend it, in order: commands are marked by `$ `. */
  mend: string[];
}

export interface SetupFacts {
  env: Env;
  /** This very request needs no token: the launcher's own machine. */
  local: boolean;
  /** Null: the configuration does not hold; `configError` says why. */
  config: Config | null;
  configError: string | null;
  /** What the database lacks; null: it does not answer. */
  missing: readonly string[] | null;
  supervisor: { state: SupervisorState; now: number } | null;
  outbox: OutboxState | null;
}

const filled = (text: string | undefined): boolean => (text ?? "").trim() !== "";

export const setupChecks = (facts: SetupFacts): SetupCheck[] => [
  database(facts),
  configuration(facts),
  bindings(facts),
  cron(facts),
  auth(facts),
  secretKey(facts),
  analytics(facts),
];

function database({ missing, local }: SetupFacts): SetupCheck {
  const base = { id: "database", title: "Database" };
  const mend = [`$ npx wrangler d1 migrations apply DB ${local ? "--local" : "--remote"}`];
  if (missing === null) {
    return {
      ...base,
      state: "bad",
      text: "It does not answer.",
      mend: ["Check the D1 binding DB in wrangler.toml: its database_id must be one of your account.", ...mend],
    };
  }
  if (missing.length > 0) {
    const some = missing.slice(0, 3).join(", ");
    return {
      ...base,
      state: "bad",
      text: `It is not migrated: ${missing.length} things are missing, such as ${some}.`,
      mend,
    };
  }
  return { ...base, state: "good", text: "It answers, and every table, column and index is there.", mend: [] };
}

function configuration({ config, configError }: SetupFacts): SetupCheck {
  const base = { id: "configuration", title: "Limits" };
  if (config === null) {
    return {
      ...base,
      state: "bad",
      text: configError ?? "The limits cannot be read.",
      mend: ["Mend the vars in wrangler.toml, then deploy again."],
    };
  }
  if (config.warnings.length > 0) {
    return {
      ...base,
      state: "bad",
      text: `They are unsafe, so healthy audits may be ended. ${config.warnings.join(". ")}.`,
      mend: ["Take UNSAFE_LIMITS away, and with it the vars that are named here. It is meant for tests."],
    };
  }
  return { ...base, state: "good", text: "They fit each other: no healthy audit can be called dead.", mend: [] };
}

function bindings({ env }: SetupFacts): SetupCheck {
  const base = { id: "workflows", title: "Workflows" };
  const lacking = (["SITE_AUDIT", "AUDIT_SUPERVISOR"] as const).filter((name) => (env[name] as unknown) === undefined);
  if (lacking.length === 0)
    return { ...base, state: "good", text: "Both are bound: SITE_AUDIT and AUDIT_SUPERVISOR.", mend: [] };
  return {
    ...base,
    state: "bad",
    text: `Not bound: ${lacking.join(", ")}.`,
    mend: ["Restore the [[workflows]] entries of wrangler.toml, then deploy.", "$ npx wrangler deploy"],
  };
}

function cron({ supervisor, config, local }: SetupFacts): SetupCheck {
  const base = { id: "cron", title: "Supervisor" };
  const mend = local
    ? ["The launcher ticks the cron. Start it again.", "$ npm start"]
    : [
        "Check [triggers] in wrangler.toml, then deploy; a new cron may need 15 minutes until it fires.",
        "$ npx wrangler deploy",
      ];
  if (supervisor === null || config === null)
    return {
      ...base,
      state: "bad",
      text: "Its state cannot be read.",
      mend: ["Mend the database and the limits first."],
    };
  const { state, now } = supervisor;
  if (state.lastCronAt === null) {
    return {
      ...base,
      state: "wait",
      text: `The cron has not been seen yet. It fires every ${formatDuration(config.CRON_INTERVAL_MS)}.`,
      mend,
    };
  }
  const { late, note } = supervisorHealth(state, null, now, config);
  if (late) return { ...base, state: "bad", text: note ?? "It is late.", mend };
  if (state.lastFinishedAt === null)
    return { ...base, state: "wait", text: "The cron has fired, and the first run is under way.", mend: [] };
  return {
    ...base,
    state: "good",
    text: `The cron was seen ${formatDuration(now - state.lastCronAt)} ago, and the last run finished ${formatDuration(now - state.lastFinishedAt)} ago.`,
    mend: [],
  };
}

function auth({ env, local }: SetupFacts): SetupCheck {
  const base = { id: "auth", title: "Door" };
  const token = filled(env.ADMIN_TOKEN);
  const access = accessSettings(env) !== null;
  const mend = [
    "$ npx wrangler secret put ADMIN_TOKEN",
    "Or put Cloudflare Access before the Worker, and set ACCESS_TEAM_DOMAIN and ACCESS_AUD.",
  ];
  if (token || access) {
    const words = [access ? "Cloudflare Access says who comes in" : "", token ? "ADMIN_TOKEN opens it" : ""]
      .filter(Boolean)
      .join(", and ");
    return { ...base, state: "good", text: `It is shut: ${words}.`, mend: [] };
  }
  if (local)
    return {
      ...base,
      state: "good",
      text: "Only this machine can reach the server, so no token is needed here. A deployed Worker needs one.",
      mend,
    };
  return { ...base, state: "bad", text: "No token is configured, so the server answers nobody.", mend };
}

function secretKey({ env }: SetupFacts): SetupCheck {
  const base = { id: "secret-key", title: "Secret key" };
  const mend = [
    "$ npx wrangler secret put SECRET_KEY",
    "Choose a long random text and keep it: with another one, secret headers of older audits cannot be opened.",
  ];
  if (filled(env.SECRET_KEY))
    return { ...base, state: "good", text: "It is set. It seals secret headers and signs sessions.", mend: [] };
  if (filled(env.ADMIN_TOKEN))
    return {
      ...base,
      state: "optional",
      text: "ADMIN_TOKEN stands in for it. Once that is changed, everybody is signed out and sealed headers are lost.",
      mend,
    };
  return {
    ...base,
    state: "optional",
    text: "It is not set, so audits cannot carry secret headers or passwords.",
    mend,
  };
}

function analytics({ env, outbox }: SetupFacts): SetupCheck {
  const base = { id: "analytics", title: "Analytics" };
  if (!analyticsOn(env)) {
    return {
      ...base,
      state: "optional",
      text: "Off: no event leaves the server. With a PostHog key, starts and ends of audits are sent.",
      mend: ["$ npx wrangler secret put POSTHOG_API_KEY"],
    };
  }
  if (outbox !== null && outbox.pending > 0 && outbox.lastError !== null) {
    return {
      ...base,
      state: "bad",
      text: `On, but ${outbox.pending} events wait: ${outbox.lastError.slice(0, 200)}`,
      mend: ["Check POSTHOG_API_KEY and POSTHOG_HOST. Nothing is lost: the supervisor tries again."],
    };
  }
  return { ...base, state: "good", text: `On; ${outbox?.pending ?? 0} events wait to be sent.`, mend: [] };
}
