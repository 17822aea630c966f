import { describe, expect, test } from "vitest";
import { findingsOf, places, seedAudit } from "../support/seed.ts";

describe("index.noindex-in-sitemap", () => {
  test("a listed page that says noindex is an error; a listed page that does not, or an unlisted one that does, is none", async () => {
    const issues = await findingsOf("index.noindex-in-sitemap", {
      pages: {
        "/": { sitemap: true },
        "/hidden": { sitemap: true, noindex: true, detail: "meta: noindex" },
        "/private": { noindex: true },
        "/moved": { sitemap: true, noindex: true, redirectsTo: "/" },
      },
    });
    expect(places(issues)).toEqual(["error /hidden"]);
    expect(issues[0]!.evidence).toMatchObject({ found: "meta: noindex" });
  });
});

const siteThatHides = (hidden: number, shown: number) => ({
  pages: Object.fromEntries([
    ...Array.from({ length: shown }, (_, at) => [`/shown-${at}`, {}]),
    ...Array.from({ length: hidden }, (_, at) => [`/hidden-${at}`, { noindex: true }]),
    ["/missing", { status: 404 }],
  ]),
});

describe("index.noindex-sitewide", () => {
  test("four of five pages are an error about the site, three of four are none", async () => {
    const issues = await findingsOf("index.noindex-sitewide", siteThatHides(8, 2));
    expect(issues).toMatchObject([
      { severity: "error", at: "site", message: "8 of 10 pages say noindex (limit 80 %)" },
    ]);
    expect(await findingsOf("index.noindex-sitewide", siteThatHides(7, 2))).toEqual([]);
  });
});

describe("canon.to-bad", () => {
  test("a canonical address that redirects, is missing, refused or hidden is an error; a sound one is none", async () => {
    const issues = await findingsOf("canon.to-bad", {
      pages: {
        "/": { canonical: "/" },
        "/a": { canonical: "/moved" },
        "/b": { canonical: "/missing" },
        "/c": { canonical: "/hidden" },
        "/d": { canonical: "/private" },
        "/e": { canonical: "/" },
        "/f": { canonical: "/members" },
        "/g": { canonical: "https://other.example/gone" },
        "/moved": { redirectsTo: "/" },
        "/missing": { status: 404 },
        "/hidden": { noindex: true },
        "/members": { status: 403 },
      },
      targets: { "https://other.example/gone": { outcome: "broken", status: 404 } },
      refused: { "/private": { reason: "robots" } },
    });
    expect(issues.map(({ message }) => message)).toEqual([
      "/a names /moved as canonical, which redirects (301)",
      "/b names /missing as canonical, which answers 404",
      "/c names /hidden as canonical, which says noindex",
      "/d names /private as canonical, which robots.txt refuses",
      "/g names https://other.example/gone as canonical, which answers 404",
    ]);
    expect(issues.every(({ severity }) => severity === "error")).toBe(true);
  });
});

describe("canon.chain", () => {
  test("a canonical address that names another one is a warning, a circle too; one step is none", async () => {
    const issues = await findingsOf("canon.chain", {
      pages: {
        "/": {},
        "/a": { canonical: "/b" },
        "/b": { canonical: "/c" },
        "/c": { canonical: "/c" },
        "/x": { canonical: "/y" },
        "/y": { canonical: "/x" },
      },
    });
    expect(issues.map(({ message }) => message)).toEqual([
      "/a names /b as canonical, which names /c",
      "/x names /y as canonical, which names the first one again",
      "/y names /x as canonical, which names the first one again",
    ]);
  });
});

describe("sitemap.bad-url", () => {
  test("a listed error is an error; a listed redirect or copy a warning; a blocked or sound page none", async () => {
    const issues = await findingsOf("sitemap.bad-url", {
      pages: {
        "/": { sitemap: true },
        "/gone": { status: 404, sitemap: true },
        "/old": { redirectsTo: "/", sitemap: true },
        "/lost": { redirectsTo: "/gone", finalStatus: 404, sitemap: true },
        "/copy": { canonical: "/", sitemap: true },
        "/members": { status: 401, sitemap: true },
        "/unlisted": { status: 404 },
      },
      refused: { "/private": { reason: "robots", sitemap: true }, "/cart": { reason: "robots" } },
    });
    expect(issues.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      "error: A sitemap lists /gone, which answers 404",
      "warning: A sitemap lists /old, which redirects (301) to /",
      "error: A sitemap lists /lost, which redirects to /gone, which answers 404",
      "warning: A sitemap lists /copy, which names / as canonical",
      "error: A sitemap lists /private, which robots.txt refuses",
    ]);
  });
});

const listing = (urls: number) => ({
  robots: { url: "", status: 404, unreachable: false, problems: [] },
  sitemaps: [{ url: "/sitemap.xml", status: 200, urls, problems: [] }],
});

describe("sitemap.not-listed", () => {
  const site = {
    pages: { "/": { sitemap: true }, "/new": {}, "/hidden": { noindex: true }, "/copy": { canonical: "/" } },
  };
  test("an indexable page in no sitemap is a notice", async () => {
    expect(places(await findingsOf("sitemap.not-listed", site, { discovery: listing(1) }))).toEqual(["notice /new"]);
  });

  test("a site without a sitemap, and a crawl that was cut, say nothing", async () => {
    expect(await findingsOf("sitemap.not-listed", site, { discovery: listing(0) })).toEqual([]);
    expect(await findingsOf("sitemap.not-listed", site, { discovery: listing(1), crawlCompleted: false })).toEqual([]);
  });
});

describe("robots.txt", () => {
  const robotsText = "User-agent: Googlebot\nDisallow: /private\nDisallow: /assets/*.css\nDisallow: /find\n";

  test("a page that is kept from Googlebot although links or a sitemap lead there is a warning", async () => {
    const issues = await findingsOf(
      "robots.blocks-linked",
      {
        pages: {
          "/": { links: ["/private/a", { to: "/private/quiet", nofollow: true }, "/open"] },
          "/open": {},
          "/private/a": {},
        },
        refused: {
          "/private/listed": { reason: "robots", sitemap: true },
          "/private/unknown": { reason: "robots" },
          "/private/quiet": { reason: "robots" },
        },
      },
      { robotsText },
    );
    expect(issues.map(({ message }) => message)).toEqual([
      "robots.txt keeps Googlebot from /private/a, but 1 page links to it",
      "robots.txt keeps Googlebot from /private/listed, but a sitemap lists it",
    ]);
  });

  test("a search form with many parameters is one finding", async () => {
    const links = Array.from({ length: 30 }, (_, at) => `/find?q=${at}`);
    const refused = Object.fromEntries(links.map((link) => [link, { reason: "robots" }]));
    const issues = await findingsOf("robots.blocks-linked", { pages: { "/": { links } }, refused }, { robotsText });
    expect(issues.map(({ message }) => message)).toEqual([
      "robots.txt keeps Googlebot from /find with 30 sets of parameters, but 1 page links to them",
    ]);
  });

  test("a rule that keeps many pages out is one finding", async () => {
    const links = Array.from({ length: 30 }, (_, at) => `/private/${at}`);
    const refused = Object.fromEntries(links.map((link) => [link, { reason: "robots" }]));
    const issues = await findingsOf("robots.blocks-linked", { pages: { "/": { links } }, refused }, { robotsText });
    expect(issues).toMatchObject([{ evidence: { memberCount: 30, found: "Disallow: /private" } }]);
  });

  test("what keeps out this crawler but not Googlebot is none", async () => {
    const issues = await findingsOf(
      "robots.blocks-linked",
      { pages: { "/": { links: ["/a"] } }, refused: { "/a": { reason: "robots" } } },
      { robotsText: "User-agent: *\nDisallow: /\nUser-agent: Googlebot\nAllow: /\n" },
    );
    expect(issues).toEqual([]);
  });

  test("styles of an indexable page that are kept from Googlebot are a warning; those of a hidden page and images none", async () => {
    const issues = await findingsOf(
      "robots.blocks-assets",
      {
        pages: {
          "/": { styles: ["/assets/main.css", "/open.css"], images: ["/private/a.png"] },
          "/hidden": { styles: ["/assets/hidden.css"], noindex: true },
        },
        targets: { "/assets/main.css": {}, "/assets/hidden.css": {}, "/open.css": {}, "/private/a.png": {} },
      },
      { robotsText },
    );
    expect(issues).toMatchObject([
      { at: "/assets/main.css", message: "robots.txt keeps Googlebot from /assets/main.css, which 1 page loads" },
    ]);
  });

  test("noindex that Googlebot may not see is an error, whether seen now or in the audit before", async () => {
    const previousAuditId = await seedAudit({
      pages: { "/": {}, "/private/before": { noindex: true }, "/private/fine": {} },
    });
    const issues = await findingsOf(
      "robots.noindex-unseen",
      {
        pages: { "/": {}, "/private/now": { noindex: true }, "/hidden": { noindex: true } },
        refused: { "/private/before": { reason: "robots" }, "/private/fine": { reason: "robots" } },
      },
      { robotsText, previousAuditId },
    );
    expect(issues.map(({ message }) => message)).toEqual([
      "/private/now says noindex, but robots.txt keeps Googlebot from seeing that",
      "/private/before said noindex in the audit before, but robots.txt keeps Googlebot from seeing that",
    ]);
  });
});
