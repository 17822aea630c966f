import { expect, test } from "vitest";
import { RobotsOfHosts } from "../../../src/audit/crawl/robots-of-hosts.ts";
import {
  askedPaths,
  auditSite,
  callApi,
  linkPage,
  openSite,
  readOk,
  startAudit,
  waitForEnd,
} from "../support/audits.ts";

const text = (body: string) => ({ headers: { "content-type": "text/plain" }, body });
const xml = (body: string) => ({ headers: { "content-type": "application/xml" }, body });
const urlset = (...paths: string[]) =>
  xml(`<urlset>${paths.map((path) => `<url><loc>{{origin}}${path}</loc></url>`).join("")}</urlset>`);

test("robots.txt that forbids everything ends the audit, and no page is asked for", async () => {
  const { audit, site, pages } = await auditSite({
    routes: { "/": linkPage("Start", "/a"), "/robots.txt": text("User-agent: *\nDisallow: /\n") },
  });
  expect(audit).toMatchObject({ status: "failed", errorCode: "robots_disallowed" });
  expect(audit.error?.detail).toContain("robots.txt does not allow");
  expect(pages).toEqual([]);
  expect(await askedPaths(site)).not.toContain("/a");
});

test.each([
  ["answers 503", { status: 503, body: "later" }],
  ["answers 429", { status: 429 }],
  ["does not answer", { destroy: "before-headers" as const }],
])("robots.txt that %s, twice, forbids everything, and the audit says so", async (_, route) => {
  const { audit, site, findings } = await auditSite({
    routes: { "/": linkPage("Start", "/a"), "/robots.txt": route },
  });
  expect(audit).toMatchObject({ status: "failed", errorCode: "robots_disallowed" });
  expect(audit.error?.detail).toMatch(/robots\.txt (answered|did not answer).*twice/);
  expect((await askedPaths(site)).filter((path) => path === "/robots.txt")).toHaveLength(2);
  expect(await askedPaths(site)).not.toContain("/a");
  expect(findings).toContain("robots.unreachable /robots.txt");
});

test("an audit that robots.txt stopped can be resumed when robots.txt is there", async () => {
  const site = await openSite({
    routes: { "/": linkPage("Start", "/a"), "/a": linkPage("A"), "/robots.txt": { status: 500 } },
  });
  const id = await startAudit(site.origin);
  expect(await waitForEnd(id)).toMatchObject({ status: "failed", errorCode: "robots_disallowed" });
  await site.patch({ routes: { "/robots.txt": text("User-agent: *\nDisallow: /a\n") } });
  await readOk(callApi(`/api/v1/audits/${id}/resume`, { method: "POST" }));
  expect(await waitForEnd(id)).toMatchObject({ status: "completed", attempt: 2, pagesCrawled: 1 });
  expect(await askedPaths(site)).not.toContain("/a");
});

test("a start page that fails once does not open what robots.txt forbids", async () => {
  const { audit, site } = await auditSite({
    routes: {
      "/": [{ status: 503 }, { status: 503 }, linkPage("Start", "/secret", "/open")],
      "/open": linkPage("Open"),
      "/robots.txt": text("User-agent: *\nDisallow: /secret\n"),
    },
  });
  expect(audit).toMatchObject({ status: "completed", pagesCrawled: 2 });
  expect(await askedPaths(site)).not.toContain("/secret");
});

test("what robots.txt forbids is not asked for, neither by link nor through a redirect", async () => {
  const { site, page } = await auditSite({
    routes: {
      "/": linkPage("Start", "/private/a", "/open", "/leads"),
      "/open": linkPage("Open"),
      "/leads": { redirect: "/private/b" },
      "/robots.txt": text("User-agent: *\nDisallow: /private/\n"),
    },
  });
  const asked = await askedPaths(site);
  expect(asked.filter((path) => path.startsWith("/private"))).toEqual([]);
  expect(page("/leads")).toMatchObject({ failure: "robots_disallowed" });
});

test("images, scripts and frames of the site are verified within its robots.txt, too", async () => {
  const body = `<html lang="en"><head><title>Start</title></head><body><img src="/open.png" alt=""><img src="/private/a.png" alt=""><iframe src="/private/frame"></iframe></body></html>`;
  const { audit, site, findings } = await auditSite({
    routes: {
      "/": { headers: { "content-type": "text/html; charset=utf-8" }, body },
      "/open.png": { headers: { "content-type": "image/png" }, body: "x" },
      "/robots.txt": text("User-agent: *\nDisallow: /private/\n"),
    },
  });
  expect(audit.status).toBe("completed");
  const paths = await askedPaths(site);
  expect(paths).toContain("/open.png");
  expect(paths.filter((path) => path.startsWith("/private/"))).toEqual([]);
  expect(findings.filter((finding) => finding.startsWith("img.broken"))).toEqual([]);
});

test("robots.txt is asked with the crawler's own name, which leads to its page", async () => {
  const { site } = await auditSite({ routes: { "/": linkPage("Start") } });
  const requests = await site.requests();
  expect(requests.map(({ path }) => path)).toContain("/robots.txt");
  for (const { headers } of requests) expect(headers["user-agent"]).toMatch(/PulseAudit.*https?:\/\//);
});

test("sitemaps are read through indexes and gzip, each once, and their pages are crawled after the linked ones", async () => {
  const { site, pages, audit } = await auditSite({
    routes: {
      "/": linkPage("Start", "/linked"),
      "/linked": linkPage("Linked"),
      "/a": linkPage("A"),
      "/b": linkPage("B"),
      "/robots.txt": text("Sitemap: {{origin}}/index.xml\nSitemap: {{origin}}/index.xml\n"),
      "/index.xml": xml(
        "<sitemapindex><sitemap><loc>{{origin}}/one.xml</loc></sitemap><sitemap><loc>{{origin}}/two.xml.gz</loc></sitemap>" +
          "<sitemap><loc>{{origin}}/index.xml</loc></sitemap></sitemapindex>",
      ),
      "/one.xml": urlset("/a", "/linked"),
      "/two.xml.gz": { ...urlset("/b", "/a"), gzip: true },
    },
  });
  const asked = await askedPaths(site);
  for (const path of ["/index.xml", "/one.xml", "/two.xml.gz"]) {
    expect(asked.filter((other) => other === path)).toHaveLength(1);
  }
  expect(pages).toHaveLength(4);
  expect(asked.indexOf("/linked")).toBeLessThan(asked.indexOf("/b"));
  expect(audit.summary).toMatchObject({ crawlCompleted: true });
});

test.each([
  ["hangs", { hang: "body" as const, headers: { "content-type": "application/xml" }, body: "<urlset><url>" }],
  [
    "breaks off",
    { destroy: "mid-body" as const, headers: { "content-type": "application/xml" }, body: "<urlset><url>" },
  ],
  ["is an endless redirect", { endlessRedirect: true }],
  ["is HTML", linkPage("Not a sitemap")],
])("a sitemap that %s is reported and does not stop the audit", async (_, route) => {
  const { audit, findings } = await auditSite({
    routes: { "/": linkPage("Start"), "/robots.txt": text("Sitemap: {{origin}}/map.xml"), "/map.xml": route },
  });
  expect(audit).toMatchObject({ status: "completed", pagesCrawled: 1 });
  expect(findings.some((finding) => finding.startsWith("sitemap.invalid"))).toBe(true);
});

test("another origin of the site has its own robots.txt, which is asked before its first page", async () => {
  const site = await openSite({
    routes: { "/": linkPage("Start"), "/robots.txt": text("User-agent: *\nDisallow: /secret\n") },
  });
  const other = await openSite({
    routes: {
      "/open": linkPage("Open"),
      "/secret": linkPage("Secret"),
      "/robots.txt": text("User-agent: *\nDisallow: /secret\n"),
    },
  });
  const rules = {
    userAgent: "test",
    allowedHosts: [site.host, other.host],
    headersTimeoutMs: 2_000,
    bodyTimeoutMs: 2_000,
    throttle: { run: <T>(work: () => Promise<T>) => work() },
    fetch: (input: string, init: RequestInit) => fetch(input, init),
  };
  const hosts = new RobotsOfHosts(rules, 10);
  const verdicts = ["/open", "/secret", "/open"].map((path) => hosts.allow(new URL(path, other.origin)));
  expect(await Promise.all(verdicts)).toEqual([true, false, true]);
  expect(await askedPaths(other)).toEqual(["/robots.txt"]);
});
