import { describe, expect, test } from "vitest";
import { findingsOf, places, seedAudit } from "../support/seed.ts";

describe("link.broken-internal", () => {
  test("a missing page is one finding with every page that links to it and the words of the link", async () => {
    const issues = await findingsOf("link.broken-internal", {
      pages: {
        "/": { links: [{ to: "/spring-sale", anchor: "Sale" }, { to: "/spring-sale", anchor: "again" }, "/garden"] },
        "/garden": { links: [{ to: "/spring-sale", anchor: "See all" }] },
        "/spring-sale": { status: 404 },
      },
    });
    expect(issues).toMatchObject([
      {
        severity: "error",
        at: "/spring-sale",
        message: "2 pages link to /spring-sale, which answers 404",
        sources: [
          ["/", "Sale"],
          ["/garden", "See all"],
        ],
        count: 2,
      },
    ]);
  });

  test("a redirect to a missing page, a failure and a broken file of the site are broken links too", async () => {
    const issues = await findingsOf("link.broken-internal", {
      pages: {
        "/": { links: ["/old", "/slow", "/file.pdf"], styles: ["/main.css"] },
        "/old": { redirectsTo: "/gone", status: 301, finalStatus: 410 },
        "/gone": { status: 410 },
        "/slow": { status: null, failure: "timeout_headers" },
      },
      targets: { "/main.css": { outcome: "broken", status: 404 }, "/file.pdf": { outcome: "broken", status: 500 } },
    });
    expect(issues.map(({ message }) => message).toSorted()).toEqual([
      "1 page leads to /file.pdf, which answers 500",
      "1 page leads to /main.css, which answers 404",
      "1 page links to /old, which redirects to /gone, which answers 410",
      "1 page links to /slow, which did not begin to answer in time",
    ]);
  });

  test("a page that turns the crawler away, one that nobody links to, a working one and a broken image are none", async () => {
    const issues = await findingsOf("link.broken-internal", {
      pages: {
        "/": { links: ["/members", "/fine"], images: ["/a.png"] },
        "/members": { status: 403 },
        "/fine": { links: ["/fine"] },
        "/unlinked": { status: 404, sitemap: true },
        "/self": { status: 404 },
      },
      targets: { "/a.png": { outcome: "broken", status: 404 } },
    });
    expect(issues).toEqual([]);
  });
});

describe("link.broken-external", () => {
  test("404 and an unknown host are broken; 403, 500 and a timeout could not be verified", async () => {
    const issues = await findingsOf("link.broken-external", {
      pages: { "/": { links: ["a", "b", "c", "d", "e", "f"].map((name) => `https://${name}.example/`) } },
      targets: {
        "https://a.example/": { outcome: "broken", status: 404 },
        "https://b.example/": { outcome: "failed", status: null, failure: "dns" },
        "https://c.example/": { outcome: "blocked", status: 403 },
        "https://d.example/": { outcome: "broken", status: 500 },
        "https://e.example/": { outcome: "failed", status: null, failure: "timeout_headers" },
        "https://f.example/": {},
      },
    });
    expect(places(issues)).toEqual([
      "warning https://a.example/",
      "warning https://b.example/",
      "notice https://c.example/",
      "notice https://d.example/",
      "notice https://e.example/",
    ]);
    expect(issues[0]!.message).toBe("1 page links to https://a.example/, which answers 404");
    expect(issues[2]!.message).toContain("Could not verify https://c.example/: it answers 403");
  });
});

describe("link.orphan", () => {
  const site = {
    pages: {
      "/": { links: ["/linked", "/old", { to: "/whispered", nofollow: true }], sitemap: true },
      "/linked": { sitemap: true },
      "/old": { redirectsTo: "/moved" },
      "/moved": { sitemap: true },
      "/alone": { links: ["/alone"], sitemap: true },
      "/whispered": { sitemap: true },
      "/hidden": { noindex: true, sitemap: true },
      "/unlisted": {},
    },
  };

  test("a listed page without a followed link from another page is an orphan; one behind a redirect is not", async () => {
    const issues = await findingsOf("link.orphan", site);
    expect(places(issues)).toEqual(["warning /alone", "warning /whispered"]);
    expect(issues[0]!.message).toBe("A sitemap lists /alone, but no page links to it");
    expect(issues[1]!.message).toBe("A sitemap lists /whispered, but no page links to it without nofollow");
  });

  test("a crawl that was cut says nothing about orphans", async () => {
    expect(await findingsOf("link.orphan", site, { crawlCompleted: false })).toEqual([]);
  });

  test("links of a page that says nofollow do not lead anywhere", async () => {
    const issues = await findingsOf("link.orphan", {
      pages: { "/": { links: ["/a"], nofollow: true }, "/a": { sitemap: true } },
    });
    expect(places(issues)).toEqual(["warning /a"]);
  });
});

describe("link.depth", () => {
  test("four clicks are a notice, six a warning, three nothing, and a redirect adds none", async () => {
    const issues = await findingsOf("link.depth", {
      pages: {
        "/": { links: ["/1"] },
        "/1": { redirectsTo: "/1/" },
        "/1/": { links: ["/2"] },
        "/2": { links: ["/3"] },
        "/3": { links: ["/4", "/"] },
        "/4": { links: ["/5"] },
        "/5": { links: ["/6"] },
        "/6": {},
      },
    });
    expect(places(issues)).toEqual(["notice /4", "notice /5", "warning /6"]);
    expect(issues[0]!.message).toBe("/4 is 4 clicks away from the start page (limit 3)");
  });

  test("the shortest way counts, and a page that is framed is no click away", async () => {
    const issues = await findingsOf("link.depth", {
      pages: {
        "/": { links: ["/1", "/5", { to: "/6", iframe: true }] },
        "/1": { links: ["/2"] },
        "/2": { links: ["/3"] },
        "/3": { links: ["/4"] },
        "/4": { links: ["/5", "/6"] },
        "/5": {},
        "/6": {},
      },
    });
    expect(places(issues)).toEqual(["notice /4", "notice /6"]);
  });
});

describe("link.nofollow-internal", () => {
  test("nofollow links to an indexable page are one finding; to a page that is not indexable, none", async () => {
    const issues = await findingsOf("link.nofollow-internal", {
      pages: {
        "/": { links: [{ to: "/a", nofollow: true, anchor: "A" }, { to: "/login", nofollow: true }, "/b"] },
        "/b": { links: [{ to: "/a", nofollow: true }] },
        "/a": {},
        "/login": { noindex: true },
      },
    });
    expect(issues).toMatchObject([
      {
        severity: "notice",
        at: "/a",
        message: "2 pages link to /a with nofollow, although it may be indexed",
        count: 2,
      },
    ]);
  });
});

describe("link.fragment", () => {
  test("a missing id is found on other pages and on the page itself; present and special fragments are none", async () => {
    const issues = await findingsOf("link.fragment", {
      pages: {
        "/": {
          fragments: [
            ["/guide", "install"],
            ["/guide", "usage"],
            ["/guide", "top"],
            ["/guide", ":~:text=hello"],
            ["/guide", "/route"],
            ["/guide", "%C3%BCber"],
            ["/guide", "Usage"],
            ["/moved", "x"],
            ["/app", "x"],
          ],
          extras: { anchors: ["here"] },
        },
        "/guide": {
          fragments: [
            ["/guide", "nowhere"],
            ["/guide", "usage"],
            ["/", "here"],
          ],
          extras: { anchors: ["usage", "über"] },
        },
        "/moved": { redirectsTo: "/guide" },
        "/app": { extras: { jsShell: true } },
      },
    });
    expect(places(issues)).toEqual(["notice /guide"]);
    expect(issues[0]!.message).toBe(
      "3 links point into /guide at #install, #Usage, #nowhere, where no element has that id",
    );
    expect(issues[0]!.sources).toContainEqual(["/guide", "#nowhere"]);
  });
});

const redirecting = (status: number, to = "/new") => ({
  pages: { "/": { links: ["/now"] }, "/now": { status, redirectsTo: to }, "/new": {}, "/other": {} },
});

describe("redir.temp-internal", () => {
  test("a temporary redirect that is the same as in the audit before is a notice", async () => {
    const previousAuditId = await seedAudit(redirecting(307));
    const issues = await findingsOf("redir.temp-internal", redirecting(302), { previousAuditId });
    expect(places(issues)).toEqual(["notice /now"]);
  });

  test("a permanent one, one that led elsewhere, and one without an earlier audit are none", async () => {
    const previousAuditId = await seedAudit(redirecting(302, "/other"));
    expect(await findingsOf("redir.temp-internal", redirecting(302), { previousAuditId })).toEqual([]);
    expect(
      await findingsOf("redir.temp-internal", redirecting(301), { previousAuditId: await seedAudit(redirecting(301)) }),
    ).toEqual([]);
    expect(await findingsOf("redir.temp-internal", redirecting(302))).toEqual([]);
  });
});
