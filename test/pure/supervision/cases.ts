/** Rows, looks and answers of the platform, as the tests of the rule need them. */
import { readConfig } from "../../../src/config.ts";
import {
  INSTANCE_STATUSES,
  type InstanceEvidence,
  judge,
  type Looks,
  NO_LOOKS,
  type RunRow,
} from "../../../src/supervision/liveness.ts";

export const config = readConfig({});
export const NOW = 1_800_000_000_000;
export const S = 1_000;
export const MIN = 60 * S;

export const SAID = [...INSTANCE_STATUSES, "not_found", "unreachable"] as const;
export const evidenceOf = (said: (typeof SAID)[number]): InstanceEvidence =>
  said === "unreachable" ? { said, why: "no answer within 5000 ms" } : { said };

export const rowOf = (overdue: number, age: number, beaten: boolean, promise = 30 * S): RunRow => ({
  status: "running",
  attempt: 1,
  attemptStartedAt: NOW - age,
  heartbeatAt: NOW - overdue - promise,
  heartbeatSeq: beaten ? 41 : 0,
  heartbeatDueAt: NOW - overdue,
});

export const looksOf = (
  seq: number,
  chain: number,
  queuedAgo: number | null = null,
  heldAgo: number | null = null,
): Looks => ({
  seenSeq: seq,
  seenSince: NOW - chain,
  lastLookAt: NOW - Math.min(chain, 10 * S),
  queuedAt: queuedAgo === null ? null : NOW - queuedAgo,
  heldAt: heldAgo === null ? null : NOW - heldAgo,
});

export const verdictOf = (said: (typeof SAID)[number], overdue: number) =>
  judge(rowOf(overdue, overdue + 30 * S, true), NO_LOOKS, evidenceOf(said), NOW, config);
