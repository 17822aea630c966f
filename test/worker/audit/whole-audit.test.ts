import { introspectWorkflow } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { auditSite, linkPage, openSite, outcomeOf, postJson, readOk, rows, setVars } from "../support/audits.ts";

const shop = {
  routes: {
    "/": linkPage("The shop", "/garden", "/tools?page=1", "/garden#roses", "/missing", "/#top"),
    "/garden": linkPage("Garden", "/", "/tools?page=1", "./roses/"),
    "/tools": linkPage("Tools", "/garden", "mailto:a@b.example", "javascript:void(0)"),
    "/garden/roses/": linkPage("Tools", "../"),
    "/roses/": linkPage("Roses", "/"),
    "/robots.txt": { headers: { "content-type": "text/plain" }, body: "User-agent: *\nAllow: /\n" },
  },
};

test("an audit of a small site completes with every page once, its findings and a summary", async () => {
  const { audit, pages, findings, site } = await auditSite(shop);
  expect(audit).toMatchObject({
    status: "completed",
    phase: "finishing",
    attempt: 1,
    endedBy: "workflow",
    errorCode: null,
    siteOrigin: site.origin,
    verdict: null,
  });
  expect(pages.map(({ url }) => url.slice(site.origin.length)).toSorted()).toEqual([
    "/",
    "/garden",
    "/missing",
    "/roses/",
    "/tools?page=1",
  ]);
  expect(audit.pagesCrawled).toBe(pages.length);
  expect(pages.find(({ url }) => url.endsWith("/garden"))).toMatchObject({
    status: 200,
    title: "Garden",
    depth: 1,
    inlinks: 2,
    indexability: "indexable",
    contentType: "text/html; charset=utf-8",
  });
  expect(findings).toContain("http.4xx /missing");
  expect(findings).toContain("link.broken-internal /missing");
  expect(audit.summary).toMatchObject({ pages: 5, crawlCompleted: true, blocked: 0 });
});

test("its history reads as a story: the phases and their steps, in order", async () => {
  setVars({ CRAWL_STEP_PAGES: "2" });
  const site = await openSite(shop);
  await using all = await introspectWorkflow(env.SITE_AUDIT);
  const { id } = await readOk<{ id: string }>(postJson("/api/v1/audits", { url: site.origin }));
  await outcomeOf(id, site);
  const [instance] = await all.get();
  await instance!.waitForStatus("complete");
  expect(await instance!.getOutput()).toBe("completed");
  const told = (name: string) => instance!.waitForStepResult({ name });
  expect(await told("discover urls")).toMatchObject({ result: { siteOrigin: site.origin, known: 1, fatal: null } });
  expect(await told("crawl pages 1-2")).toMatchObject({ result: { pages: 2, crawled: 2, done: false } });
  expect(await told("crawl pages 3-4")).toMatchObject({ result: { pages: 2, crawled: 4 } });
  expect(await told("crawl pages 5-6")).toMatchObject({ result: { pages: 1, crawled: 5, done: true, cutBy: null } });
  expect(await told("check external links 1-100")).toMatchObject({ result: { checked: 0, done: true } });
  expect(await told("analyze site")).toMatchObject({ result: { issues: { error: expect.any(Number) } } });
  expect(await told("finish")).toMatchObject({ result: { status: "completed", code: null } });
});

test("each phase leaves a marker with its counts, and the heartbeat moves with every step", async () => {
  const { audit } = await auditSite(shop);
  const phases = await rows<{ phase: string; began_at: number; ended_at: number | null; counts: string }>(
    "select * from audit_phases where audit_id = ? order by began_at, ended_at",
    audit.id,
  );
  expect(phases.map(({ phase }) => phase)).toEqual([
    "discovering",
    "crawling",
    "checking_links",
    "analyzing",
    "finishing",
  ]);
  for (const [index, { began_at, ended_at }] of phases.entries()) {
    expect(ended_at).toBeGreaterThanOrEqual(began_at);
    // One batch ends a phase and begins the next, within the same moment.
    expect(Math.abs((phases[index + 1]?.began_at ?? ended_at!) - ended_at!)).toBeLessThan(1_000);
  }
  expect(JSON.parse(phases[1]!.counts)).toMatchObject({ crawled: 5, known: 5, leftOut: 0 });
  expect(audit.heartbeat.seq).toBeGreaterThanOrEqual(phases.length);
  const beats = await rows<{ seq: number; pages_crawled: number }>(
    "select * from audit_beats where audit_id = ?",
    audit.id,
  );
  expect(beats.length).toBeGreaterThan(0);
  const [attempt] = await rows("select * from audit_attempts where audit_id = ?", audit.id);
  expect(attempt).toMatchObject({ attempt: 1, ended_by: "workflow", code: null, late_beats: 0 });
});

test("a site whose every page is crawled is complete, also when that is exactly the limit", async () => {
  const { audit, pages } = await auditSite(shop, { maxPages: 5 });
  expect(pages).toHaveLength(5);
  expect(audit.summary).toMatchObject({ crawlCompleted: true });
});

test("a crawl that ends at its number of pages says that it was cut, and has no score", async () => {
  const { audit, pages } = await auditSite({ generate: { pages: 30, links: 5, bytes: 2000 } }, { maxPages: 7 });
  expect(pages).toHaveLength(7);
  expect(audit).toMatchObject({ status: "completed", pagesCrawled: 7, pagesTotal: 7, maxPages: 7 });
  expect(audit.summary).toMatchObject({ crawlCompleted: false, score: null });
});

test("images, scripts and links to other hosts are verified, not crawled", async () => {
  const other = await openSite({
    routes: { "/ok": { body: "here" }, "/no-head": { headStatus: 405, body: "here" }, "/wall": { status: 403 } },
  });
  const { site, findings, pages } = await auditSite({
    routes: {
      "/": {
        body: `<title>Start</title><img src="/a.png" alt="a"><img src="/gone.png" alt="b"><script src="/s.js"></script>
          <a href="${other.origin}/ok">1</a><a href="${other.origin}/no-head">2</a>
          <a href="${other.origin}/gone">3</a><a href="${other.origin}/wall">4</a>`,
      },
      "/a.png": { headers: { "content-type": "image/png" }, body: "png" },
      "/s.js": { headers: { "content-type": "text/javascript" }, body: "1" },
    },
  });
  expect(pages).toHaveLength(1);
  expect(findings).toContain(`img.broken /gone.png`);
  expect(findings).toContain(`link.broken-external ${other.origin}/gone`);
  expect(findings.filter((finding) => finding.startsWith("link.broken-external"))).toEqual(
    expect.not.arrayContaining([`link.broken-external ${other.origin}/no-head`]),
  );
  const asked = (await other.requests()).map(({ method, path }) => `${method} ${path}`);
  expect(asked).toContain("HEAD /no-head");
  expect(asked).toContain("GET /no-head");
  expect(asked).not.toContain("GET /ok");
  expect((await site.requests()).filter(({ path }) => path === "/a.png").map(({ method }) => method)).toEqual(["HEAD"]);
});
