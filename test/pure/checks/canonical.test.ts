import { describe, expect, test } from "vitest";
import { checksOf, finding, goodPage, type Page } from "./page-view.ts";

const canonical = (href: string) => `<link rel="canonical" href="${href}">`;
const OWN = "https://shop.example/dir/page";

describe("canon.multiple", () => {
  test("is an error for two that differ, also between head and header", () => {
    expect(finding("canon.multiple", { html: goodPage(canonical(OWN) + canonical("/other")) })?.evidence.measured).toBe(
      2,
    );
    const headers = {
      link: '<https://shop.example/other>; rel="canonical", <https://shop.example/feed>; rel="alternate"',
    };
    expect(finding("canon.multiple", { html: goodPage(canonical(OWN)), headers })?.severity).toBe("error");
  });
  test("is none for the same address said twice", () => {
    expect(
      finding("canon.multiple", { html: goodPage(canonical(OWN) + canonical("https://SHOP.example/dir/page")) }),
    ).toBeUndefined();
  });
  test("is none for one in the head and one in the body, which does not count", () => {
    expect(checksOf({ html: goodPage(canonical(OWN), canonical("/other")) })).toEqual(["canon.invalid"]);
  });
  test("is none for a canonical of another version", () => {
    expect(
      finding("canon.multiple", {
        html: goodPage(`${canonical(OWN)}<link rel="canonical" media="print" href="/print">`),
      }),
    ).toBeUndefined();
  });
});

describe("canon.invalid", () => {
  test.each([
    ["", "is empty"],
    ["http://[", "is no http or https address"],
    ["javascript:alert(1)", "is no http or https address"],
    ["https://shop.example/dir/page#top", "has a fragment"],
  ])("is an error for %j", (href, words) => {
    const found = finding("canon.invalid", { html: goodPage(canonical(href)) });
    expect(found?.severity).toBe("error");
    expect(found?.evidence.message).toContain(words);
  });
  test("is an error in the body", () => {
    expect(finding("canon.invalid", { html: goodPage("", canonical(OWN)) })?.evidence.message).toContain("body");
  });
  test("is none for a plain address, a long query, or an entity in it", () => {
    for (const href of [OWN, "/dir/page", "https://shop.example/p?a=1&amp;b=2"]) {
      expect(finding("canon.invalid", { html: goodPage(canonical(href)) })).toBeUndefined();
    }
  });
  test("is none where a broken head is to blame", () => {
    expect(checksOf({ html: goodPage(`<p>x</p>${canonical(OWN)}`) })).toEqual(["head.broken"]);
  });
});

describe("canon.relative", () => {
  test("is a notice for a path", () => {
    expect(finding("canon.relative", { html: goodPage(canonical("/dir/page")) })?.severity).toBe("notice");
  });
  test("is none for a full address, or one that only lacks the protocol", () => {
    expect(finding("canon.relative", { html: goodPage(canonical("HTTPS://shop.example/dir/page")) })).toBeUndefined();
    expect(finding("canon.relative", { html: goodPage(canonical("//shop.example/dir/page")) })).toBeUndefined();
  });
});

describe("canon.cross-host", () => {
  test("is a notice for another domain", () => {
    expect(finding("canon.cross-host", { html: goodPage(canonical("https://news.example.org/x")) })?.severity).toBe(
      "notice",
    );
  });
  test("is none for another host of the same domain", () => {
    const page: Page = { url: "https://www.shop.co.uk/x", siteOrigin: "https://www.shop.co.uk" };
    expect(
      finding("canon.cross-host", { ...page, html: goodPage(canonical("https://m.shop.co.uk/x")) }),
    ).toBeUndefined();
    expect(finding("canon.cross-host", { ...page, html: goodPage(canonical("https://other.co.uk/x")) })).toBeDefined();
  });
  test("tells apart customers of one provider", () => {
    const page: Page = { url: "https://one.github.io/x", siteOrigin: "https://one.github.io" };
    expect(
      finding("canon.cross-host", { ...page, html: goodPage(canonical("https://two.github.io/x")) }),
    ).toBeDefined();
  });
});

describe("canon.pagination-root", () => {
  const on = (url: string, href: string) => finding("canon.pagination-root", { url, html: goodPage(canonical(href)) });
  test("is a warning for a later page that names the first", () => {
    expect(on("https://shop.example/list?page=3", "https://shop.example/list")?.evidence.measured).toBe(3);
    expect(on("https://shop.example/list?sort=a&page=2", "https://shop.example/list?page=1")).toBeDefined();
    expect(on("https://shop.example/blog/page/2/", "https://shop.example/blog/")).toBeDefined();
  });
  test("is none for a later page that names itself, and for the first page", () => {
    expect(on("https://shop.example/list?page=3", "https://shop.example/list?page=3")).toBeUndefined();
    expect(on("https://shop.example/list?page=1", "https://shop.example/list")).toBeUndefined();
  });
  test("is none for a page whose number names something else", () => {
    expect(on("https://shop.example/?page=about", "https://shop.example/")).toBeUndefined();
    expect(on("https://shop.example/page/12-roses", "https://shop.example/")).toBeUndefined();
    expect(on("https://shop.example/list?page=2", "https://shop.example/view-all")).toBeUndefined();
  });
});
