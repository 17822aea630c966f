/** Starting, canceling, resuming and deleting audits whose compute does what it likes. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../../src/audit/audit-options.ts";
import type { Caller, StartRequest } from "../../../src/audit/audit-service.ts";
import { deleteMarked, removeAudit } from "../../../src/storage/audit-removal.ts";
import { wired } from "./faulty-database.ts";
import {
  beat,
  db,
  endEverything,
  eventsOf,
  instanceIdOf,
  MINUTE,
  newAudit,
  newCaller,
  pass,
  rowOf,
  SECOND,
  select,
  serviceOf,
  silentFor,
  StandIn,
  sweep,
} from "./support.ts";

let platform: StandIn;
let caller: Caller;
beforeEach(async () => {
  platform = new StandIn();
  caller = newCaller();
  await endEverything();
});

const request = (key?: string): StartRequest => ({
  url: "https://site.example/",
  options: DEFAULT_OPTIONS,
  idempotency: key === undefined ? null : { key, requestHash: "hash" },
});
const start = (vars = {}) => serviceOf(platform, vars).start(caller, request());
const pendingOf = async (id: string) =>
  (
    await select<{ attempt: number; terminate_pending: number }>(
      "select attempt, terminate_pending from audit_attempts where audit_id = ? order by attempt",
      id,
    )
  ).map(({ terminate_pending }) => terminate_pending);
const idOf = (result: { kind: string; auditId?: string }): string => {
  expect(result.kind).toBe("started");
  return result.auditId ?? "";
};

describe("starting", () => {
  test("writes the row first, then creates the instance under its id", async () => {
    platform.onCreate = async (id) => {
      const [row] = await select<{ status: string }>("select status from audits where id = ?", id.slice(6, -2));
      expect(row?.status).toBe("running");
    };
    const id = idOf(await start());
    expect(platform.created).toEqual([instanceIdOf(id, 1)]);
    expect(await eventsOf(id)).toEqual(["site_audit:start 1"]);
  });

  test("that the platform refuses ends at once as start_failed, and frees its slot", async () => {
    platform.onCreate = () => {
      throw new Error("(instance.too_many) You have exceeded the limit of instances");
    };
    const id = idOf(await start({ CAPACITY_PER_ORGANIZATION: "1" }));
    expect(await rowOf(id)).toMatchObject({ status: "failed", errorCode: "start_failed", failedPhase: "discovering" });
    platform.onCreate = () => {};
    idOf(await start({ CAPACITY_PER_ORGANIZATION: "1" }));
  });

  test("whose answer is lost is left running: the instance may be there", async () => {
    platform.onCreate = () => {
      throw new Error("internal error; reference = 7");
    };
    const id = idOf(await start());
    expect((await rowOf(id)).status).toBe("running");
    // It was there, and beats.
    await beat(id);
    expect((await serviceOf(platform).getStatus(id))?.audit.status).toBe("running");
  });

  test("whose create() hangs answers within the time limit, and is created again later", async () => {
    platform.onCreate = () => new Promise(() => {});
    const started = Date.now();
    const id = idOf(await start({ STATUS_TIMEOUT_MS: "100" }));
    expect(Date.now() - started).toBeLessThan(4 * SECOND);
    platform.onCreate = () => {};
    await pass(id, 61 * SECOND);
    await sweep(platform);
    expect(platform.created).toEqual([instanceIdOf(id, 1), instanceIdOf(id, 1)]);
  });

  test("twice under one key starts one audit, also at the same moment", async () => {
    const results = await Promise.all([0, 1, 2].map(() => serviceOf(platform).start(caller, request("k1"))));
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(["repeated", "repeated", "started"]);
    expect(new Set(results.map((result) => ("auditId" in result ? result.auditId : ""))).size).toBe(1);
    expect(platform.created).toHaveLength(1);
    const other = { ...request("k1"), idempotency: { key: "k1", requestHash: "another" } };
    expect((await serviceOf(platform).start(caller, other)).kind).toBe("key_reused");
  });
});

describe("capacity", () => {
  test("is never exceeded, however many start at once", async () => {
    const results = await Promise.all(Array.from({ length: 8 }, () => start()));
    expect(results.filter(({ kind }) => kind === "started")).toHaveLength(3);
    expect(results.find(({ kind }) => kind === "full")).toMatchObject({
      limit: 3,
      running: [{ url: "https://site.example/" }, {}, {}],
    });
  });

  test("taken by a dead audit is free again: a start reconciles what is overdue before it is refused", async () => {
    platform.says({ status: "running" });
    const ids = [await silentFor(MINUTE, caller), await newAudit(caller), await newAudit(caller)];
    expect((await start()).kind).toBe("full");
    platform.says({ status: "errored" }, instanceIdOf(ids[0]!, 1));
    await pass(ids[0]!, 11 * SECOND);
    idOf(await start());
    expect(await rowOf(ids[0]!)).toMatchObject({ status: "failed", endedBy: "status_check" });
  });

  test("taken by a run that died in a long wait is free again, too", async () => {
    const id = await newAudit(caller);
    const pulse = await beat(id);
    await pulse.save([], {}, 5 * MINUTE);
    await pass(id, 2 * MINUTE);
    platform.says({ status: "terminated" }, instanceIdOf(id, 1));
    idOf(await start({ CAPACITY_PER_ORGANIZATION: "1" }));
  });

  test("counts a resume: without a slot it is refused", async () => {
    const id = await newAudit(caller);
    await serviceOf(platform).cancel(id);
    for (let n = 0; n < 3; n += 1) await newAudit(caller);
    expect(await serviceOf(platform).resume(id, caller)).toMatchObject({ kind: "full", limit: 3 });
    expect((await rowOf(id)).status).toBe("canceled");
    expect(await eventsOf(id)).toEqual(["site_audit:start 1", "site_audit:complete 1"]);
  });
});

describe("canceling", () => {
  test("a zombie ends the audit, and its instance", async () => {
    const id = await silentFor(20 * MINUTE, caller);
    platform.says({ status: "running" });
    expect(await serviceOf(platform).cancel(id)).toBe(true);
    expect(await rowOf(id)).toMatchObject({ status: "canceled", endedBy: "manual", errorCode: "canceled" });
    expect(platform.terminated).toEqual([instanceIdOf(id, 1)]);
    expect(await pendingOf(id)).toEqual([0]);
    expect(await serviceOf(platform).cancel(id)).toBe(false);
  });

  test("while the platform hangs ends the audit all the same, and the supervisor ends the instance", async () => {
    const id = await silentFor(MINUTE, caller);
    platform.says("hangs");
    expect(await serviceOf(platform, { STATUS_TIMEOUT_MS: "50" }).cancel(id)).toBe(true);
    expect(await pendingOf(id)).toEqual([1]);
    platform.says({ status: "running" });
    await sweep(platform);
    expect(await pendingOf(id)).toEqual([0]);
  });
});

describe("resuming", () => {
  test("begins a new attempt anew in everything about being alive, in the phase where it stopped", async () => {
    const id = await silentFor(10 * MINUTE, caller);
    platform.says({ status: "running" });
    await sweep(platform);
    await pass(id, 2 * MINUTE);
    await sweep(platform);
    expect(await rowOf(id)).toMatchObject({ status: "failed", errorCode: "heartbeat_lost" });
    expect(await serviceOf(platform).resume(id, caller)).toEqual({ kind: "resumed", attempt: 2 });
    expect(await rowOf(id)).toMatchObject({
      status: "running",
      attempt: 2,
      phase: "crawling",
      heartbeatSeq: 0,
      seenSeq: null,
      seenSince: null,
      lastLookAt: null,
      nextLookAt: 0,
      errorCode: null,
      failedPhase: null,
      endedAt: null,
    });
    expect(platform.created).toEqual([instanceIdOf(id, 2)]);
    // What the first attempt came to stays known.
    const [first] = await select<{ code: string }>("select code from audit_attempts where audit_id = ?", id);
    expect(first!.code).toBe("heartbeat_lost");
  });

  test("is refused for what runs, for what has completed and for what is not there", async () => {
    const running = await newAudit(caller);
    expect(await serviceOf(platform).resume(running, caller)).toEqual({ kind: "not_final" });
    await env.DB.prepare("update audits set status = 'completed' where id = ?").bind(running).run();
    expect(await serviceOf(platform).resume(running, caller)).toEqual({ kind: "completed" });
    expect(await serviceOf(platform).resume("nobody", caller)).toEqual({ kind: "not_found" });
  });
});

describe("deleting", () => {
  const rowsLeft = async (id: string): Promise<number> => {
    const tables = [
      "audits",
      "audit_attempts",
      "audit_phases",
      "audit_beats",
      "audit_pages",
      "audit_urls",
      "audit_issues",
    ];
    const counts = await Promise.all(
      tables.map(async (table) => {
        const column = table === "audits" ? "id" : "audit_id";
        const [row] = await select<{ n: number }>(`select count(*) as n from ${table} where ${column} = ?`, id);
        return row!.n;
      }),
    );
    return counts.reduce((sum, n) => sum + n, 0);
  };
  const addUrls = async (id: string, count: number): Promise<void> => {
    await env.DB.prepare(
      `insert into audit_urls (audit_id, id, url, key, queue, depth, source)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2) select ?1, i, 'u' || i, 'u' || i, 0, 0, 1 from n`,
    )
      .bind(id, count)
      .run();
  };

  test("a running audit ends its instance and leaves no row", async () => {
    const id = await silentFor(MINUTE, caller);
    await addUrls(id, 4_500);
    platform.says({ status: "running" });
    expect(await serviceOf(platform).delete(id)).toBe(true);
    expect(platform.terminated).toEqual([instanceIdOf(id, 1)]);
    expect(await rowsLeft(id)).toBe(0);
    expect(await serviceOf(platform).delete(id)).toBe(false);
  });

  test("that is interrupted hides the audit at once, and the supervisor takes it up", async () => {
    const id = await silentFor(MINUTE, caller);
    await addUrls(id, 4_500);
    platform.says({ status: "running" });
    let batches = 0;
    const DB = wired({
      before: () => {
        batches += 1;
        if (batches > 6) throw new Error("the Worker was evicted");
      },
    });
    await expect(serviceOf(platform, { DB }).delete(id)).rejects.toThrow("evicted");
    expect(await serviceOf(platform).getStatus(id)).toBeNull();
    expect(await rowsLeft(id)).toBeGreaterThan(0);
    expect(await sweep(platform)).toMatchObject({ removed: 1 });
    expect(await rowsLeft(id)).toBe(0);
  });

  test("keeps the attempt until its instance has ended, and holds up nobody else's removal", async () => {
    const stuck = await Promise.all(Array.from({ length: 6 }, () => silentFor(MINUTE)));
    platform.says({ throws: "internal error" });
    for (const id of stuck) await serviceOf(platform).delete(id);
    const other = await newAudit();
    await env.DB.prepare("update audits set status = 'failed', deleted_at = 9e12 where id = ?").bind(other).run();
    expect(await sweep(platform)).toMatchObject({ removed: 1 });
    expect(await rowsLeft(other)).toBe(0);
    expect(await rowsLeft(stuck[0]!)).toBe(2);
    platform.says({ status: "running" });
    await env.DB.prepare("update audit_attempts set terminate_next_at = 0").run();
    expect(await sweep(platform)).toMatchObject({ terminated: 6, removed: 5 });
  });

  test("an audit that was resumed in between removes nothing of it", async () => {
    const id = await silentFor(MINUTE, caller);
    await addUrls(id, 10);
    await serviceOf(platform).cancel(id);
    await serviceOf(platform).resume(id, caller);
    expect(await deleteMarked(db, id)).toBe(false);
    await removeAudit(db, id);
    expect(await select("select count(*) as n from audit_urls where audit_id = ?", id)).toEqual([{ n: 10 }]);
    expect(await pendingOf(id)).toHaveLength(2);
  });
});
