/** The gate when the wire to the database is bad, and when many go through it at once. */
import { beforeEach, describe, expect, test } from "vitest";
import { act, type Judgement, lookAt, type ReconcileResult } from "../../../src/supervision/reconcile.ts";
import type { Watch } from "../../../src/supervision/supervision.ts";
import { wired } from "./faulty-database.ts";
import {
  beat,
  decisionsOf,
  endEverything,
  eventsOf,
  newCaller,
  rowOf,
  SECOND,
  select,
  serviceOf,
  silentFor,
  StandIn,
  watchWith,
} from "./support.ts";

const ENDED_ONCE = ["site_audit:start 1", "site_audit:complete 1"];

let platform: StandIn;
beforeEach(async () => {
  platform = new StandIn().says({ status: "terminated" });
  await endEverything();
});

async function look(watch: Watch, id: string): Promise<Judgement> {
  const reading = await watch.audits.find(id);
  return lookAt(watch, reading!);
}

const actOn = async (watch: Watch, judgement: Judgement): Promise<ReconcileResult> =>
  (await act(watch, [judgement], { by: "watchdog", runId: "run" }))[0]!;

describe("an ending whose answer is lost on the way", () => {
  const cut = () => {
    throw new Error("D1_ERROR: Network connection lost.");
  };

  test("is read back: it has won, once", async () => {
    const id = await silentFor(SECOND);
    const judgement = await look(watchWith(platform), id);
    const watch = watchWith(platform, { DB: wired({ after: (batch) => (batch === 1 ? cut() : undefined) }) });
    expect((await actOn(watch, judgement)).acted).toBe("won");
    expect(await eventsOf(id)).toEqual(ENDED_ONCE);
    expect(await decisionsOf(id)).toEqual([
      { verdict: "dead", code: "workflow_terminated", acted: "won", by: "watchdog" },
    ]);
  });

  test("cannot be read back either: the step is run again, and finds it won, even after a resume", async () => {
    const caller = newCaller();
    const id = await silentFor(SECOND, caller);
    const judgement = await look(watchWith(platform), id);
    let queries = 0;
    const broken = watchWith(platform, {
      DB: wired({
        after: cut,
        // The gate's own statements, then the reading back.
        queries: () => {
          queries += 1;
          if (queries > 5) cut();
        },
      }),
    });
    await expect(actOn(broken, judgement)).rejects.toThrow("connection lost");
    expect((await rowOf(id)).status).toBe("failed");
    const watch = watchWith(platform);
    expect((await actOn(watch, judgement)).acted).toBe("won");
    await serviceOf(platform).resume(id, caller);
    expect((await actOn(watch, judgement)).acted).toBe("won");
    expect(await decisionsOf(id)).toHaveLength(1);
    expect(await eventsOf(id)).toEqual([...ENDED_ONCE, "site_audit:start 2"]);
    expect((await rowOf(id)).status).toBe("running");
  });

  test("never arrived: nobody is told that it has won", async () => {
    const id = await silentFor(SECOND);
    const judgement = await look(watchWith(platform), id);
    await expect(actOn(watchWith(platform, { DB: wired({ before: cut }) }), judgement)).rejects.toThrow();
    expect((await rowOf(id)).status).toBe("running");
    expect(await eventsOf(id)).toEqual(["site_audit:start 1"]);
  });

  test("does not mistake somebody else's ending for its own", async () => {
    const id = await silentFor(SECOND);
    const watch = watchWith(platform);
    const judgement = await look(watch, id);
    await serviceOf(platform).cancel(id);
    const lossy = watchWith(platform, { DB: wired({ after: (batch) => (batch === 1 ? cut() : undefined) }) });
    await expect(actOn(lossy, judgement)).rejects.toThrow("connection lost");
    expect((await actOn(watch, judgement)).acted).toBe("lost");
    expect((await rowOf(id)).status).toBe("canceled");
  });
});

test("of several endings in one batch, each counts by its own condition", async () => {
  const [dead, alive, canceled] = [await silentFor(SECOND), await silentFor(SECOND), await silentFor(SECOND)];
  const watch = watchWith(platform);
  const judgements = [await look(watch, dead), await look(watch, alive), await look(watch, canceled)];
  await beat(alive);
  await serviceOf(platform).cancel(canceled);
  const results = await act(watch, judgements, { by: "watchdog", runId: "run" });
  expect(results.map(({ acted }) => acted)).toEqual(["won", "lost", "lost"]);
  expect((await rowOf(dead)).status).toBe("failed");
  expect((await rowOf(alive)).status).toBe("running");
  expect((await rowOf(canceled)).status).toBe("canceled");
  const told = await select(
    "select audit_id from analytics_outbox where event = 'site_audit:complete' and audit_id in (?, ?, ?)",
    dead,
    alive,
    canceled,
  );
  expect(told).toHaveLength(2);
});

describe("an ending that the database cannot take", () => {
  test("does not keep the others of its batch alive", async () => {
    const ids = [await silentFor(SECOND), await silentFor(SECOND), await silentFor(SECOND)];
    const watch = watchWith(platform);
    const judgements = await Promise.all(ids.map((id) => look(watch, id)));
    const broken = judgements[1]!;
    // JSON that no database can read, as a stand-in for whatever is wrong with one of them.
    broken.evidence = {
      said: "errored",
      error: {
        toJSON: () => {
          throw new Error("broken");
        },
      } as never,
    };
    const results = await act(watch, judgements, { by: "watchdog", runId: "run" });
    expect(results.map(({ acted }) => acted)).toEqual(["won", "none", "won"]);
    expect((await rowOf(ids[1]!)).status).toBe("running");
  });
});
