import { expect, test } from "vitest";
import { askedPaths, askedTimes, auditSite, linkPage, openSite } from "../support/audits.ts";

test("each redirect is followed by hand, and its target is a page of its own, asked once for itself", async () => {
  const { site, page, pages } = await auditSite({
    routes: {
      "/": linkPage("Start", "/old", "/older"),
      "/old": { status: 301, redirect: "/new" },
      "/older": { status: 302, redirect: "/old" },
      "/new": linkPage("New"),
    },
  });
  expect(pages).toHaveLength(4);
  expect(page("/old")).toMatchObject({ status: 301, finalUrl: `${site.origin}/new`, indexability: "redirect" });
  expect(page("/older")).toMatchObject({ status: 302, finalUrl: `${site.origin}/new` });
  expect(page("/new")).toMatchObject({ status: 200, title: "New", depth: 1 });
});

test("a chain, a loop and an endless redirect each get their finding, and the rest of the site is crawled", async () => {
  const chain = Object.fromEntries(
    Array.from({ length: 15 }, (_, n) => [`/hop/${n}`, { status: 301, redirect: `/hop/${n + 1}` }]),
  );
  const { site, audit, findings } = await auditSite({
    routes: {
      "/": linkPage("Start", "/hop/0", "/loop/a", "/endless", "/chain", "/fine"),
      ...chain,
      "/loop/a": { redirect: "/loop/b" },
      "/loop/b": { redirect: "/loop/a" },
      "/endless": { endlessRedirect: true },
      "/chain": { redirect: "/chain2" },
      "/chain2": { redirect: "/fine" },
      "/fine": linkPage("Fine"),
    },
  });
  expect(audit.status).toBe("completed");
  expect(findings).toContain("redir.chain /chain");
  expect(findings).toContain("redir.loop /loop/a");
  expect(findings.filter((finding) => finding.startsWith("redir.chain")).toSorted()).toEqual([
    "redir.chain /chain",
    "redir.chain /endless",
    "redir.chain /hop/0",
  ]);
  // Eleven requests for each of the two, and no new start from where they were given up.
  const asked = await askedPaths(site);
  expect(asked.filter((path) => path.startsWith("/endless"))).toHaveLength(11);
  expect(asked).not.toContain("/hop/11");
});

test("a site that wants its cookie back on the way is audited", async () => {
  const site = await openSite({
    routes: {
      "/": [
        { redirect: "/", headers: { "set-cookie": "seen=1; Path=/" } },
        linkPage("Start", "/next"),
        { redirect: "/", headers: { "set-cookie": "seen=1; Path=/" } },
        linkPage("Start", "/next"),
      ],
      "/next": linkPage("Next"),
    },
  });
  const { audit } = await auditSite(site);
  expect(audit.status).toBe("completed");
  const cookies = (await site.requests()).filter(({ path }) => path === "/").map(({ headers }) => headers.cookie);
  expect(cookies).toEqual([undefined, "seen=1", undefined, "seen=1"]);
});

test("a start address that redirects to another host makes that host the audited site", async () => {
  const site = await openSite({ routes: { "/": linkPage("Start", "/a"), "/a": linkPage("A") } });
  const front = await openSite({ routes: { "/": { status: 301, redirect: `${site.origin}/` } } });
  const { audit, pages } = await auditSite(front);
  expect(audit).toMatchObject({ status: "completed", siteOrigin: site.origin });
  expect(pages.map(({ url }) => url)).toEqual([`${front.origin}/`, `${site.origin}/`, `${site.origin}/a`]);
});

test.each([
  "http://127.0.0.1:1/",
  "http://localhost/",
  "http://[::1]/",
  "http://0x7f000001/",
  "http://169.254.169.254/latest/meta-data/",
  "http://192.168.1.1/",
  "http://[::ffff:10.0.0.1]/",
  "http://router.local/",
])("a link that redirects to %s is refused, and the address is not asked", async (target) => {
  const { audit, page } = await auditSite({
    routes: { "/": linkPage("Start", "/out"), "/out": { redirect: target } },
  });
  expect(audit.status).toBe("completed");
  expect(page("/out")).toMatchObject({ failure: "address_not_allowed", indexability: "redirect" });
});

test("a redirect, an image and a sitemap cannot lead to another port of this machine", async () => {
  const secret = await openSite({ routes: { "/": { body: "secret" } } });
  const { host } = secret;
  const site = await openSite({
    routes: {
      "/": { body: `<title>x</title><img src="//{{other}}/i.png"><a href="/out">o</a>`.replaceAll("{{other}}", host) },
      "/out": { redirect: `http://${host}/` },
      "/robots.txt": { body: `Sitemap: http://${host}/map.xml`, headers: { "content-type": "text/plain" } },
    },
  });
  const { env } = await import("cloudflare:workers");
  env.ALLOWED_HOSTS = site.host;
  const { audit } = await auditSite(site);
  expect(audit.status).toBe("completed");
  expect(await secret.requests()).toEqual([]);
});

test("an address that redirects to itself without end is asked no more often than others", async () => {
  const { site } = await auditSite({ routes: { "/": linkPage("Start", "/self"), "/self": { redirect: "/self" } } });
  expect((await askedTimes(site))["/self"]).toBe(1);
});
