/** What makes a sweep come to everybody. */
import { type Mutant, worker } from "./mutant.ts";

const GATE = "test/worker/supervision/gate.test.ts";
const SWEEP = "test/worker/supervision/sweep.test.ts";
const CRON = "test/worker/supervision/supervisor-workflow.test.ts";
const looks = "src/storage/look-repository.ts";
const sweep = "src/supervision/sweep.ts";

export const SWEEP_GUARDS: readonly Mutant[] = [
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
];
