/** Who may write, and who may end: the fence and the gate. */
import { type Mutant, worker } from "./mutant.ts";

const GUARDS = "test/worker/supervision/guards.test.ts";
const RACES = "test/worker/supervision/races.test.ts";
const GATE = "test/worker/supervision/gate.test.ts";
const fence = "src/storage/fence.ts";
const gate = "src/storage/gate.ts";
const heartbeat = "src/supervision/heartbeat.ts";

export const FENCE_AND_GATE: readonly Mutant[] = [
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
];
