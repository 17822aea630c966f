/** Deaths that the real Workflow engine can be made to die, found by the real status call. */
import { introspectWorkflowInstance } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { AuditRepository } from "../../../src/storage/audit-repository.ts";
import { audits as auditsTable } from "../../../src/storage/schema.ts";
import { linkPage, openSite, setVars, startAudit, waitForEnd, waitUntil } from "../support/audits.ts";
import {
  db,
  endEverything,
  eventsOf,
  instanceIdOf,
  newAudit,
  pass,
  reconcile,
  rowOf,
  SECOND,
  select,
  serviceOf,
  sweep,
  watchWith,
} from "./support.ts";

beforeEach(endEverything);

const params = (id: string) => ({ id: instanceIdOf(id, 1), params: { auditId: id, attempt: 1 } });
const instanceOf = (id: string) => env.SITE_AUDIT.get(instanceIdOf(id, 1));
const statusOf = async (id: string): Promise<string> => (await (await instanceOf(id)).status()).status;

/** An audit that has begun to crawl a page which never answers. */
async function crawling(): Promise<string> {
  setVars({ HEADERS_TIMEOUT_MS: "60000" });
  const site = await openSite({ routes: { "/": linkPage("Home", "/slow"), "/slow": { gate: "never" } } });
  const id = await startAudit(site.origin);
  await waitUntil(
    () => site.requests(),
    (requests) => requests.some(({ path }) => path === "/slow"),
  );
  return id;
}

describe("an instance of the real engine", () => {
  test("that errors outside of every step leaves a row that the next look fails with its error", async () => {
    const id = await newAudit();
    await using instance = await introspectWorkflowInstance(env.SITE_AUDIT, instanceIdOf(id, 1));
    await instance.modify(async (m) => {
      await m.disableRetryDelays();
      await m.mockStepError({ name: "discover urls" }, new Error("Worker exceeded memory limit."));
      await m.mockStepError({ name: "record failure" }, new Error("Worker exceeded memory limit."));
    });
    await env.SITE_AUDIT.create(params(id));
    await instance.waitForStatus("errored");
    await pass(id, 31 * SECOND);
    expect(await reconcile(watchWith(null), id)).toMatchObject({ acted: "won", error: { code: "oom" } });
    expect(await rowOf(id)).toMatchObject({ status: "failed", errorCode: "oom" });
  });

  test("that completes without recording its result is found", async () => {
    const id = await newAudit();
    await using instance = await introspectWorkflowInstance(env.SITE_AUDIT, instanceIdOf(id, 1));
    await instance.modify((m) => m.mockStepResult({ name: "discover urls" }, { superseded: true }));
    await env.SITE_AUDIT.create(params(id));
    await instance.waitForStatus("complete");
    expect((await rowOf(id)).status).toBe("running");
    await pass(id, 31 * SECOND);
    expect(await reconcile(watchWith(null), id)).toMatchObject({ acted: "won", error: { code: "completion_lost" } });
  });

  test("that somebody terminated behind our back is found", async () => {
    const id = await crawling();
    await (await instanceOf(id)).terminate();
    await pass(id, 40 * SECOND);
    const report = await sweep(null);
    expect(report).toMatchObject({ failed: [{ audit: id, code: "workflow_terminated" }], terminated: 1 });
    expect(await rowOf(id)).toMatchObject({ status: "failed", failedPhase: "crawling", endedBy: "watchdog" });
    expect(await eventsOf(id)).toEqual(["site_audit:start 1", "site_audit:complete 1"]);
  });

  test("that somebody paused is held", async () => {
    const id = await crawling();
    await (await instanceOf(id)).pause();
    await waitUntil(
      () => statusOf(id),
      (status) => status.toLowerCase().includes("pause"),
    );
    await pass(id, 60 * 60 * SECOND);
    expect((await reconcile(watchWith(null), id)).judgement.verdict.kind).toBe("held");
    expect((await rowOf(id)).status).toBe("running");
    expect(await serviceOf(null).cancel(id)).toBe(true);
  });

  test("that was never created is created again, and the audit completes", async () => {
    const site = await openSite({ routes: { "/": { body: "<title>Home</title>" } } });
    const caller = { userId: "u", organizationId: "default", projectId: "default" };
    const id = await newAudit(caller);
    await db.update(auditsTable).set({ url: `${site.origin}/` });
    await pass(id, 61 * SECOND);
    expect((await reconcile(watchWith(null), id)).judgement).toMatchObject({
      evidence: { said: "not_found" },
      verdict: { kind: "recreate" },
    });
    expect(await waitForEnd(id)).toMatchObject({ status: "completed", attempt: 1 });
  });

  test("that is created a second time under its id says that it exists", async () => {
    const id = await crawling();
    const outcome = await watchWith(null).instances.create(instanceIdOf(id, 1), { auditId: id, attempt: 1 });
    expect(outcome).toEqual({ kind: "exists" });
    await serviceOf(null).cancel(id);
  });

  test("is ended when its audit is canceled, and nothing is left to terminate", async () => {
    const id = await crawling();
    expect(await serviceOf(null).cancel(id)).toBe(true);
    expect(await statusOf(id)).toBe("terminated");
    expect(await select("select terminate_pending from audit_attempts where audit_id = ?", id)).toEqual([
      { terminate_pending: 0 },
    ]);
    // Ending it once more finds nothing to do.
    expect(await watchWith(null).instances.terminate(instanceIdOf(id, 1))).toBe(true);
  });

  test("whose id the platform cannot have is unknown, not lost", async () => {
    const evidence = await watchWith(null).instances.ask("no.such:id");
    expect(["not_found", "unreachable"]).toContain(evidence.said);
  });
});

test("a run that ends itself is told without reconciled_by", async () => {
  const site = await openSite({ routes: { "/": { body: "<title>Home</title>" } } });
  const id = await startAudit(site.origin);
  expect(await waitForEnd(id)).toMatchObject({ status: "completed" });
  const [event] = await select<{ payload: string; state: string }>(
    "select payload, state from analytics_outbox where audit_id = ? and event = 'site_audit:complete'",
    id,
  );
  expect(JSON.parse(event!.payload).properties).not.toHaveProperty("reconciled_by");
  expect(event!.state).toBe("skipped");
});

test("a run whose audit somebody else ended stops by itself, quietly", async () => {
  setVars({ HEADERS_TIMEOUT_MS: "60000" });
  const site = await openSite({
    routes: { "/": { gate: "go", body: "<title>Home</title>" }, "/robots.txt": { body: "" } },
  });
  const id = await startAudit(site.origin);
  await waitUntil(
    () => site.requests(),
    (requests) => requests.some(({ path }) => path === "/"),
  );
  // Canceled in the database only: the instance does not hear of it until it writes.
  await new AuditRepository(db, true).end({
    auditId: id,
    attempt: 1,
    status: "canceled",
    by: "manual",
    code: "canceled",
    detail: null,
    evidence: null,
    verdictId: crypto.randomUUID(),
    seq: null,
    stepRun: null,
    detected: false,
    terminateAfterMs: 0,
  });
  await site.open("go");
  await waitUntil(
    () => statusOf(id),
    (status) => status === "complete",
  );
  expect((await (await instanceOf(id)).status()).output).toBe("superseded");
  expect(await rowOf(id)).toMatchObject({ status: "canceled", pagesCrawled: 0 });
});
