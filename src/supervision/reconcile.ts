/**
 * Reconciling one audit: ask its instance, judge, act. The supervisor does it for every overdue audit, whoever reads a
 * status for one, and a person by command. Acting is a compare-and-set on what was judged, so that whoever comes second
 * loses and nothing healthy is ended.
 */
import type { Config } from "../config.ts";
import { type AuditReading, type AuditRepository, type AuditRow, instanceIdOf } from "../storage/audit-repository.ts";
import type { Ending } from "../storage/gate.ts";
import type { DecisionRecord, LookRecord, LookRepository } from "../storage/look-repository.ts";
import type { EndedBy } from "../storage/schema.ts";
import { type AuditErrorWords, wordsOf } from "./audit-errors.ts";
import type { Instances } from "./instances.ts";
import {
  type InstanceEvidence,
  isLoss,
  judge,
  judgeEarly,
  type Looks,
  mayAskEarly,
  needsPlatform,
  nextLookDelayMs,
  recordLook,
  type Verdict,
} from "./liveness.ts";

export interface Supervision {
  config: Config;
  audits: AuditRepository;
  looks: LookRepository;
  instances: Instances;
}

/** What a look at an audit found, and on what it rests. */
export interface Judgement {
  auditId: string;
  attempt: number;
  /** The database's clock when the row was read: all ages are reckoned by it. */
  now: number;
  seq: number;
  heartbeatAt: number;
  heartbeatDueAt: number;
  previousLookAt: number | null;
  previousVerdict: string | null;
  previousDelayMs: number;
  looks: Looks;
  /** Names the ending that this judgement may lead to: acting on it twice ends it once and finds it done. */
  verdictId: string;
  /** Null: the platform was not asked. */
  evidence: InstanceEvidence | null;
  verdict: Verdict;
}

export interface ReconcileResult {
  judgement: Judgement;
  /** What the row got, where this reconciling or another one ended it. */
  error: (AuditErrorWords & { code: string; detail: string | null }) | null;
  /** `won`: this call ended the audit. `lost`: it had moved on meanwhile; no failure. `none`: nothing was to be done. */
  acted: "won" | "lost" | "none";
}

/** An ended attempt's instance is ended by the supervisor as soon as it can. */
const AT_ONCE = 0;

const looksOf = (row: AuditRow): Looks => ({
  seenSeq: row.seenSeq,
  seenSince: row.seenSince,
  lastLookAt: row.lastLookAt,
  queuedAt: row.queuedAt,
  heldAt: row.heldAt,
});

/** Asks and judges; records nothing. `early`: a poll may ask although a longer wait was promised. */
export async function lookAt(
  supervision: Supervision,
  { audit, now }: AuditReading,
  early = false,
): Promise<Judgement> {
  const { config, instances } = supervision;
  const base = {
    auditId: audit.id,
    attempt: audit.attempt,
    now,
    seq: audit.heartbeatSeq,
    heartbeatAt: audit.heartbeatAt,
    heartbeatDueAt: audit.heartbeatDueAt,
    previousLookAt: audit.lastLookAt,
    previousVerdict: audit.lastVerdict,
    previousDelayMs: audit.lookDelayMs,
    verdictId: crypto.randomUUID(),
  };
  const before = looksOf(audit);
  const asksEarly = early && mayAskEarly(audit, now, config);
  if (!needsPlatform(audit, now) && !asksEarly) {
    // Nothing is asked, so the evidence does not matter to the rule.
    return { ...base, looks: before, evidence: null, verdict: judge(audit, before, { said: "unknown" }, now, config) };
  }
  const evidence = await instances.ask(instanceIdOf(audit.id, audit.attempt));
  if (asksEarly && !needsPlatform(audit, now)) {
    return { ...base, looks: before, evidence, verdict: judgeEarly(audit, evidence, now, config) };
  }
  const verdict = judge(audit, before, evidence, now, config);
  return { ...base, looks: recordLook(before, { seq: audit.heartbeatSeq, now, verdict }, config), evidence, verdict };
}

export interface ActOptions {
  by: Exclude<EndedBy, "workflow">;
  /** The supervisor's run, when it is one. */
  runId?: string;
}

/**
 * Acts on what was judged: ends the dead in one batch, creates again what was never found, and keeps the looks of all
 * others. Returns, for each judgement, what came of it.
 */
export async function act(
  supervision: Supervision,
  judgements: readonly Judgement[],
  options: ActOptions,
): Promise<ReconcileResult[]> {
  const { audits, looks, instances } = supervision;
  const dead = judgements.filter(({ verdict }) => verdict.kind === "dead");
  const won = await audits.endMany(dead.map((judgement) => endingOf(judgement, options.by)));
  const lost = new Set(dead.map(({ auditId }) => auditId).filter((id) => !won.has(id)));
  for (const { auditId, attempt, verdict } of judgements) {
    // Whether it is there now shows at the next look; a refusal changes nothing.
    if (verdict.kind === "recreate") await instances.create(instanceIdOf(auditId, attempt), { auditId, attempt });
  }
  const alive = judgements.filter(({ verdict, evidence }) => verdict.kind !== "dead" && evidence !== null);
  const results = judgements.map((judgement): ReconcileResult => {
    const { verdict, auditId } = judgement;
    if (verdict.kind !== "dead") return { judgement, error: null, acted: "none" };
    const error = { code: verdict.code, detail: verdict.detail, ...wordsOf(verdict.code) };
    return { judgement, error, acted: lost.has(auditId) ? "lost" : "won" };
  });
  await looks.record(
    alive.map((judgement) => lookRecord(judgement, options, supervision.config)),
    results.filter(isNews).map((result) => decisionOf(result, options)),
  );
  return results;
}

/** Keeps the looks of judgements that are not acted on, because the breaker holds them back. */
export async function keepLooks(
  supervision: Supervision,
  judgements: readonly Judgement[],
  options: ActOptions,
): Promise<void> {
  const held = judgements.map((judgement): ReconcileResult => ({ judgement, error: null, acted: "none" }));
  await supervision.looks.record(
    judgements.map((judgement) => lookRecord(judgement, options, supervision.config)),
    held.filter(isNews).map((result) => decisionOf(result, options)),
  );
}

/**
 * Reconciles one audit now. `holdsBack` is asked before a loss (heartbeat_lost, instance_lost) is acted on: under the
 * breaker such a verdict is left to the supervisor.
 */
export async function reconcileRunningAudit(
  supervision: Supervision,
  reading: AuditReading,
  options: ActOptions & { early?: boolean; holdsBack?: () => Promise<boolean> },
): Promise<ReconcileResult> {
  const judgement = await lookAt(supervision, reading, options.early);
  if (judgement.verdict.kind === "dead" && isLoss(judgement.verdict) && (await options.holdsBack?.()) === true) {
    await keepLooks(supervision, [judgement], options);
    return { judgement, error: null, acted: "none" };
  }
  const [result] = await act(supervision, [judgement], options);
  return result ?? { judgement, error: null, acted: "none" };
}

function endingOf({ auditId, attempt, seq, verdict, evidence, verdictId }: Judgement, by: EndedBy): Ending {
  const dead = verdict.kind === "dead" ? verdict : null;
  return {
    auditId,
    attempt,
    status: "failed",
    by,
    code: dead?.code ?? null,
    detail: dead?.detail ?? null,
    evidence: { said: evidence, verdict },
    verdictId,
    seq,
    stepRun: null,
    detected: true,
    terminateAfterMs: AT_ONCE,
  };
}

function lookRecord(judgement: Judgement, options: ActOptions, config: Config): LookRecord {
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
function isNews({ judgement, acted }: ReconcileResult): boolean {
  const { verdict, previousVerdict } = judgement;
  if (acted !== "none") return true;
  if (verdict.kind === "alive" || verdict.kind === "final") return false;
  const before = previousVerdict === null ? null : (JSON.parse(previousVerdict) as { kind: string; rule: string });
  return before === null || before.kind !== verdict.kind || before.rule !== verdict.rule;
}

function decisionOf({ judgement, acted }: ReconcileResult, options: ActOptions): DecisionRecord {
  const { auditId, attempt, verdict, evidence, now, heartbeatAt } = judgement;
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
    detectionMs: acted === "won" ? now - heartbeatAt : null,
  };
}
