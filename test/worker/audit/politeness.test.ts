import { expect, test } from "vitest";
import type { LoggedRequest } from "../../support/sites.ts";
import {
  askedTimes,
  auditSite,
  linkPage,
  openSite,
  outcomeOf,
  setVars,
  startAudit,
  waitUntil,
} from "../support/audits.ts";

const at = (requests: LoggedRequest[], path: string): number[] =>
  requests.filter((request) => request.path === path).map(({ time }) => time);

test("at most six requests wait for their headers at once, however many pages wait", async () => {
  const paths = Array.from({ length: 40 }, (_, n) => `/p${n}`);
  const gated = Object.fromEntries(paths.map((path) => [path, { ...linkPage(path), gate: "go" }]));
  const site = await openSite({ routes: { "/": linkPage("Start", ...paths), ...gated } });
  setVars({ HEADERS_TIMEOUT_MS: "30000" });
  const id = await startAudit(site.origin);
  await waitUntil(
    () => site.requests(),
    (requests) => requests.filter(({ path }) => path.startsWith("/p")).length >= 6,
  );
  await site.open("go");
  const { audit } = await outcomeOf(id, site);
  expect(audit).toMatchObject({ status: "completed", pagesCrawled: 41 });
  expect((await site.log()).peakWaiting).toBe(6);
});

test("targets on other hosts are verified with at most two requests to one host at once", async () => {
  const other = await openSite({ fallback: { delayMs: 50, status: 200, body: "x" } });
  const links = Array.from({ length: 12 }, (_, n) => `${other.origin}/${n}`);
  const { audit } = await auditSite({ routes: { "/": linkPage("Start", ...links) } });
  expect(audit.status).toBe("completed");
  const log = await other.log();
  expect(log.requests).toHaveLength(12);
  expect(log.peakWaiting).toBe(2);
});

test("429 with Retry-After is waited for, by all requests, and the page is then read", async () => {
  const site = await openSite({
    routes: {
      "/": linkPage("Start", "/a", "/b"),
      "/a": [{ status: 429, headers: { "retry-after": "1" } }, linkPage("A")],
      "/b": linkPage("B"),
    },
  });
  const { page, audit } = await auditSite(site);
  expect(audit).toMatchObject({ status: "completed", pagesCrawled: 3 });
  expect(page("/a")).toMatchObject({ status: 200, title: "A" });
  const [first, second] = at(await site.requests(), "/a");
  expect(second! - first!).toBeGreaterThanOrEqual(990);
});

test("503 with a Retry-After as a date is waited for", async () => {
  const date = new Date(Date.now() + 4_000).toUTCString();
  const site = await openSite({
    routes: { "/": linkPage("Start", "/a"), "/a": [{ status: 503, headers: { "retry-after": date } }, linkPage("A")] },
  });
  const { page } = await auditSite(site);
  expect(page("/a")).toMatchObject({ status: 200 });
  expect(at(await site.requests(), "/a")[1]).toBeGreaterThanOrEqual(Date.parse(date) - 10);
});

test("a Retry-After that is too long is not waited for: the page counts as blocked", async () => {
  const site = await openSite({
    routes: { "/": linkPage("Start", "/a"), "/a": { status: 429, headers: { "retry-after": "3600" } } },
  });
  const { page, audit, findings } = await auditSite(site);
  expect(audit.status).toBe("completed");
  expect(page("/a")).toMatchObject({ status: 429, indexability: "blocked-by-bot-protection" });
  expect(findings).toContain("http.blocked /a");
  expect((await askedTimes(site))["/a"]).toBe(1);
});

test("429 without Retry-After is asked three times with growing pauses, then given up", async () => {
  const site = await openSite({ routes: { "/": linkPage("Start", "/a"), "/a": { status: 429 } } });
  setVars({ RETRY_DELAY_MS: "100" });
  const { page } = await auditSite(site);
  expect(page("/a")).toMatchObject({ status: 429 });
  const [one, two, three, ...more] = at(await site.requests(), "/a");
  expect(more).toEqual([]);
  expect(two! - one!).toBeGreaterThanOrEqual(95);
  expect(three! - two!).toBeGreaterThanOrEqual(190);
});

test("a server error is asked twice, apart by the delay, before it is believed", async () => {
  setVars({ RETRY_DELAY_MS: "150" });
  const site = await openSite({
    routes: {
      "/": linkPage("Start", "/down", "/shaky"),
      "/down": { status: 500 },
      "/shaky": [{ status: 502 }, linkPage("Shaky")],
    },
  });
  const { page, findings } = await auditSite(site);
  const [one, two, ...more] = at(await site.requests(), "/down");
  expect(more).toEqual([]);
  expect(two! - one!).toBeGreaterThanOrEqual(145);
  expect(findings).toContain("http.5xx /down");
  expect(page("/shaky")).toMatchObject({ status: 200, title: "Shaky" });
});

test("a page is asked again when its connection is dropped, before its headers or in its middle", async () => {
  const { page } = await auditSite({
    routes: {
      "/": linkPage("Start", "/early", "/late", "/gone"),
      "/early": [{ destroy: "before-headers" }, linkPage("Early")],
      "/late": [{ destroy: "mid-body", body: "<title>half</title>" }, linkPage("Late")],
      "/gone": { destroy: "mid-body", body: "<title>half</title>" },
    },
  });
  expect(page("/early")).toMatchObject({ status: 200, title: "Early" });
  expect(page("/late")).toMatchObject({ status: 200, title: "Late" });
  expect(page("/gone")).toMatchObject({ failure: "connection", title: null });
});

test("a crawl-delay is kept between the starts of two requests", async () => {
  const site = await openSite({
    routes: {
      "/": linkPage("Start", "/a", "/b", "/c"),
      "/a": linkPage("A"),
      "/b": linkPage("B"),
      "/c": linkPage("C"),
      "/robots.txt": { headers: { "content-type": "text/plain" }, body: "User-agent: *\nCrawl-delay: 0.4\n" },
    },
  });
  await auditSite(site);
  const times = (await site.requests()).filter(({ path }) => /^\/[abc]?$/.test(path)).map(({ time }) => time);
  const crawl = times.slice(1);
  expect(crawl).toHaveLength(4);
  // Measured where they arrive, which may be a little later than they start.
  for (let n = 1; n < crawl.length; n += 1) expect(crawl[n]! - crawl[n - 1]!).toBeGreaterThanOrEqual(200);
  expect(crawl[3]! - crawl[0]!).toBeGreaterThanOrEqual(1_000);
});

test("a site that refuses page after page is left alone, and the audit says that it was blocked", async () => {
  const paths = Array.from({ length: 120 }, (_, n) => `/p${n}`);
  const site = await openSite({ routes: { "/": linkPage("Start", ...paths) }, fallback: { status: 403, body: "no" } });
  const { audit } = await auditSite(site);
  expect(audit.status).toBe("completed");
  expect((await site.requests()).length).toBeLessThan(60);
  expect(audit.summary).toMatchObject({ crawlCompleted: false, score: null });
  expect(audit.summary!.blocked).toBeGreaterThanOrEqual(20);
});
