import { describe, expect, test } from "vitest";
import { checksOf, finding, goodPage, NOW } from "./page-view.ts";

const robots = (content: string, name = "robots") => `<meta name="${name}" content="${content}">`;

describe("a page without fault", () => {
  test("has no finding at all", () => {
    expect(checksOf({ html: goodPage() })).toEqual([]);
  });
  test("has none either when it is not HTML", () => {
    expect(checksOf({ headers: { "content-type": "application/pdf" } })).toEqual([]);
  });
  test("is not looked for behind addresses that only machines ask", () => {
    for (const url of [
      "https://shop.example/wp-json/oembed/1.0/embed?url=x",
      "https://shop.example/blog/feed/",
      "https://shop.example/xmlrpc.php",
    ]) {
      expect(checksOf({ url, html: "<p>x" })).toEqual([]);
    }
  });
});

describe("index.noindex", () => {
  test("names the directive and where it came from", () => {
    expect(finding("index.noindex", { html: goodPage(robots("noindex, follow")) })?.evidence.found).toContain(
      "noindex, follow",
    );
    expect(
      finding("index.noindex", { html: goodPage(), headers: { "x-robots-tag": "noindex" } })?.evidence.message,
    ).toContain("X-Robots-Tag");
    expect(
      finding("index.noindex", { headers: { "content-type": "application/pdf", "x-robots-tag": "none" } }),
    ).toBeDefined();
  });
  test("is none for other directives, other bots, and pages that are gone", () => {
    expect(finding("index.noindex", { html: goodPage(robots("nofollow, noarchive")) })).toBeUndefined();
    expect(finding("index.noindex", { html: goodPage(robots("noindex", "bingbot")) })).toBeUndefined();
    expect(
      finding("index.noindex", { html: goodPage(), headers: { "x-robots-tag": "bingbot: noindex" } }),
    ).toBeUndefined();
    expect(
      finding("index.noindex", { fetched: { status: 404, finalStatus: 404 }, headers: { "x-robots-tag": "noindex" } }),
    ).toBeUndefined();
  });
});

describe("index.conflict", () => {
  test("is a warning when meta and header contradict each other", () => {
    expect(
      finding("index.conflict", { html: goodPage(robots("index")), headers: { "x-robots-tag": "noindex" } })?.severity,
    ).toBe("warning");
  });
  test("is none when they agree, or only one speaks", () => {
    expect(
      finding("index.conflict", { html: goodPage(robots("noindex")), headers: { "x-robots-tag": "noindex" } }),
    ).toBeUndefined();
    expect(finding("index.conflict", { html: goodPage(), headers: { "x-robots-tag": "noindex" } })).toBeUndefined();
  });
  test("is none when the header speaks to another bot", () => {
    expect(
      finding("index.conflict", { html: goodPage(robots("index")), headers: { "x-robots-tag": "otherbot: noindex" } }),
    ).toBeUndefined();
  });
});

describe("index.unavailable-after", () => {
  const until = (date: string) =>
    finding("index.unavailable-after", { html: goodPage(robots(`unavailable_after: ${date}`)), now: NOW });
  test("is a warning for a date that is past or cannot be read", () => {
    expect(until("2026-11-29")?.evidence.message).toContain("past");
    expect(until("next summer")?.evidence.message).toContain("cannot be read");
  });
  test("is none for a date to come, in the header's long form with its comma too", () => {
    expect(until("2026-12-01")).toBeUndefined();
    const headers = { "x-robots-tag": "unavailable_after: Wednesday, 25-Jun-30 15:00:00 GMT" };
    expect(finding("index.unavailable-after", { html: goodPage(), headers, now: NOW })).toBeUndefined();
  });
});

describe("index.nofollow-page", () => {
  const links = '<a href="/a">a</a><a href="https://www.shop.example/b">b</a><a href="https://other.example/">c</a>';
  test("is a warning that counts the internal links", () => {
    expect(finding("index.nofollow-page", { html: goodPage(robots("nofollow"), links) })?.evidence.measured).toBe(2);
  });
  test("is none without internal links, and on a page that is not to be found anyway", () => {
    expect(
      finding("index.nofollow-page", { html: goodPage(robots("nofollow"), '<a href="https://other.example/">c</a>') }),
    ).toBeUndefined();
    expect(finding("index.nofollow-page", { html: goodPage(robots("none"), links) })).toBeUndefined();
  });
});

describe("index.meta-in-body and head.broken", () => {
  test("report a robots meta in the body", () => {
    expect(finding("index.meta-in-body", { html: goodPage("", robots("noindex")) })?.severity).toBe("warning");
  });
  test("report none when the head has one too, or when it only allows", () => {
    expect(finding("index.meta-in-body", { html: goodPage(robots("noindex"), robots("noindex")) })).toBeUndefined();
    expect(
      finding("index.meta-in-body", { html: goodPage("", robots("index, follow, max-snippet:-1")) }),
    ).toBeUndefined();
  });
  test("report a head that something ended, once, with what was lost", () => {
    const html = goodPage(`<div></div>${robots("noindex")}<link rel="canonical" href="https://shop.example/dir/page">`);
    expect(finding("head.broken", { html })).toMatchObject({
      severity: "error",
      evidence: { found: "<div>", message: "The head ends at <div>; after it come: robots, canonical." },
    });
    expect(checksOf({ html })).toEqual(["head.broken"]);
  });
  test("report none for an element at the very end of the head, or in a noscript there", () => {
    expect(finding("head.broken", { html: goodPage("<img src=pixel.gif alt width=1 height=1>") })).toBeUndefined();
    expect(
      finding("head.broken", {
        html: goodPage('<noscript><img src="/p.gif"></noscript><link rel="canonical" href="/dir/page">'),
      }),
    ).toBeUndefined();
  });
});
