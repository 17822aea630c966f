import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AUDIT_STATUSES } from "../../../src/storage/schema.ts";
import {
  INSTANCE_STATUSES,
  type InstanceEvidence,
  isOverdue,
  judge,
  judgeEarly,
  type Looks,
  mayAskEarly,
  needsPlatform,
  NO_LOOKS,
  recordLook,
  RULES,
  type RunRow,
  type Verdict,
} from "../../../src/supervision/liveness.ts";
import { config, evidenceOf, looksOf, MIN, NOW, rowOf, S, SAID } from "./cases.ts";
import { AGE, AGO, CHAIN, type Facts, OVERDUE, PROMISE, TABLE } from "./rule-table.ts";

const inWords = (verdict: Verdict): string => (verdict.kind === "dead" ? `dead ${verdict.code}` : verdict.kind);

function* everyCombination(): Generator<Facts> {
  for (const overdue of OVERDUE)
    for (const beaten of [true, false])
      for (const age of [...AGE, overdue + 30 * S])
        for (const chain of CHAIN)
          for (const queuedAgo of AGO)
            for (const heldAgo of AGO)
              for (const promise of queuedAgo === null && heldAgo === null ? PROMISE : [30 * S])
                yield { overdue, age, chain, beaten, promise, queuedAgo, heldAgo };
}

describe("the rule", () => {
  it.each(SAID)("judges as its table says when the instance says %s, on both sides of every limit", (said) => {
    const evidence = evidenceOf(said);
    let cases = 0;
    for (const facts of everyCombination()) {
      const { overdue, age, chain, beaten, promise, queuedAgo, heldAgo } = facts;
      const row = rowOf(overdue, age, beaten, promise);
      const expected = overdue <= 0 ? "alive" : TABLE[said]?.find(([, applies]) => applies(facts))?.[0];
      const verdict = judge(row, looksOf(row.heartbeatSeq, chain, queuedAgo, heldAgo), evidence, NOW, config);
      cases += 1;
      if (inWords(verdict) !== expected) {
        expect.fail(
          `${inWords(verdict)} instead of ${expected} for ${said} and ${JSON.stringify(facts)}: ${verdict.reason}`,
        );
      }
    }
    expect(cases).toBeGreaterThan(100_000);
  });

  it("never judges an audit that has ended, whatever the instance says", () => {
    for (const status of AUDIT_STATUSES.filter((s) => s !== "running")) {
      for (const said of SAID) {
        const row = { ...rowOf(25 * 60 * MIN, 25 * 60 * MIN, true), status };
        expect(judge(row, looksOf(41, 5 * MIN), evidenceOf(said), NOW, config).kind).toBe("final");
        expect(judgeEarly(row, evidenceOf(said), NOW, config).kind).toBe("final");
        expect(isOverdue(row, NOW)).toBe(false);
        expect(needsPlatform(row, NOW)).toBe(false);
        expect(mayAskEarly(row, NOW, config)).toBe(false);
      }
    }
  });

  it("says its reason with the numbers", () => {
    const row = rowOf(6 * MIN + 12 * S, 20 * MIN, true);
    const verdict = judge(row, looksOf(41, 62 * S), { said: "running" }, NOW, config);
    expect(verdict).toMatchObject({
      kind: "dead",
      code: "heartbeat_lost",
      rule: "claims_to_run",
      reason: "silent for 6 min 12 s, limit 5 min, instance says running, same heartbeat 41 seen 62 s ago",
      overdueMs: 372_000,
      limitMs: 300_000,
      chainMs: 62_000,
      chainLimitMs: 60_000,
      seq: 41,
    });
  });

  it("takes the code of an instance that errored from its error, be it a string or an object", () => {
    const row = rowOf(1, 20 * MIN, true);
    const codeOf = (evidence: InstanceEvidence) => {
      const verdict = judge(row, NO_LOOKS, evidence, NOW, config);
      return verdict.kind === "dead" ? verdict.code : verdict.kind;
    };
    const message = "Worker exceeded memory limit.";
    expect(codeOf({ said: "errored", error: { name: "Error", message } })).toBe("oom");
    expect(codeOf({ said: "errored", error: `Error: ${message}` })).toBe("oom");
    expect(codeOf({ said: "terminated", error: `Error: ${message}` })).toBe("oom");
    expect(codeOf({ said: "errored", error: "" })).toBe("unknown");
    expect(codeOf({ said: "errored", error: null })).toBe("unknown");
    expect(codeOf({ said: "terminated", error: null })).toBe("workflow_terminated");
    expect(codeOf({ said: "terminated", error: { name: "Error", message: "stopped by hand" } })).toBe(
      "workflow_terminated",
    );
  });

  it("does not kill a run that was paused for an hour under a poll's eyes and has just been resumed", () => {
    const row = rowOf(60 * MIN, 90 * MIN, true);
    let looks = NO_LOOKS;
    for (let at = NOW - 60 * MIN; at < NOW; at += 10 * S) {
      const verdict = judge(row, looks, { said: "paused" }, at, config);
      looks = recordLook(looks, { seq: 41, now: at, verdict }, config);
    }
    expect(judge(row, looks, { said: "running" }, NOW, config).kind).toBe("suspect");
    expect(judge(row, looks, { said: "unknown" }, NOW + 4 * MIN, config).kind).toBe("unknown");
  });

  it("gives a run whose machine slept in the middle of an announced wait the time to wait to its end", () => {
    const row = rowOf(55 * MIN, 90 * MIN, true, 5 * MIN);
    let looks = NO_LOOKS;
    for (let at = NOW; at < NOW + 5 * MIN; at += 10 * S) {
      const verdict = judge(row, looks, { said: "running" }, at, config);
      expect(verdict.kind).toBe("suspect");
      looks = recordLook(looks, { seq: 41, now: at, verdict }, config);
    }
    expect(judge(row, looks, { said: "running" }, NOW + 5 * MIN, config).kind).toBe("dead");
  });

  it("does not kill a paused or queued run while the platform denies it or cannot be asked for five minutes", () => {
    for (const before of ["paused", "queued"] as const) {
      for (const during of ["not_found", "unreachable"] as const) {
        for (const beaten of [true, false]) {
          const row = rowOf(120 * MIN, 120 * MIN + 30 * S, beaten);
          const seq = row.heartbeatSeq;
          let looks = recordLook(
            NO_LOOKS,
            { seq, now: NOW - 25 * MIN, verdict: { kind: before === "paused" ? "held" : "queued" } },
            config,
          );
          for (let at = NOW; at < NOW + 5 * MIN; at += 10 * S) {
            const verdict = judge(row, looks, evidenceOf(during), at, config);
            expect(verdict.kind, `${before}, ${during}, ${(at - NOW) / S} s`).not.toBe("dead");
            looks = recordLook(looks, { seq, now: at, verdict }, config);
          }
        }
      }
    }
  });
});

describe("asking early", () => {
  const row: RunRow = { ...rowOf(-3 * MIN, 20 * MIN, true), heartbeatAt: NOW - 61 * S };

  it("is allowed only when the last beat is over 60 s old although more was promised", () => {
    expect(mayAskEarly(row, NOW, config)).toBe(true);
    expect(mayAskEarly({ ...row, heartbeatAt: NOW - 60 * S }, NOW, config)).toBe(false);
    expect(mayAskEarly({ ...row, heartbeatDueAt: NOW - 1 }, NOW, config)).toBe(false);
  });

  it.each(SAID)("counts %s only if the instance has ended", (said) => {
    const ended = ["errored", "terminated", "complete"].includes(said);
    expect(judgeEarly(row, evidenceOf(said), NOW, config).kind).toBe(ended ? "dead" : "alive");
    expect(judgeEarly({ ...row, heartbeatAt: NOW - 60 * S }, evidenceOf(said), NOW, config).kind).toBe("alive");
  });
});

describe("for every row, every chain of looks and every answer", () => {
  const time = fc.integer({ min: -10 * MIN, max: 26 * 60 * MIN });
  const anyRow = fc.record({
    status: fc.constantFrom(...AUDIT_STATUSES),
    attempt: fc.integer({ min: 1, max: 9 }),
    attemptStartedAt: time.map((t) => NOW - t),
    heartbeatAt: time.map((t) => NOW - t),
    heartbeatSeq: fc.integer({ min: 0, max: 3 }),
    heartbeatDueAt: time.map((t) => NOW - t),
  });
  const maybeTime = fc.option(time.map((t) => NOW - t));
  const anyLooks = fc.record({
    seenSeq: fc.option(fc.integer({ min: 0, max: 3 })),
    seenSince: maybeTime,
    lastLookAt: maybeTime,
    queuedAt: maybeTime,
    heldAt: maybeTime,
  });
  const anyEvidence = fc.oneof(
    fc.record({ said: fc.constantFrom(...INSTANCE_STATUSES), error: fc.oneof(fc.string(), fc.constant(null)) }),
    fc.constant({ said: "not_found" } as const),
    fc.string().map((why) => ({ said: "unreachable", why }) as const),
  );
  const always = (check: (row: RunRow, looks: Looks, evidence: InstanceEvidence) => void) =>
    fc.assert(fc.property(anyRow, anyLooks, anyEvidence, check), { numRuns: 2_000 });

  it("is nobody dead who is not overdue", () => {
    always((row, looks, evidence) => {
      const verdict = judge(row, looks, evidence, NOW, config);
      if (NOW <= row.heartbeatDueAt) expect(["alive", "final"]).toContain(verdict.kind);
      if (verdict.kind === "dead") expect(row.status).toBe("running");
    });
  });

  it("is nobody dead who is held", () => {
    always((row, looks) => {
      for (const said of ["paused", "waitingForPause", "rollingBack"] as const) {
        expect(judge(row, looks, { said }, NOW, config).kind).not.toBe("dead");
      }
    });
  });

  it("kills no first look but that at an instance which says itself that it ended, or was queued for a day", () => {
    always((row, _, evidence) => {
      const verdict = judge(row, NO_LOOKS, evidence, NOW, config);
      if (verdict.kind === "dead") expect(["errored", "terminated", "complete", "queued"]).toContain(evidence.said);
    });
  });

  it("is the dead dead for the next look, too, if nothing changes", () => {
    const later = fc.integer({ min: 0, max: 3 * MIN });
    fc.assert(
      fc.property(anyRow, anyLooks, anyEvidence, later, (row, looks, evidence, more) => {
        const first = judge(row, looks, evidence, NOW, config);
        if (first.kind !== "dead") return;
        const stored = recordLook(looks, { seq: row.heartbeatSeq, now: NOW, verdict: first }, config);
        const second = judge(row, stored, evidence, NOW + more, config);
        expect(inWords(second)).toBe(inWords(first));
      }),
      { numRuns: 5_000 },
    );
  });

  it("does a chain that saw another heartbeat count for nothing", () => {
    always((row, looks, evidence) => {
      const other = { ...looks, seenSeq: row.heartbeatSeq + 1 };
      expect(judge(row, other, evidence, NOW, config)).toEqual(judge(row, NO_LOOKS, evidence, NOW, config));
    });
  });

  it("does the verdict have a row of the table, a finite reason and finite numbers", () => {
    always((row, looks, evidence) => {
      const verdict = judge(row, looks, evidence, NOW, config);
      expect(Object.keys(RULES)).toContain(verdict.rule);
      expect(verdict.reason.length).toBeGreaterThan(10);
      expect(verdict.reason.length).toBeLessThan(500);
      expect(verdict.reason).not.toMatch(/NaN|undefined|null|Infinity|unknown time/);
      for (const value of Object.values(verdict))
        if (typeof value === "number") expect(value).toSatisfy(Number.isFinite);
    });
  });

  it("does a dead run have a code and a detail", () => {
    always((row, looks, evidence) => {
      const verdict = judge(row, looks, evidence, NOW, config);
      if (verdict.kind === "dead") expect(verdict.detail).toEqual(expect.any(String));
    });
  });
});
