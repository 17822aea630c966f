/** Reading a status: what it costs the platform, what it finds, and how soon it answers. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  beat,
  dump,
  endEverything,
  eventsOf,
  instanceIdOf,
  MINUTE,
  newAudit,
  pass,
  rowOf,
  SECOND,
  select,
  serviceOf,
  silentFor,
  StandIn,
  envWith,
  sweep,
} from "./support.ts";
import { createApp } from "../../../src/http/app.ts";
import type { AuditResponse } from "../../../src/http/api/schemas.ts";

let platform: StandIn;
beforeEach(async () => {
  platform = new StandIn();
  await endEverything();
});

/** As the default organization, whose audits the API shows. */
const owner = { userId: "local", organizationId: "default", projectId: "default" };
const call = async <T>(path: string, method = "GET", vars = {}): Promise<T> => {
  const bindings = envWith(platform, { LOCAL_MODE: "1", ...vars });
  const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} } as unknown as ExecutionContext;
  const response = await createApp().fetch(new Request(`http://localhost${path}`, { method }), bindings, context);
  return (await response.json()) as T;
};

describe("reading the status of an audit", () => {
  test("that is healthy never asks the platform, however often it is read", async () => {
    const id = await newAudit();
    await beat(id);
    for (let n = 0; n < 20; n += 1) await serviceOf(platform).getStatus(id);
    expect(platform.asked).toEqual([]);
  });

  test("that is overdue asks once in ten seconds, whoever reads it and however many at once", async () => {
    const id = await silentFor(MINUTE);
    platform.says({ status: "running" });
    await Promise.all(Array.from({ length: 25 }, () => serviceOf(platform).getStatus(id)));
    expect(platform.asked).toEqual([instanceIdOf(id, 1)]);
    await pass(id, 9 * SECOND);
    await serviceOf(platform).getStatus(id);
    expect(platform.asked).toHaveLength(1);
    await pass(id, 2 * SECOND);
    await Promise.all(Array.from({ length: 5 }, () => serviceOf(platform).getStatus(id)));
    expect(platform.asked).toHaveLength(2);
  });

  test("extends the chain of looks until it is long enough", async () => {
    const id = await silentFor(5 * MINUTE);
    platform.says({ status: "running" });
    const read = async () => {
      await serviceOf(platform).getStatus(id);
      await pass(id, 15 * SECOND);
      return (await rowOf(id)).status;
    };
    const seen: string[] = [];
    for (let n = 0; n < 5; n += 1) seen.push(await read());
    expect(seen).toEqual(["running", "running", "running", "running", "failed"]);
    expect(await eventsOf(id)).toEqual(["site_audit:start 1", "site_audit:complete 1"]);
    const [event] = await select<{ payload: string }>(
      "select payload from analytics_outbox where audit_id = ? and event = 'site_audit:complete'",
      id,
    );
    expect(JSON.parse(event!.payload)).toMatchObject({ properties: { reconciled_by: "status_check" } });
  });

  test("that promised a long wait asks from a minute on, and only an end counts then", async () => {
    const id = await newAudit();
    const pulse = await beat(id);
    await pulse.save([], {}, 5 * MINUTE);
    await pass(id, 59 * SECOND);
    await serviceOf(platform).getStatus(id);
    expect(platform.asked).toEqual([]);
    await pass(id, 2 * SECOND);
    await serviceOf(platform).getStatus(id);
    expect((await rowOf(id)).status).toBe("running");
    await pass(id, 11 * SECOND);
    platform.says({ status: "errored", error: { name: "Error", message: "Worker exceeded CPU time limit." } });
    await serviceOf(platform).getStatus(id);
    expect(await rowOf(id)).toMatchObject({ status: "failed", errorCode: "cpu_limit", endedBy: "status_check" });
  });

  test("answers within the time limit of the status call when that hangs, and shows the row", async () => {
    const id = await silentFor(MINUTE, owner);
    platform.says("hangs");
    const started = Date.now();
    const audit = await call<AuditResponse>(`/api/v1/audits/${id}`, "GET", { STATUS_TIMEOUT_MS: "200" });
    expect(Date.now() - started).toBeLessThan(4 * SECOND);
    expect(audit).toMatchObject({ status: "running", heartbeat: { overdue: true }, verdict: { kind: "unknown" } });
  });

  test("answers although judging is impossible", async () => {
    const id = await silentFor(MINUTE, owner);
    const audit = await call<AuditResponse>(`/api/v1/audits/${id}`, "GET", { SITE_AUDIT: undefined });
    expect(audit).toMatchObject({ status: "running", verdict: { kind: "unknown" } });
  });

  test("that died says what, where, when, on what evidence, and what to do", async () => {
    const id = await silentFor(MINUTE, owner);
    platform.says({ status: "errored", error: { name: "Error", message: "Worker exceeded memory limit." } });
    const audit = await call<AuditResponse>(`/api/v1/audits/${id}`);
    expect(audit).toMatchObject({
      status: "failed",
      errorCode: "oom",
      error: { title: expect.any(String), advice: expect.any(String), retryable: expect.any(Boolean) },
      failedPhase: "crawling",
      endedBy: "status_check",
      heartbeat: { seq: 1 },
      supervisor: { late: false },
    });
    expect(audit.error?.title).not.toBe("");
  });

  test("shows a suspect as such, with numbers and the evidence", async () => {
    const id = await silentFor(MINUTE, owner);
    platform.says({ status: "running" });
    const { verdict } = await call<AuditResponse>(`/api/v1/audits/${id}`);
    expect(verdict).toMatchObject({ kind: "suspect", reason: expect.stringMatching(/silent for 60 s.*limit 5 min/) });
    expect(verdict?.evidence).toContain("running");
  });
});

test("the list shows overdue audits as such without asking the platform", async () => {
  const id = await silentFor(MINUTE, owner);
  const { items } = await call<{ items: AuditResponse[] }>("/api/v1/audits?status=running");
  expect(items.find((audit) => audit.id === id)).toMatchObject({
    status: "running",
    heartbeat: { overdue: true },
    verdict: { kind: "suspect" },
  });
  expect(platform.asked).toEqual([]);
});

describe("explaining", () => {
  test("asks the platform and records nothing", async () => {
    const id = await silentFor(MINUTE, owner);
    platform.says({ status: "running" });
    const before = await dump();
    const told = await call<Record<string, unknown>>(`/api/v1/audits/${id}/explain`);
    expect(told).toMatchObject({
      verdict: "suspect",
      rule: { id: "claims_to_run", text: expect.any(String) },
      numbers: { limitMs: 5 * MINUTE, chainLimitMs: MINUTE, chainMs: 0 },
      evidence: { said: "running" },
      acted: "none",
    });
    expect(platform.asked).toEqual([instanceIdOf(id, 1)]);
    expect(await dump()).toBe(before);
  });

  test("a person's reconcile acts, and says what it did", async () => {
    const id = await silentFor(MINUTE, owner);
    platform.says({ status: "terminated" });
    const told = await call<Record<string, unknown>>(`/api/v1/audits/${id}/reconcile`, "POST");
    expect(told).toMatchObject({
      verdict: "dead",
      code: "workflow_terminated",
      acted: "won",
      audit: { status: "failed" },
    });
  });
});

describe("when the supervisor has finished no run for three intervals", () => {
  test("the status, the list and /healthz say so", async () => {
    const id = await newAudit(owner);
    await sweep(platform);
    const healthy = await call<AuditResponse>(`/api/v1/audits/${id}`);
    expect(healthy.supervisor.late).toBe(false);
    expect(await call("/healthz")).toMatchObject({ ok: true });
    await select("update supervisor_state set last_finished_at = last_finished_at - ?", 6 * MINUTE + SECOND);
    const late = { late: true, note: expect.stringContaining("has not finished a run for 6 min") };
    expect((await call<AuditResponse>(`/api/v1/audits/${id}`)).supervisor).toMatchObject(late);
    const { items } = await call<{ items: AuditResponse[] }>("/api/v1/audits");
    expect(items[0]!.supervisor).toMatchObject(late);
    expect(await call("/healthz")).toMatchObject({ ok: false, supervisor: late });
  });
});
