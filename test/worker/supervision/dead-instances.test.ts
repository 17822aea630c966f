/** What becomes of an audit whose instance is dead, or cannot be asked: each answer of the platform, by a stand-in. */
import { beforeEach, describe, expect, test } from "vitest";
import { reconcileRunningAudit } from "../../../src/supervision/reconcile.ts";
import {
  beat,
  decisionsOf,
  endEverything,
  eventsOf,
  instanceIdOf,
  MINUTE,
  newAudit,
  pass,
  reconcile,
  rowOf,
  SECOND,
  select,
  silentFor,
  StandIn,
  watchWith,
} from "./support.ts";

let platform: StandIn;
beforeEach(async () => {
  platform = new StandIn();
  await endEverything();
});

const attemptOf = async (id: string) =>
  (await select("select * from audit_attempts where audit_id = ? order by attempt desc limit 1", id))[0];

describe("an overdue audit whose instance", () => {
  test("has errored is failed at the first look, with the error's code, and told once", async () => {
    const id = await silentFor(SECOND);
    platform.says({ status: "errored", error: { name: "Error", message: "Worker exceeded memory limit." } });
    const { acted, error } = await reconcile(watchWith(platform), id);
    expect(acted).toBe("won");
    expect(error).toMatchObject({ code: "oom", detail: expect.stringContaining("memory") });
    expect(await rowOf(id)).toMatchObject({
      status: "failed",
      errorCode: "oom",
      failedPhase: "crawling",
      endedBy: "manual",
    });
    expect(await attemptOf(id)).toMatchObject({ code: "oom", terminate_pending: 1, ended_by: "manual" });
    expect(await eventsOf(id)).toEqual(["site_audit:start 1", "site_audit:complete 1"]);
    expect(await decisionsOf(id)).toEqual([{ verdict: "dead", code: "oom", acted: "won", by: "manual" }]);
  });

  test("was terminated is failed as workflow_terminated at the first look", async () => {
    const id = await silentFor(SECOND);
    await reconcile(watchWith(platform.says({ status: "terminated" })), id);
    expect(await rowOf(id)).toMatchObject({ status: "failed", errorCode: "workflow_terminated" });
  });

  test("is complete without a result is failed as completion_lost at the first look", async () => {
    const id = await silentFor(SECOND);
    await reconcile(watchWith(platform.says({ status: "complete" })), id);
    expect(await rowOf(id)).toMatchObject({ status: "failed", errorCode: "completion_lost" });
  });

  test("has errored with something that is no error is failed all the same", async () => {
    for (const error of [
      { name: 5, message: { a: 1 } },
      7,
      "D1_ERROR: \u0000\ud800",
      { message: "x".repeat(3_000_000) },
      [],
      null,
    ]) {
      const id = await silentFor(SECOND);
      await reconcile(watchWith(platform.says({ status: "errored", error })), id);
      expect((await rowOf(id)).status).toBe("failed");
      expect(JSON.stringify(await attemptOf(id)).length).toBeLessThan(10_000);
    }
  });

  test("is not found is suspect at first, and lost once a second look 20 s later sees the same heartbeat", async () => {
    const id = await silentFor(SECOND);
    const watch = watchWith(platform.says("not_found"));
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("suspect");
    await pass(id, 19 * SECOND);
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("suspect");
    await pass(id, 2 * SECOND);
    expect(await reconcile(watch, id)).toMatchObject({ acted: "won", error: { code: "instance_lost" } });
    expect((await decisionsOf(id)).map(({ verdict, acted }) => `${verdict} ${acted}`)).toEqual([
      "suspect none",
      "dead won",
    ]);
  });

  test("is not found once and beats between the looks lives on", async () => {
    const id = await silentFor(SECOND);
    const watch = watchWith(platform.says("not_found"));
    await reconcile(watch, id);
    await beat(id);
    await pass(id, 40 * SECOND);
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("suspect");
    expect((await rowOf(id)).status).toBe("running");
  });

  test("is not found right after an early look at it is not lost at that first overdue look", async () => {
    const watch = watchWith(platform.says({ status: "running" }));
    // It was overdue once, and looked at; then it beat again.
    const id = await silentFor(SECOND);
    await reconcile(watch, id);
    const pulse = await beat(id);
    // A wait of five minutes was announced; polls may ask from a minute on.
    await pulse.save([], {}, 5 * MINUTE);
    await pass(id, 4 * MINUTE);
    for (let look = 0; look < 3; look += 1) {
      const reading = await watch.audits.find(id);
      const { judgement } = await reconcileRunningAudit(watch, reading!, { by: "status_check", early: true });
      expect(judgement.verdict.kind).toBe("alive");
      await pass(id, 21 * SECOND);
    }
    platform.says("not_found");
    expect((await reconcile(watch, id)).judgement.verdict).toMatchObject({ kind: "suspect", chainMs: 0 });
  });

  test("claims to run is failed as heartbeat_lost only after 5 min of silence and a chain of 60 s", async () => {
    const id = await silentFor(4 * MINUTE + 50 * SECOND);
    const watch = watchWith(platform.says({ status: "running" }));
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("suspect");
    await pass(id, 55 * SECOND);
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("suspect");
    await pass(id, 10 * SECOND);
    const { acted, error } = await reconcile(watch, id);
    expect(acted).toBe("won");
    expect(error?.code).toBe("heartbeat_lost");
    expect(error?.detail).toContain("instance says running");
    const [attempt] = await select<{ detection_ms: number }>(
      "select detection_ms from audit_attempts where audit_id = ?",
      id,
    );
    expect(attempt!.detection_ms).toBeGreaterThanOrEqual(6 * MINUTE + 25 * SECOND);
    expect(attempt!.detection_ms).toBeLessThan(7 * MINUTE);
  });

  test("was silent for an hour while nobody looked is not failed by the first look", async () => {
    const id = await silentFor(60 * MINUTE);
    expect((await reconcile(watchWith(platform.says({ status: "waiting" })), id)).judgement.verdict.kind).toBe(
      "suspect",
    );
  });

  test("is paused is held for as long as it takes, and may beat again", async () => {
    const id = await silentFor(MINUTE);
    const watch = watchWith(platform.says({ status: "paused" }));
    for (let day = 0; day < 3; day += 1) {
      expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("held");
      await pass(id, 24 * 60 * MINUTE);
    }
    expect((await rowOf(id)).status).toBe("running");
    // Resumed just now: its long silence was owed, and proves nothing.
    platform.says({ status: "running" });
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("suspect");
  });

  test("is queued waits, and is failed as start_failed after a day", async () => {
    const id = await newAudit();
    await pass(id, 31 * SECOND);
    const watch = watchWith(platform.says({ status: "queued" }));
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("queued");
    await pass(id, 23 * 60 * MINUTE);
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("queued");
    await pass(id, 61 * MINUTE);
    expect(await reconcile(watch, id)).toMatchObject({ acted: "won", error: { code: "start_failed" } });
  });

  test.each([
    ["has a status that nobody knows", { status: "unknown" }],
    ["has a status of tomorrow", { status: "hibernating" }],
    ["cannot be asked", { throws: "internal error; reference = abc" }],
  ] as const)("%s is unknown, and failed only after an hour", async (_what, answer) => {
    const id = await silentFor(10 * MINUTE);
    const watch = watchWith(platform.says(answer));
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("unknown");
    await pass(id, 2 * MINUTE);
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("unknown");
    await pass(id, 50 * MINUTE);
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("unknown");
    await pass(id, 61 * SECOND);
    expect(await reconcile(watch, id)).toMatchObject({ acted: "won", error: { code: "heartbeat_lost" } });
  });

  test("does not answer is unknown within the time limit of a status call", async () => {
    const id = await silentFor(MINUTE);
    const started = Date.now();
    const { judgement } = await reconcile(watchWith(platform.says("hangs"), { STATUS_TIMEOUT_MS: "100" }), id);
    expect(judgement.verdict).toMatchObject({ kind: "unknown", reason: expect.stringContaining("could not be asked") });
    expect(Date.now() - started).toBeLessThan(4 * SECOND);
  });

  test("is asked of a binding that is not there is unknown, not lost", async () => {
    const id = await silentFor(MINUTE);
    const { judgement } = await reconcile(watchWith(null, { SITE_AUDIT: undefined }), id);
    expect(judgement.verdict.kind).toBe("unknown");
  });
});

describe("an instance that was never created", () => {
  test("is created again from 60 s on, and gets time for its first beat", async () => {
    const id = await newAudit();
    const watch = watchWith(platform.says("not_found"));
    await pass(id, 31 * SECOND);
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("suspect");
    expect(platform.created).toEqual([]);
    await pass(id, 30 * SECOND);
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("recreate");
    expect(platform.created).toEqual([instanceIdOf(id, 1)]);
    const { heartbeatDueAt, seenSince } = await rowOf(id);
    expect(heartbeatDueAt).toBeGreaterThan(Date.now() + 20 * SECOND);
    expect(seenSince).toBeNull();
    // It is there now, and works.
    platform.says({ status: "running" });
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("alive");
  });

  test("that is there after all gets no new promise", async () => {
    const id = await newAudit();
    await pass(id, 2 * MINUTE);
    platform.says("not_found").onCreate = () => {
      throw new Error("(instance.already_exists) Workflow instance exists");
    };
    await reconcile(watchWith(platform), id);
    const { heartbeatDueAt, seenSeq } = await rowOf(id);
    expect(heartbeatDueAt).toBeLessThan(Date.now());
    expect(seenSeq).toBe(0);
  });

  test("is lost once the attempt is older than the grace and the looks agree", async () => {
    const id = await newAudit();
    platform.onCreate = () => {
      throw new Error("internal error");
    };
    const watch = watchWith(platform.says("not_found"));
    await pass(id, 9 * MINUTE + 50 * SECOND);
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("recreate");
    await pass(id, 15 * SECOND);
    expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("suspect");
    await pass(id, 6 * SECOND);
    expect(await reconcile(watch, id)).toMatchObject({ acted: "won", error: { code: "instance_lost" } });
    expect(platform.created).toHaveLength(1);
  });
});

test("an audit that is not overdue is alive, and the platform is not asked", async () => {
  const id = await newAudit();
  await beat(id);
  await pass(id, 29 * SECOND);
  const { judgement, acted } = await reconcile(watchWith(platform.says("not_found")), id);
  expect(judgement.verdict.kind).toBe("alive");
  expect(acted).toBe("none");
  expect(platform.asked).toEqual([]);
  expect(await decisionsOf(id)).toEqual([]);
});

test("an audit that has ended is not judged again", async () => {
  const id = await silentFor(SECOND);
  const watch = watchWith(platform.says({ status: "terminated" }));
  await reconcile(watch, id);
  const before = await rowOf(id);
  expect((await reconcile(watch, id)).judgement.verdict.kind).toBe("final");
  expect(await rowOf(id)).toEqual(before);
});
