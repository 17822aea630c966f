/** What holds a sweep back: the breaker and the lease; and what polls, starts, resumes and removals demand. */
import { type Mutant, worker } from "./mutant.ts";

const GUARDS = "test/worker/supervision/guards.test.ts";
const BREAKER = "test/worker/supervision/breaker.test.ts";
const STATUS = "test/worker/supervision/get-status.test.ts";
const DEAD = "test/worker/supervision/dead-instances.test.ts";
const STOP = "test/worker/supervision/start-and-stop.test.ts";
const looks = "src/storage/look-repository.ts";
const supervisor = "src/storage/supervisor-repository.ts";
const audits = "src/storage/audit-repository.ts";
const removal = "src/storage/audit-removal.ts";
const reconcile = "src/supervision/reconcile.ts";
const breaker = "src/supervision/breaker.ts";
const service = "src/audit/audit-service.ts";

export const BREAKER_AND_DOORS: readonly Mutant[] = [
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
