/** The guards of the product, each with the text that makes it one, and the test that must notice when it is gone. */

export interface Mutant {
  /** What is taken away, in words. */
  guard: string;
  file: string;
  /** Occurs exactly once in the file. */
  text: string;
  /** What stands there instead. */
  without: string;
  /** The vitest project and file, and a part of the test's name. */
  project: "pure" | "worker";
  test: string;
  name: string;
}

const GUARDS = "test/worker/supervision/guards.test.ts";
const RACES = "test/worker/supervision/races.test.ts";
const GATE = "test/worker/supervision/gate.test.ts";
const SWEEP = "test/worker/supervision/sweep.test.ts";
const BREAKER = "test/worker/supervision/breaker.test.ts";
const STATUS = "test/worker/supervision/get-status.test.ts";
const DEAD = "test/worker/supervision/dead-instances.test.ts";
const STOP = "test/worker/supervision/start-and-stop.test.ts";
const CRON = "test/worker/supervision/supervisor-workflow.test.ts";
const LOOKS = "test/pure/supervision/looks.test.ts";
const RULE = "test/pure/supervision/liveness.test.ts";

const worker = (guard: string, file: string, text: string, without: string, test: string, name: string): Mutant => ({
  guard,
  file,
  text,
  without,
  project: "worker",
  test,
  name,
});

const pure = (guard: string, file: string, text: string, without: string, test: string, name: string): Mutant => ({
  ...worker(guard, file, text, without, test, name),
  project: "pure",
});

const fence = "src/storage/fence.ts";
const gate = "src/storage/gate.ts";
const looks = "src/storage/look-repository.ts";
const supervisor = "src/storage/supervisor-repository.ts";
const audits = "src/storage/audit-repository.ts";
const removal = "src/storage/audit-removal.ts";
const heartbeat = "src/supervision/heartbeat.ts";
const reconcile = "src/supervision/reconcile.ts";
const sweep = "src/supervision/sweep.ts";
const breaker = "src/supervision/breaker.ts";
const chain = "src/supervision/looks.ts";
const rule = "src/supervision/liveness.ts";
const service = "src/audit/audit-service.ts";

export const MUTANTS: readonly Mutant[] = [
  // The fence.
  worker("fence: the audit", fence, "sql`id = ${fence.auditId} and ", "sql`", GUARDS, "writes to no audit but its own"),
  worker("fence: the attempt", fence, " and attempt = ${fence.attempt} and", " and", GUARDS, "refuses to write for"),
  worker(
    "fence: the execution of the step",
    fence,
    " and step_run = ${fence.stepRun}",
    "",
    GUARDS,
    "refuses to write for",
  ),
  worker("fence: still running", fence, " and status = 'running'`", "`", GUARDS, "refuses to write for"),
  worker(
    "fence: every statement of the batch",
    fence,
    "sql`exists (select 1 from audits where ${fenceOf(fence)})`",
    "sql`(1 or ${fenceOf(fence)})`",
    GUARDS,
    "refuses to write for",
  ),
  worker(
    "fence: a refused write ends the run",
    fence,
    "if (changes(results) === 0)",
    "if (changes(results) < 0)",
    GUARDS,
    "refuses to write for",
  ),
  worker(
    "opening beat: the attempt",
    heartbeat,
    "where id = ${fence.auditId} and attempt = ${fence.attempt} and status = 'running' and step_order",
    "where id = ${fence.auditId} and status = 'running' and step_order",
    GUARDS,
    "does not take it for",
  ),
  worker(
    "opening beat: still running",
    heartbeat,
    "attempt = ${fence.attempt} and status = 'running' and step_order",
    "attempt = ${fence.attempt} and step_order",
    GUARDS,
    "does not take it for",
  ),
  worker(
    "opening beat: no older execution takes the fence back",
    heartbeat,
    " and step_order <= ${order}`",
    "`",
    GUARDS,
    "never gives it back to",
  ),

  // The gate.
  worker(
    "gate: the audit",
    gate,
    "where audits.id = e.value ->> 'auditId' and attempt",
    "where attempt",
    GUARDS,
    "ends no audit but its own",
  ),
  worker(
    "gate: the attempt",
    gate,
    " and attempt = e.value ->> 'attempt' and status = 'running'",
    " and status = 'running'",
    GUARDS,
    "does not end",
  ),
  worker(
    "gate: still running",
    gate,
    " and attempt = e.value ->> 'attempt' and status = 'running'",
    " and attempt = e.value ->> 'attempt'",
    GUARDS,
    "does not end",
  ),
  worker(
    "gate: the heartbeat that was judged",
    gate,
    "and (e.value ->> 'seq' is null or heartbeat_seq = e.value ->> 'seq')",
    "",
    RACES,
    "a beat that comes between look and verdict",
  ),
  worker(
    "gate: the execution that ends itself",
    gate,
    "and (e.value ->> 'stepRun' is null or step_run = e.value ->> 'stepRun')",
    "",
    RACES,
    "a step whose fence somebody else has taken",
  ),
  worker(
    "gate: all hangs on the winning update",
    gate,
    `"a.id = e.value ->> 'auditId' and a.verdict_id = e.value ->> 'verdictId'"`,
    `"a.id = e.value ->> 'auditId'"`,
    GUARDS,
    "does not end",
  ),
  worker(
    "gate: a lost answer is read back",
    gate,
    "if (recorded !== null && recorded.size > 0) return recorded;",
    "",
    GATE,
    "is read back: it has won",
  ),
  worker(
    "gate: only its own verdict is read back",
    gate,
    " and t.verdict_id = e.value ->> 'verdictId'`",
    "`",
    GATE,
    "does not mistake somebody else's ending",
  ),
  worker(
    "gate: the instance is left to be ended",
    gate,
    "terminate_pending = 1,",
    "terminate_pending = 0,",
    GUARDS,
    "ends what is as it was judged",
  ),
  worker(
    "one event an attempt: the unique key",
    "migrations/0000_initial.sql",
    "CREATE UNIQUE INDEX `outbox_once`",
    "CREATE INDEX `outbox_once`",
    GUARDS,
    "tells of an attempt that was ended twice",
  ),

  // The look record and the chain of looks.
  worker(
    "look: the attempt",
    looks,
    "and attempt = l.value ->> 'attempt' and status = 'running'",
    "and status = 'running'",
    GUARDS,
    "is not kept",
  ),
  worker(
    "look: still running",
    looks,
    "and attempt = l.value ->> 'attempt' and status = 'running'",
    "and attempt = l.value ->> 'attempt'",
    GUARDS,
    "is not kept",
  ),
  worker(
    "look: the heartbeat that it saw",
    looks,
    "and heartbeat_seq = l.value ->> 'seq' and last_look_at",
    "and last_look_at",
    GUARDS,
    "is not kept",
  ),
  worker(
    "look: no other look in between",
    looks,
    " and last_look_at is (l.value ->> 'previousLookAt')`",
    "`",
    GUARDS,
    "is not kept",
  ),
  worker(
    "look: an early one is no part of the chain",
    reconcile,
    `verdict.kind !== "dead" && verdict.kind !== "alive" &&`,
    `verdict.kind !== "dead" &&`,
    DEAD,
    "right after an early look",
  ),
  worker(
    "decision: one that acted is written once",
    looks,
    "else not exists (select 1 from supervisor_decisions x",
    "else 1 or not exists (select 1 from supervisor_decisions x",
    GATE,
    "cannot be read back either",
  ),
  worker(
    "decision: one whose look is not kept does not count",
    looks,
    "      and a.status = 'running' and a.last_look_at = d.value ->> 'lookAt')",
    "      )",
    RACES,
    "two looks at once that find nothing",
  ),
  pure(
    "chain: another heartbeat begins it anew",
    chain,
    "if (looks.seenSeq !== seq) return",
    "if (looks.seenSeq === null) return",
    LOOKS,
    "",
  ),
  pure("chain: two looks may not lie too far apart", chain, " && gap <= chainGapMs(config)", "", LOOKS, ""),
  pure("chain: the clock may not go backwards", chain, "gap >= 0 && ", "", LOOKS, ""),
  pure(
    "chain: a queued run owes its silence",
    chain,
    `if (look.verdict.kind === "queued") return { ...extended, seenSince: null, queuedAt: look.now };`,
    "",
    LOOKS,
    "",
  ),
  pure(
    "chain: a held run owes its silence",
    chain,
    `if (look.verdict.kind === "held") return { ...extended, seenSince: null, heldAt: look.now };`,
    "",
    LOOKS,
    "",
  ),
  pure("rule: not found needs the chain", rule, "const dead = chain >= chainLimitMs;", "const dead = true;", RULE, ""),
  pure(
    "rule: never found needs the chain",
    rule,
    "ageMs > config.INSTANCE_LOST_GRACE_MS && chain >= chainLimitMs",
    "ageMs > config.INSTANCE_LOST_GRACE_MS",
    RULE,
    "",
  ),
  pure(
    "rule: never found needs the grace",
    rule,
    "ageMs > config.INSTANCE_LOST_GRACE_MS && chain >= chainLimitMs",
    "chain >= chainLimitMs",
    RULE,
    "",
  ),
  pure(
    "rule: claims to run needs the chain",
    rule,
    "overdueMs >= limits.limitMs && chain >= limits.chainLimitMs",
    "overdueMs >= limits.limitMs",
    RULE,
    "",
  ),
  pure(
    "rule: claims to run needs the limit",
    rule,
    "overdueMs >= limits.limitMs && chain >= limits.chainLimitMs",
    "chain >= limits.chainLimitMs",
    RULE,
    "",
  ),
  pure(
    "rule: unknown needs the chain",
    rule,
    "now - silentSince >= limits.limitMs && chain >= limits.chainLimitMs",
    "now - silentSince >= limits.limitMs",
    RULE,
    "",
  ),
  pure(
    "rule: unknown needs the limit",
    rule,
    "now - silentSince >= limits.limitMs && chain >= limits.chainLimitMs",
    "chain >= limits.chainLimitMs",
    RULE,
    "",
  ),

  // The breaker and the lease.
  worker(
    "breaker",
    "src/supervision/sweep-limits.ts",
    "lostCount > Math.max(config.BREAKER_MIN, runningCount / 2)",
    "lostCount > Infinity + config.BREAKER_MIN + runningCount",
    BREAKER,
    "holds six",
  ),
  worker(
    "breaker: it believes the third sweep",
    breaker,
    "heldSweeps < SWEEPS_UNTIL_BELIEVED",
    "heldSweeps < 1e9 + SWEEPS_UNTIL_BELIEVED",
    BREAKER,
    "holds six",
  ),
  worker(
    "breaker: a slot counts once",
    breaker,
    "? heldBefore + 1 : heldBefore",
    "? heldBefore + 1 : heldBefore + 1",
    BREAKER,
    "counts one sweep a slot",
  ),
  worker("breaker: polls obey its hold", service, "if (isHolding(state)) return true;", "", BREAKER, "obey a hold"),
  worker(
    "breaker: polls leave many losses to the supervisor",
    service,
    "return breakerTrips(overdue, running, config);",
    "return breakerTrips(0 * overdue, running, config);",
    BREAKER,
    "leave losses to the supervisor",
  ),
  worker(
    "lease",
    supervisor,
    "where id = 1 and (lease_until < ${dbNow} or lease_owner = ${owner})",
    "where id = 1",
    BREAKER,
    "keeps a second sweep away",
  ),
  worker(
    "lease: it expires",
    supervisor,
    "(lease_until < ${dbNow} or lease_owner = ${owner})",
    "(lease_owner is null or lease_owner = ${owner})",
    BREAKER,
    "of a sweep that died expires",
  ),
  worker(
    "lease: it is asked for before anybody is failed",
    "src/supervision/run-sweep.ts",
    "return (await holdsLease(watch, options)) ? work() : null;",
    "return (await holdsLease(watch, options)) ? work() : work();",
    BREAKER,
    "lost between two stages",
  ),

  // The sweep.
  worker(
    "sweep: only overdue audits are read",
    looks,
    "sql`status = 'running' and heartbeat_due_at < ${dbNow} and (heartbeat_due_at, id)",
    "sql`status = 'running' and (heartbeat_due_at, id)",
    SWEEP,
    "asks about overdue audits only",
  ),
  worker(
    "sweep: pauses between looks are kept",
    looks,
    "(next_look_at <= ${dbNow} or seen_seq is not heartbeat_seq)",
    "1",
    SWEEP,
    "leaves what cannot be decided alone",
  ),
  worker(
    "sweep: a pause holds for the heartbeat that was seen",
    looks,
    "(next_look_at <= ${dbNow} or seen_seq is not heartbeat_seq)",
    "next_look_at <= ${dbNow}",
    SWEEP,
    "leaves what cannot be decided alone",
  ),
  worker(
    "sweep: it goes on where it stopped",
    sweep,
    "    cursor: from,\n",
    "    cursor: null,\n",
    SWEEP,
    "goes on where its budget",
  ),
  worker(
    "sweep: it comes back to a chain that it began",
    sweep,
    "first === undefined ? state.cursor :",
    "first === undefined || first !== null ? state.cursor :",
    SWEEP,
    "comes back first",
  ),
  worker(
    "sweep: a budget of calls",
    sweep,
    "state.asked >= config.SWEEP_STATUS_CALLS || ",
    "",
    SWEEP,
    "goes on where its budget",
  ),
  worker(
    "sweep: a budget of time",
    sweep,
    "{ atOnce: ASK_AT_ONCE, until }",
    "{ atOnce: ASK_AT_ONCE, until: Infinity * until }",
    SWEEP,
    "is not held up by status calls",
  ),
  worker(
    "sweep: a broken stored verdict is none",
    "src/supervision/look-records.ts",
    "  } catch {\n    return null;\n  }",
    "  } catch (error) {\n    throw error;\n  }",
    SWEEP,
    "whose stored verdict is broken",
  ),
  worker(
    "sweep: one that cannot be ended costs only itself",
    "src/supervision/many.ts",
    "if (items.length === 1) throw error;",
    "throw error;",
    GATE,
    "does not keep the others",
  ),
  worker(
    "cron: it sweeps when the Workflow cannot be created",
    "src/supervision/schedule.ts",
    "if (created && !previousLeftOpen) return;",
    "if (!previousLeftOpen) return;",
    CRON,
    "sweeps by itself when the Workflow cannot",
  ),
  worker(
    "cron: it sweeps when the last run has no end",
    "src/supervision/schedule.ts",
    "if (created && !previousLeftOpen) return;",
    "if (created) return;",
    CRON,
    "sweeps by itself when the last run",
  ),

  // Polls, starts, resumes, removals.
  worker(
    "poll: the platform is asked once in ten seconds",
    looks,
    "and (probed_at is null or probed_at <= ${dbNow} - ${everyMs})",
    "and ${everyMs} >= 0",
    STATUS,
    "asks once in ten seconds",
  ),
  worker(
    "poll: a healthy audit is not asked about",
    reconcile,
    "if (!needsPlatform(audit, now) && !asksEarly) {",
    "if (false) {",
    DEAD,
    "that is not overdue is alive",
  ),
  worker(
    "start: capacity",
    audits,
    "where (select count(*) from audits where organization_id = ${organizationId} and status = 'running') < ${capacity}`",
    "where ${capacity} > 0`",
    STOP,
    "is never exceeded",
  ),
  worker(
    "resume: capacity",
    audits,
    "and (select count(*) from audits b where b.organization_id = audits.organization_id and b.status = 'running') < ${limit}`",
    "and ${limit} > 0`",
    STOP,
    "counts a resume",
  ),
  worker(
    "resume: the attempt that was read",
    audits,
    "and attempt = ${attempt - 1} and status in",
    "and ${attempt} > 0 and status in",
    GUARDS,
    "of an attempt that has been resumed already",
  ),
  worker(
    "resume: only what has failed or was canceled",
    audits,
    "and status in ('failed', 'canceled') and deleted_at",
    "and deleted_at",
    GUARDS,
    "of an audit that runs",
  ),
  worker(
    "resume: not what is being deleted",
    audits,
    "and status in ('failed', 'canceled') and deleted_at is null",
    "and status in ('failed', 'canceled')",
    GUARDS,
    "of an audit that is being deleted",
  ),
  worker(
    "remove: only what is marked",
    removal,
    "sql`exists (select 1 from audits where id = ${auditId} and deleted_at is not null)`",
    "sql`${auditId} is not null`",
    STOP,
    "resumed in between",
  ),
];
