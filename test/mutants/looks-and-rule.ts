/** What kills: the look record, the chain of looks, the rule. */
import { type Mutant, pure, worker } from "./mutant.ts";

const GUARDS = "test/worker/supervision/guards.test.ts";
const RACES = "test/worker/supervision/races.test.ts";
const GATE = "test/worker/supervision/gate.test.ts";
const DEAD = "test/worker/supervision/dead-instances.test.ts";
const LOOKS = "test/pure/supervision/looks.test.ts";
const RULE = "test/pure/supervision/liveness.test.ts";
const looks = "src/storage/look-repository.ts";
const reconcile = "src/supervision/reconcile.ts";
const chain = "src/supervision/looks.ts";
const rule = "src/supervision/liveness.ts";

export const LOOKS_AND_RULE: readonly Mutant[] = [
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
];
