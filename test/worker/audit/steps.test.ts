/** What a crawl step does may be repeated, cut and overtaken: nothing is lost, and nothing is there twice. */
import { introspectWorkflow } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { stepTimeoutMs } from "../../../src/audit/step-limits.ts";
import { askedTimes, linkPage, openSite, outcomeOf, rows, setVars, startAudit, waitUntil } from "../support/audits.ts";

const thirty = { generate: { pages: 30, links: 6, bytes: 2_000 } };

const duplicates = (id: string) =>
  rows("select url from audit_urls where audit_id = ? group by key having count(*) > 1", id);

/** Every address has its number, every page its address, and every link leads to an address that is there. */
async function expectSound(id: string): Promise<void> {
  expect(await duplicates(id)).toEqual([]);
  const [numbers] = await rows("select count(*) as n, max(id) as last from audit_urls where audit_id = ?", id);
  expect(numbers!.n).toBe(numbers!.last);
  const dangling = await rows(
    `select p.url_id from audit_pages p, json_each(p.links) l where p.audit_id = ?
      and not exists (select 1 from audit_urls u where u.audit_id = p.audit_id and u.id = l.value ->> 0)`,
    id,
  );
  expect(dangling).toEqual([]);
  const states = await rows(
    `select u.state, count(p.url_id) as pages, count(*) as n from audit_urls u
      left join audit_pages p on p.audit_id = u.audit_id and p.url_id = u.id
      where u.audit_id = ? and u.queue <= 1 group by u.state`,
    id,
  );
  for (const { state, pages, n } of states) expect(pages).toBe(state === 1 ? n : 0);
}

test("a crawl step ends at its number of pages, and the next goes on behind it", async () => {
  setVars({ CRAWL_STEP_PAGES: "8" });
  const site = await openSite(thirty);
  await using all = await introspectWorkflow(env.SITE_AUDIT);
  const id = await startAudit(site.origin);
  const { audit } = await outcomeOf(id, site);
  expect(audit).toMatchObject({ status: "completed", pagesCrawled: 31 });
  const [instance] = await all.get();
  const told = (name: string) => instance!.waitForStepResult({ name });
  expect(await told("crawl pages 1-8")).toMatchObject({ result: { pages: 8, crawled: 8, done: false } });
  expect(await told("crawl pages 25-32")).toMatchObject({ result: { pages: 7, crawled: 31, done: true } });
  await expectSound(id);
  const times = await askedTimes(site);
  for (let n = 0; n < 30; n += 1) expect(times[`/p/${n}`]).toBe(1);
});

test("a crawl step ends when its time is up, and no page is asked for twice because of that", async () => {
  setVars({ CRAWL_STEP_MS: "150" });
  const site = await openSite({ generate: { ...thirty.generate, delayMs: 60 } });
  const id = await startAudit(site.origin);
  const { audit } = await outcomeOf(id, site);
  expect(audit).toMatchObject({ status: "completed", pagesCrawled: 31 });
  await expectSound(id);
  const times = await askedTimes(site);
  for (let n = 0; n < 30; n += 1) expect(times[`/p/${n}`]).toBe(1);
});

test("pages that outlast the step are left to the next, and given up there, so that the crawl ends", async () => {
  setVars({ CRAWL_STEP_MS: "100", HEADERS_TIMEOUT_MS: "600", BODY_TIMEOUT_MS: "600", MAX_RETRY_AFTER_MS: "0" });
  const site = await openSite({
    routes: {
      "/": linkPage("Start", "/slow", "/fine"),
      // Each hop is quick enough, all of them together are not.
      "/slow": { endlessRedirect: true, delayMs: 400 },
      "/fine": linkPage("Fine"),
    },
  });
  const { audit, page } = await outcomeOf(await startAudit(site.origin), site);
  expect(audit).toMatchObject({ status: "completed", pagesCrawled: 3 });
  expect(page("/slow")).toMatchObject({ failure: "too_many_redirects" });
});

test("pages that still queue when a step must end are left to the next one", async () => {
  setVars({ CRAWL_STEP_MS: "100", HEADERS_TIMEOUT_MS: "800", BODY_TIMEOUT_MS: "200", MAX_RETRY_AFTER_MS: "0" });
  const paths = Array.from({ length: 8 }, (_, n) => `/p${n}`);
  const site = await openSite({
    routes: {
      "/": linkPage("Start", ...paths),
      ...Object.fromEntries(paths.map((path) => [path, linkPage(path)])),
      "/robots.txt": { headers: { "content-type": "text/plain" }, body: "User-agent: *\nCrawl-delay: 1\n" },
    },
  });
  await using all = await introspectWorkflow(env.SITE_AUDIT);
  const id = await startAudit(site.origin);
  const { audit } = await outcomeOf(id, site);
  expect(audit).toMatchObject({ status: "completed", pagesCrawled: 9 });
  await expectSound(id);
  const [instance] = await all.get();
  const told = (name: string) => instance!.waitForStepResult({ name });
  // The start page alone; then what the site's own delay let through before the step gave up the rest.
  expect(await told("crawl pages 1-500")).toMatchObject({ result: { done: false } });
  const crawled = await rows<{ n: number }>(
    "select count(distinct fetched_at / 3000) as n from audit_pages where audit_id = ?",
    id,
  );
  expect(crawled[0]!.n).toBeGreaterThan(1);
});

test("a step that fails in the middle is repeated from what was saved: nothing twice, nothing lost", async () => {
  setVars({ SAVE_EVERY_PAGES: "5" });
  const site = await openSite(thirty);
  await using all = await introspectWorkflow(env.SITE_AUDIT);
  await all.modifyAll(async (m) => {
    await m.disableRetryDelays();
    await m.disableSleeps();
  });
  // The database refuses one batch for good while the crawl is under way.
  const real = env.DB.batch.bind(env.DB);
  let failures = 0;
  env.DB.batch = async <T>(statements: D1PreparedStatement[]) => {
    const results = await rows<{ n: number }>(
      "select count(*) as n from audit_pages where audit_id in (select id from audits where status = 'running')",
    );
    if (results[0]!.n >= 10 && failures === 0) {
      failures += 1;
      throw new Error("D1_ERROR: malformed JSON: SQLITE_ERROR");
    }
    return real<T>(statements);
  };
  try {
    const id = await startAudit(site.origin);
    const { audit } = await outcomeOf(id, site);
    expect(failures).toBe(1);
    expect(audit).toMatchObject({ status: "completed", pagesCrawled: 31 });
    await expectSound(id);
    const [instance] = await all.get();
    expect(await instance!.waitForStepResult({ name: "crawl pages 1-500" })).toMatchObject({
      result: { crawled: 31, done: true },
    });
  } finally {
    env.DB.batch = real;
  }
});

test("a crawl that has used up the time of its audit is cut, and says so", async () => {
  setVars({ AUDIT_TIME_BUDGET_MS: "1000", CRAWL_STEP_MS: "300" });
  const site = await openSite({ generate: { ...thirty.generate, delayMs: 400 } });
  const id = await startAudit(site.origin);
  const { audit, pages } = await outcomeOf(id, site);
  expect(audit).toMatchObject({ status: "completed", summary: { crawlCompleted: false, score: null } });
  expect(pages.length).toBeLessThan(31);
  expect(await rows("select cut_by from audit_discoveries where audit_id = ?", id)).toEqual([{ cut_by: "time" }]);
});

test("a step that throws before it does anything is tried again", async () => {
  const site = await openSite(thirty);
  await using all = await introspectWorkflow(env.SITE_AUDIT);
  await all.modifyAll(async (m) => {
    await m.disableRetryDelays();
    await m.mockStepError({ name: "discover urls" }, new Error("Network connection lost."), 1);
    await m.mockStepError({ name: "crawl pages 1-500" }, new Error("internal error"), 2);
    await m.forceStepTimeout({ name: "analyze site" }, 1);
  });
  const id = await startAudit(site.origin);
  const { audit } = await outcomeOf(id, site);
  expect(audit).toMatchObject({ status: "completed", pagesCrawled: 31, attempt: 1 });
  await expectSound(id);
});

test("a step that fails for good fails the audit at once, with the code of its error and its phase", async () => {
  const site = await openSite(thirty);
  await using all = await introspectWorkflow(env.SITE_AUDIT);
  await all.modifyAll(async (m) => {
    await m.disableRetryDelays();
    await m.mockStepError({ name: "analyze site" }, new Error("D1 DB is overloaded. Too many requests queued."));
  });
  const id = await startAudit(site.origin);
  const { audit, pages } = await outcomeOf(id, site);
  expect(audit).toMatchObject({ status: "failed", errorCode: "db_overloaded", endedBy: "workflow" });
  expect(pages).toHaveLength(31);
});

test("a step whose result was lost does its work again and comes to the same", async () => {
  const site = await openSite(thirty);
  const id = await startAudit(site.origin);
  const first = await outcomeOf(id, site);
  // The engine forgets everything and runs from the top, as after an eviction: the rows say that it is over.
  const instance = await env.SITE_AUDIT.get(`audit-${id}-1`);
  await instance.restart();
  await waitUntil(
    () => instance.status(),
    ({ status }) => status === "complete",
  );
  const second = await outcomeOf(id, site);
  expect(second.audit).toMatchObject({ status: "completed", endedAt: first.audit.endedAt });
  expect(second.pages).toEqual(first.pages);
  expect(second.issues).toEqual(first.issues);
  const times = await askedTimes(site);
  expect(times["/p/0"]).toBe(1);
});

test("the timeout of a step exceeds its own time, the worst of its requests, and the trying again of a beat", () => {
  const config = readConfig({});
  const worstPage = 2 * (3 * config.HEADERS_TIMEOUT_MS + config.BODY_TIMEOUT_MS) + config.MAX_RETRY_AFTER_MS;
  expect(stepTimeoutMs(config)).toBeGreaterThan(config.CRAWL_STEP_MS + worstPage + 6 * 60_000);
});
