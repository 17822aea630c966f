/** Only the current execution of a step of the current attempt of a running audit writes anything. */
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { fenceHolds, SupersededError } from "../../../src/storage/fence.ts";
import { insertUrls } from "../../../src/storage/frontier-repository.ts";
import { openStep } from "../../../src/supervision/heartbeat.ts";
import {
  askedPaths,
  callApi,
  linkPage,
  openSite,
  outcomeOf,
  readOk,
  rows,
  startAudit,
  waitForEnd,
  waitUntil,
} from "../support/audits.ts";

const db = openDatabase(env.DB);
const cost = () => ({ batches: 0, queries: 0, rowsRead: 0, rowsWritten: 0 });
const open = (auditId: string, step: { stepIndex: number; stepTry: number; attempt?: number }) =>
  openStep(db, readConfig(env as never), { auditId, attempt: 1, phase: "crawling", ...step }, cost());

const newUrl = { id: 900, url: "http://x.example/", key: "x", queue: 0, depth: 0, source: 2 };
const lateBeats = async (id: string) =>
  (await rows<{ n: number }>("select sum(late_beats) as n from audit_attempts where audit_id = ?", id))[0]!.n;

/** An audit whose run stands still at a page until the gate opens. */
async function standing() {
  const site = await openSite({
    routes: {
      "/": linkPage("Start", "/wait"),
      "/wait": { ...linkPage("Wait", "/after"), gate: "go" },
      "/after": linkPage("After"),
    },
  });
  const id = await startAudit(site.origin);
  await waitUntil(
    () => askedPaths(site),
    (paths) => paths.includes("/wait"),
  );
  return { site, id };
}

test("of two executions of one step only the later writes; the earlier is told, and its late beat is counted", async () => {
  const { id, site } = await standing();
  const earlier = await open(id, { stepIndex: 50, stepTry: 1 });
  const later = await open(id, { stepIndex: 50, stepTry: 2 });
  await expect(earlier.save(insertUrls(earlier.fence, [newUrl]))).rejects.toThrow(SupersededError);
  expect(await rows("select 1 from audit_urls where audit_id = ? and id = 900", id)).toEqual([]);
  expect(await lateBeats(id)).toBe(1);
  await later.save(insertUrls(later.fence, [newUrl]));
  expect(await rows("select 1 from audit_urls where audit_id = ? and id = 900", id)).toHaveLength(1);
  earlier.close();
  later.close();
  await site.open("go");
});

test("an execution that begins late cannot take the fence back from a later one", async () => {
  const { id, site } = await standing();
  const later = await open(id, { stepIndex: 51, stepTry: 2 });
  await expect(open(id, { stepIndex: 51, stepTry: 1 })).rejects.toThrow(SupersededError);
  await expect(open(id, { stepIndex: 50, stepTry: 999 })).rejects.toThrow(SupersededError);
  await later.beat();
  later.close();
  await site.open("go");
});

test("a statement of a superseded execution writes nothing, whichever table it names", async () => {
  const { id, site } = await standing();
  const old = await open(id, { stepIndex: 60, stepTry: 1 });
  const current = await open(id, { stepIndex: 60, stepTry: 2 });
  const before = await rows("select * from audit_urls where audit_id = ?", id);
  await expect(
    old.save([sql`delete from audit_urls where audit_id = ${id} and ${fenceHolds(old.fence)}`]),
  ).rejects.toThrow(SupersededError);
  expect(await rows("select * from audit_urls where audit_id = ?", id)).toEqual(before);
  // Once told, it does not even ask again.
  await expect(old.beat()).rejects.toThrow(SupersededError);
  expect(await lateBeats(id)).toBe(1);
  old.close();
  current.close();
  await site.open("go");
});

test("a run whose audit was canceled in the middle ends quietly, and writes nothing more", async () => {
  const { id, site } = await standing();
  await readOk(callApi(`/api/v1/audits/${id}/cancel`, { method: "POST" }));
  const before = await rows("select * from audit_urls where audit_id = ? order by id", id);
  await site.open("go");
  const instance = await env.SITE_AUDIT.get(`audit-${id}-1`);
  await waitUntil(
    () => instance.status(),
    ({ status }) => status === "terminated" || status === "complete",
  );
  const audit = await waitForEnd(id);
  expect(audit).toMatchObject({
    status: "canceled",
    errorCode: "canceled",
    endedBy: "manual",
    failedPhase: "crawling",
  });
  expect(await rows("select * from audit_urls where audit_id = ? order by id", id)).toEqual(before);
  expect(await askedPaths(site)).not.toContain("/after");
});

test("a run that cannot be terminated finds out by itself, and returns instead of failing", async () => {
  const { id, site } = await standing();
  // As another process would end it: only the row changes.
  await env.DB.prepare("update audits set status = 'failed', ended_at = 1, step_run = null where id = ?")
    .bind(id)
    .run();
  await site.open("go");
  const instance = await env.SITE_AUDIT.get(`audit-${id}-1`);
  const { output } = await waitUntil(
    () => instance.status(),
    ({ status }) => status === "complete",
  );
  expect(output).toBe("superseded");
  expect(await lateBeats(id)).toBeGreaterThanOrEqual(1);
  const { audit, pages } = await outcomeOf(id, site);
  expect(audit.status).toBe("failed");
  expect(pages.map(({ url }) => url)).toEqual([`${site.origin}/`]);
});
