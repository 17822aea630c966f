/**
 * Reconciling one audit: ask its instance, judge, act. The supervisor does it for every overdue audit, whoever reads a
 * status for one, and a person by command. Acting is a compare-and-set on what was judged, so that whoever comes second
 * loses and nothing healthy is ended.
 */
import type { Config } from "../config.ts";
import { type AuditReading, type AuditRepository, type AuditRow, instanceIdOf } from "../storage/audit-repository.ts";
import type { Ending } from "../storage/gate.ts";
import type { LookRepository } from "../storage/look-repository.ts";
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
  recordLook,
  type Verdict,
} from "./liveness.ts";
import { decisionOf, isNews, lookRecord } from "./look-records.ts";
import { allOrEach, someAtOnce } from "./many.ts";

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

/** Missing instances are created again so many at once, and for no longer than this; the rest waits for the next look. */
const CREATES = { atOnce: 6, forMs: 20_000 } as const;

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
    // A pause belongs to the heartbeat that was seen.
    previousDelayMs: audit.seenSeq === audit.heartbeatSeq ? audit.lookDelayMs : 0,
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
  const dead = judgements.filter(({ verdict }) => verdict.kind === "dead");
  const { won, broken } = await endThem(supervision, dead, options);
  const results = judgements.map((judgement): ReconcileResult => {
    const { verdict, auditId } = judgement;
    if (verdict.kind !== "dead" || broken.has(auditId)) return { judgement, error: null, acted: "none" };
    const error = { code: verdict.code, detail: verdict.detail, ...wordsOf(verdict.code) };
    return { judgement, error, acted: won.has(auditId) ? "won" : "lost" };
  });
  // What ended is written down before anything slow is tried.
  await record(
    supervision,
    results.filter(({ judgement }) => judgement.verdict.kind === "dead"),
    options,
  );
  const recreated = await recreate(supervision, judgements);
  const living = results.filter(({ judgement }) => isKept(judgement));
  await record(supervision, living, options, recreated);
  return results;
}

/** An early look that found nothing is no part of the chain: the run is not overdue. */
const isKept = ({ verdict, evidence }: Judgement): boolean =>
  verdict.kind !== "dead" && verdict.kind !== "alive" && verdict.kind !== "final" && evidence !== null;

/** Ends the dead; one that the database cannot take does not keep the others alive. */
async function endThem(
  { audits }: Supervision,
  dead: readonly Judgement[],
  options: ActOptions,
): Promise<{ won: Set<string>; broken: Set<string> }> {
  const broken = new Set<string>();
  const won = await allOrEach(
    dead,
    (judgements) => audits.endMany(judgements.map((judgement) => endingOf(judgement, options.by))),
    ({ auditId }, error) => {
      broken.add(auditId);
      console.error("an audit could not be ended:", auditId, error instanceof Error ? error.message : error);
    },
  );
  return { won: new Set(won.flatMap((ids) => [...ids])), broken };
}

/** Creates what was never found; returns those whose instance is new, and needs time for its first beat like any other. */
async function recreate(
  { instances }: Supervision,
  judgements: readonly Judgement[],
): Promise<{ auditId: string; attempt: number }[]> {
  const missing = judgements.filter(({ verdict }) => verdict.kind === "recreate");
  const recreated: { auditId: string; attempt: number }[] = [];
  const { atOnce, forMs } = CREATES;
  await someAtOnce(missing, { atOnce, until: Date.now() + forMs }, async ({ auditId, attempt }) => {
    // A refusal changes nothing: the rule gives up in its time.
    const outcome = await instances.create(instanceIdOf(auditId, attempt), { auditId, attempt });
    if (outcome.kind === "created") recreated.push({ auditId, attempt });
  });
  return recreated;
}

async function record(
  { looks, config }: Supervision,
  results: readonly ReconcileResult[],
  options: ActOptions,
  recreated: readonly { auditId: string; attempt: number }[] = [],
): Promise<void> {
  const again = new Map(recreated.map((one) => [one.auditId, one]));
  await allOrEach(
    results,
    (some) => {
      const kept = some.filter(({ acted, judgement }) => acted === "none" && judgement.evidence !== null);
      return looks.record(
        kept.map(({ judgement }) => lookRecord(judgement, options, config)),
        some.filter(isNews).map((result) => decisionOf(result, options)),
        some.flatMap(({ judgement }) => again.get(judgement.auditId) ?? []),
      );
    },
    ({ judgement }, error) =>
      console.error("a look was not kept:", judgement.auditId, error instanceof Error ? error.message : error),
  );
}

/** Keeps the looks of judgements that are not acted on, because the breaker holds them back. */
export async function keepLooks(
  supervision: Supervision,
  judgements: readonly Judgement[],
  options: ActOptions,
): Promise<void> {
  const held = judgements.map((judgement): ReconcileResult => ({ judgement, error: null, acted: "none" }));
  await record(supervision, held, options);
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
