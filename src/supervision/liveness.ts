/**
 * The rule: is the compute behind a running audit alive? One pure function that the supervisor, getStatus, the commands
 * and the tests all call. docs/how-it-works.md shows it as a table; every verdict names the row that applied.
 *
 * All times are milliseconds of the database's clock. A limit is reached when it is met exactly, except where the table
 * says "older than".
 */
import { type Config, MAX_WAIT_MS } from "../config.ts";
import type { AuditStatus } from "../storage/schema.ts";
import { formatDuration } from "../words.ts";
import { type AuditErrorCode, classifyAuditError } from "./audit-errors.ts";
import { chainMs, extendChain, type Looks, NO_LOOKS } from "./looks.ts";

export { extendChain, type Looks, NO_LOOKS, recordLook } from "./looks.ts";
export { breakerTrips, isLoss, nextLookDelayMs } from "./sweep-limits.ts";

/** What the rule reads of an audit. */
export interface RunRow {
  status: AuditStatus;
  attempt: number;
  attemptStartedAt: number;
  heartbeatAt: number;
  /** 0: this attempt has never beaten. */
  heartbeatSeq: number;
  heartbeatDueAt: number;
}

/** Every status that the platform gives a Workflow instance. */
export const INSTANCE_STATUSES = [
  "queued",
  "running",
  "paused",
  "errored",
  "terminated",
  "complete",
  "waiting",
  "waitingForPause",
  "rollingBack",
  "unknown",
] as const;
export type InstanceStatusName = (typeof INSTANCE_STATUSES)[number];

/** What asking the platform brought: a status, the news that there is no such instance, or nothing. */
export type InstanceEvidence =
  | { said: InstanceStatusName; error?: { name: string; message: string } | string | null }
  | { said: "not_found" }
  | { said: "unreachable"; why: string };

/** The rows of the table, by the id that a verdict carries. */
export const RULES = {
  final: "an audit that has ended is not judged",
  not_overdue: "a run that is not overdue is alive, and the platform is not asked",
  ended: "errored or terminated: dead at the first look",
  complete: "complete without a recorded result: dead at the first look",
  not_found: "not found, though it has beaten: dead once looks over some time have seen the same heartbeat",
  never_found: "not found, and it has never beaten: created again, dead once the attempt is older than the grace",
  claims_to_run:
    "running or waiting: dead once it is overdue by the limit and looks over some time, at least as long as its promise, have seen the same heartbeat",
  queued: "queued: waits for the platform, dead after a day",
  held: "paused or rolling back: somebody holds it on purpose, never dead",
  unknown:
    "cannot be known: dead once it is overdue by the longer limit and looks over some time have seen the same heartbeat",
} as const;
export type RuleId = keyof typeof RULES;

export interface VerdictNumbers {
  /** How far past its promise; negative: so long until then. */
  overdueMs: number;
  /** The overdue time (for `never_found`: the age of the attempt) at which this row kills; null: never by time. */
  limitMs: number | null;
  /** Time since the attempt began. */
  ageMs: number;
  chainMs: number;
  /** The chain that this row demands; null: none. */
  chainLimitMs: number | null;
  seq: number;
}

interface VerdictBase extends VerdictNumbers {
  rule: RuleId;
  /** One sentence with the numbers, for people. */
  reason: string;
}

export type Verdict =
  | (VerdictBase & { kind: "final" | "alive" | "suspect" | "queued" | "held" | "unknown" })
  /**
   * Call `create()` again with the same id. When that really made a new instance (no `already_exists`), it needs time for
   * its first beat like any other: give the attempt a new promise (`heartbeat_due_at`) and NO_LOOKS.
   */
  | (VerdictBase & { kind: "recreate" })
  | (VerdictBase & { kind: "dead"; code: AuditErrorCode; detail: string });
export type VerdictKind = Verdict["kind"];

/** True once a running audit has broken its promise. */
export const isOverdue = (row: RunRow, now: number): boolean => row.status === "running" && now > row.heartbeatDueAt;

/** Whether judging needs to know what the platform says: only of overdue audits. */
export const needsPlatform = isOverdue;

/** A poll or a capacity check may ask although a longer wait was promised: then only the end of the instance counts. */
export const mayAskEarly = (row: RunRow, now: number, config: Config): boolean =>
  row.status === "running" && !isOverdue(row, now) && now - row.heartbeatAt > config.EARLY_ASK_AFTER_MS;

/**
 * Judges one audit. `looks` are those stored before this look, or already extended by it; store `recordLook(...)`
 * afterwards.
 */
export function judge(row: RunRow, looks: Looks, evidence: InstanceEvidence, now: number, config: Config): Verdict {
  return settled(row, now) ?? judgeOverdue(row, looks, evidence, now, config);
}

/** Judges an audit that is not overdue but `mayAskEarly`: errored, terminated and complete count, all else is alive. */
export function judgeEarly(row: RunRow, evidence: InstanceEvidence, now: number, config: Config): Verdict {
  const early = mayAskEarly(row, now, config);
  if (early && (evidence.said === "errored" || evidence.said === "terminated" || evidence.said === "complete")) {
    return judgeOverdue(row, NO_LOOKS, evidence, now, config);
  }
  return judge(row, NO_LOOKS, evidence, now, config);
}

/** The verdict where the platform has no say; null: it has. */
function settled(row: RunRow, now: number): Verdict | null {
  const numbers = {
    overdueMs: now - row.heartbeatDueAt,
    limitMs: null,
    ageMs: now - row.attemptStartedAt,
    chainMs: 0,
    chainLimitMs: null,
    seq: row.heartbeatSeq,
  };
  if (row.status !== "running") {
    return { kind: "final", rule: "final", reason: `the audit is ${row.status}; nothing is left to judge`, ...numbers };
  }
  if (isOverdue(row, now)) return null;
  const left = formatDuration(row.heartbeatDueAt - now);
  const reason =
    row.heartbeatSeq === 0
      ? `started ${formatDuration(now - row.attemptStartedAt)} ago, the first heartbeat is promised within ${left}`
      : `last heartbeat ${row.heartbeatSeq} was ${formatDuration(now - row.heartbeatAt)} ago, the next is promised within ${left}`;
  return { kind: "alive", rule: "not_overdue", reason, ...numbers };
}

function judgeOverdue(row: RunRow, before: Looks, evidence: InstanceEvidence, now: number, config: Config): Verdict {
  const seq = row.heartbeatSeq;
  const looks = extendChain(before, { seq, now }, config);
  const overdueMs = now - row.heartbeatDueAt;
  const ageMs = now - row.attemptStartedAt;
  const chain = chainMs(looks, now);
  const neverBeaten = seq === 0;
  /** Somebody found it queued or held at this very heartbeat: its silence proves nothing. */
  const excused = looks.queuedAt !== null || looks.heldAt !== null;

  // After a sleep of the machine or a step of the clock, a run in the middle of an announced wait looks overdue, and needs
  // up to the whole of that wait until it can beat.
  const promised = Math.min(row.heartbeatDueAt - row.heartbeatAt, MAX_WAIT_MS);
  const silenceToConfirm = Math.max(config.SUSPECT_CONFIRM_MS, promised);

  const verdict = (
    kind: "suspect" | "queued" | "held" | "unknown" | "recreate" | { code: AuditErrorCode; detail?: string | null },
    rule: RuleId,
    limits: { limitMs: number | null; chainLimitMs: number | null },
    says: string,
  ): Verdict => {
    const reason = [
      overdueMs > 0
        ? `silent for ${formatDuration(overdueMs)}`
        : `last heartbeat ${formatDuration(now - row.heartbeatAt)} ago`,
      limits.limitMs === null || limits.limitMs === 0 || rule === "never_found"
        ? null
        : `limit ${formatDuration(limits.limitMs)}`,
      says,
      rule === "never_found"
        ? `it has never beaten, the attempt is ${formatDuration(ageMs)} old, limit ${formatDuration(limits.limitMs ?? 0)}`
        : null,
      limits.chainLimitMs === null ? null : chainWords(seq, chain),
    ]
      .filter((part) => part !== null)
      .join(", ");
    const base = { rule, reason, overdueMs, ageMs, chainMs: chain, seq, ...limits };
    return typeof kind === "string"
      ? { kind, ...base }
      : { kind: "dead", code: kind.code, detail: kind.detail ?? reason, ...base };
  };

  switch (evidence.said) {
    case "errored":
    case "terminated":
      return verdict(
        endedCode(evidence),
        "ended",
        { limitMs: 0, chainLimitMs: null },
        `instance says ${evidence.said}`,
      );

    case "complete":
      return verdict(
        { code: "completion_lost" },
        "complete",
        { limitMs: 0, chainLimitMs: null },
        "instance says complete, but no result was recorded",
      );

    case "not_found": {
      // The chain is asked of an instance that never beat, too: one hiccup must not kill a run that waits in a queue.
      const chainLimitMs = excused ? config.STALE_RUNNING_AFTER_MS : config.INSTANCE_LOST_CONFIRM_MS;
      const says = excused ? "instance not found, though it was found queued or held before" : "instance not found";
      if (!neverBeaten) {
        const dead = chain >= chainLimitMs;
        return verdict(dead ? { code: "instance_lost" } : "suspect", "not_found", { limitMs: 0, chainLimitMs }, says);
      }
      const limits = { limitMs: config.INSTANCE_LOST_GRACE_MS, chainLimitMs };
      if (ageMs > config.INSTANCE_LOST_GRACE_MS && chain >= chainLimitMs) {
        return verdict({ code: "instance_lost" }, "never_found", limits, says);
      }
      const young = ageMs >= config.RECREATE_AFTER_MS && ageMs <= config.INSTANCE_LOST_GRACE_MS;
      return verdict(young ? "recreate" : "suspect", "never_found", limits, says);
    }

    case "running":
    case "waiting": {
      const limits = { limitMs: config.STALE_RUNNING_AFTER_MS, chainLimitMs: silenceToConfirm };
      const dead = overdueMs >= limits.limitMs && chain >= limits.chainLimitMs;
      return verdict(
        dead ? { code: "heartbeat_lost" } : "suspect",
        "claims_to_run",
        limits,
        `instance says ${evidence.said}`,
      );
    }

    case "queued": {
      // A pause of a day and then a moment in the queue is no day in the queue.
      const limitMs = config.START_FAILED_AFTER_MS;
      const dead = overdueMs >= limitMs && now - (looks.heldAt ?? row.heartbeatDueAt) >= limitMs;
      return verdict(
        dead ? { code: "start_failed" } : "queued",
        "queued",
        { limitMs, chainLimitMs: null },
        "instance says queued: it waits for the platform",
      );
    }

    case "paused":
    case "waitingForPause":
    case "rollingBack":
      return verdict(
        "held",
        "held",
        { limitMs: null, chainLimitMs: null },
        `instance says ${evidence.said}: somebody holds it on purpose`,
      );

    case "unknown":
    case "unreachable": {
      const limits = {
        limitMs: config.UNKNOWN_DEAD_AFTER_MS,
        chainLimitMs: excused ? Math.max(config.STALE_RUNNING_AFTER_MS, silenceToConfirm) : silenceToConfirm,
      };
      const silentSince = Math.max(row.heartbeatDueAt, looks.queuedAt ?? 0, looks.heldAt ?? 0);
      const dead = now - silentSince >= limits.limitMs && chain >= limits.chainLimitMs;
      const says =
        "why" in evidence ? `the platform could not be asked (${shorten(evidence.why)})` : "instance says unknown";
      return verdict(dead ? { code: "heartbeat_lost" } : "unknown", "unknown", limits, says);
    }

    default:
      evidence satisfies never;
      throw new TypeError("evidence of no known kind");
  }
}

function chainWords(seq: number, chain: number): string {
  if (chain === 0) return seq === 0 ? "first look" : `first look at heartbeat ${seq}`;
  return seq === 0
    ? `still no heartbeat since the look ${formatDuration(chain)} ago`
    : `same heartbeat ${seq} seen ${formatDuration(chain)} ago`;
}

const shorten = (why: string): string => (why.length > 200 ? `${why.slice(0, 199)}…` : why);

/** The code for an instance that ended by an error or was terminated; one without a known cause keeps what is known. */
function endedCode(evidence: { said: string; error?: { name: string; message: string } | string | null }): {
  code: AuditErrorCode;
  detail: string | null;
} {
  const nothing = evidence.said === "terminated" ? "workflow_terminated" : "unknown";
  if (evidence.error === undefined || evidence.error === null || evidence.error === "")
    return { code: nothing, detail: null };
  const { code, detail } = classifyAuditError(evidence.error);
  return { code: code === "unknown" ? nothing : code, detail: detail === "" ? null : detail };
}
