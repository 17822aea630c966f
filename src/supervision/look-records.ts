/** What is written down of looks and verdicts. Pure. */
import type { Config } from "../config.ts";
import type { DecisionRecord, LookRecord } from "../storage/look-repository.ts";
import { nextLookDelayMs } from "./liveness.ts";
import type { ActOptions, Judgement, ReconcileResult } from "./reconcile.ts";

export function lookRecord(judgement: Judgement, options: ActOptions, config: Config): LookRecord {
  const { auditId, attempt, seq, now, looks, verdict, evidence, previousLookAt, previousDelayMs } = judgement;
  const delay = options.by === "watchdog" ? nextLookDelayMs(verdict, previousDelayMs, config) : null;
  return {
    auditId,
    attempt,
    seq,
    previousLookAt,
    seenSince: looks.seenSince,
    lookAt: now,
    queuedAt: looks.queuedAt,
    heldAt: looks.heldAt,
    nextLookAt: delay === null ? null : now + delay,
    lookDelayMs: delay,
    evidence: JSON.stringify(evidence),
    verdict: JSON.stringify({ kind: verdict.kind, rule: verdict.rule, reason: verdict.reason }),
  };
}

/** Decisions are written down when something changes, not at every look. */
export function isNews({ judgement, acted }: ReconcileResult): boolean {
  const { verdict, previousVerdict } = judgement;
  if (acted !== "none") return true;
  if (verdict.kind === "alive" || verdict.kind === "final") return false;
  const before = readVerdict(previousVerdict);
  return before === null || before.kind !== verdict.kind || before.rule !== verdict.rule;
}

export function decisionOf({ judgement, acted }: ReconcileResult, options: ActOptions): DecisionRecord {
  const { auditId, attempt, verdict, evidence, now } = judgement;
  return {
    auditId,
    attempt,
    by: options.by,
    runId: options.runId ?? null,
    verdict: verdict.kind,
    code: verdict.kind === "dead" ? verdict.code : null,
    reason: verdict.reason,
    evidence: JSON.stringify({ said: evidence, rule: verdict.rule }),
    acted,
    lookAt: now,
  };
}

/** A stored verdict that cannot be read is none: one broken row must not stop whoever reads it. */
function readVerdict(text: string | null): { kind?: unknown; rule?: unknown } | null {
  try {
    const verdict: unknown = JSON.parse(text ?? "null");
    return typeof verdict === "object" ? verdict : null;
  } catch {
    return null;
  }
}
