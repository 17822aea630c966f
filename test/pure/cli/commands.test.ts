import { afterEach, describe, expect, test } from "vitest";
import { auditAnswer, fakeServer, type FakeServer } from "../../support/fake-server.ts";
import { audit } from "./support.ts";

const JUDGEMENT = {
  auditId: "fake-1",
  attempt: 1,
  verdict: "dead",
  code: "heartbeat_lost",
  reason: "silent for 6 min 12 s, limit 5 min, instance says running",
  rule: { id: "running", text: "still claims to run" },
  numbers: { overdueMs: 372_000, limitMs: 300_000, ageMs: 500_000, chainMs: 62_000, chainLimitMs: 60_000, seq: 41 },
  evidence: { kind: "status", status: "running" },
  acted: "won",
  error: null,
  judgedAt: 1_790_000_000_000,
};

const RUN = {
  id: "supervise-2026-11-30T16-24",
  startedBy: "cron",
  slotAt: 1_796_000_000_000,
  startedAt: 1_796_000_001_000,
  endedAt: 1_796_000_001_170,
  outcome: "done",
  checked: 12,
  failed: 1,
  statusCalls: 3,
  report: { any: "thing" },
};

let server: FakeServer | undefined;
afterEach(async () => server?.close());

/** Answers one route; everything else is not found. */
async function answering(route: string, body: unknown, status = 200): Promise<FakeServer> {
  server = await fakeServer({
    override: (method, path) => (`${method} ${path}` === route ? { status, body } : null),
  });
  return server;
}

describe("commands for a running server", () => {
  test("explain says which row of the rule applies, with its numbers and their limits", async () => {
    const { url } = await answering("GET /api/v1/audits/fake-1/explain", JUDGEMENT);
    const seen = await audit(["explain", "fake-1", "--server", url]);
    expect(seen.exitCode).toBe(0);
    expect(seen.out).toContain("dead (heartbeat_lost): silent for 6 min 12 s");
    expect(seen.out).toContain("still claims to run (running)");
    expect(seen.out).toContain("6 min 12 s (limit 5 min)");
    expect(seen.out).toContain("41, seen for 62 s (limit 60 s)");
  });

  test("reconcile posts, and says whether it won", async () => {
    const { url } = await answering("POST /api/v1/audits/fake-1/reconcile", { ...JUDGEMENT, audit: auditAnswer() });
    const seen = await audit(["reconcile", "fake-1", "--server", url]);
    expect(seen.out).toMatch(/acted +won/);
  });

  test.each(["cancel", "resume"])("%s shows the audit as it is then", async (command) => {
    const { url } = await answering(
      `POST /api/v1/audits/fake-1/${command}`,
      auditAnswer({ pagesCrawled: 5, pagesTotal: 9 }),
    );
    const seen = await audit([command, "fake-1", "--server", url]);
    expect(seen.exitCode).toBe(0);
    expect(seen.out).toContain("running   https://shop.example/");
    expect(seen.out).toContain("5 of about 9 pages");
  });

  test("sweep asks for exactly what its flags say", async () => {
    const fake = await answering("POST /api/v1/supervisor/sweep", { outcome: "done", checked: 12 });
    const seen = await audit(["sweep", "--dry-run", "--server", fake.url]);
    expect(fake.bodies).toEqual([{ dryRun: true, force: false }]);
    expect(seen.out).toContain("outcome  done");
    await audit(["sweep", "--force", "--server", fake.url]);
    expect(fake.bodies[1]).toEqual({ dryRun: false, force: true });
  });

  test("runs lists the supervisor's runs, one a line of at most 80 columns", async () => {
    const { url } = await answering("GET /api/v1/supervisor/runs", {
      items: [RUN, { ...RUN, endedAt: null, outcome: null }],
    });
    const seen = await audit(["runs", "--server", url], { terminal: true });
    const lines = seen.out.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^supervise-2026-11-30T16-24 +done +12 +1 +3 +170 ms +cron$/);
    expect(lines[2]).toContain("unfinished");
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  test("delete needs somebody to ask or --yes, and deletes only then", async () => {
    const fake = await answering("DELETE /api/v1/audits/fake-1", "", 200);
    if (!process.stdin.isTTY) {
      expect((await audit(["delete", "fake-1", "--server", fake.url])).exitCode).toBe(2);
      expect(fake.requests).toEqual([]);
    }
    const seen = await audit(["delete", "fake-1", "--yes", "--server", fake.url]);
    expect(seen.exitCode).toBe(0);
    expect(fake.requests).toEqual(["DELETE /api/v1/audits/fake-1"]);
  });

  test("status of a running audit says how far it is and what the rule makes of it", async () => {
    const overdue = auditAnswer({
      verdict: { kind: "suspect", reason: "silent for 48 s", askedAt: 1, evidence: "running" },
      supervisor: { late: true, lastFinishedAt: null, note: "No run has finished yet." },
    });
    server = await fakeServer({ polls: [overdue] });
    const seen = await audit(["status", "fake-1", "--server", server.url]);
    expect(seen.out).toContain("suspect: silent for 48 s");
    expect(seen.out).toContain("The supervisor is late. No run has finished yet.");
  });

  test("an unknown audit is wrong use, in the server's words", async () => {
    server = await fakeServer();
    const seen = await audit(["explain", "nosuch", "--server", server.url]);
    expect(seen.exitCode).toBe(2);
    expect(seen.err).toContain("The hint.");
  });

  test("an id cannot lead to another route", async () => {
    server = await fakeServer();
    await audit(["cancel", "../supervisor/sweep?x=", "--server", server.url]);
    expect(server.requests).toEqual(["POST /api/v1/audits/..%2Fsupervisor%2Fsweep%3Fx%3D/cancel"]);
  });
});
