import { describe, expect, test } from "vitest";
import { effectiveCanonical } from "../../../src/audit/checks/indexability.ts";
import { words } from "../html/read-html.ts";
import { goodPage, NOW, type Page, pageView } from "./page-view.ts";

const reason = (page: Page) => pageView(page).indexability.reason;
const URL_ = "https://shop.example/dir/page";
const hop = (status: number, location: string) => ({ url: URL_, status, location });

describe("the reason why a page can or cannot be found", () => {
  test("is indexable for a page without fault", () => {
    expect(pageView({ html: goodPage() }).indexability).toEqual({ reason: "indexable", detail: null });
  });

  test("is the failure of the network", () => {
    const fetched = { status: null, finalStatus: null, failure: { code: "dns" as const, detail: "no such host" } };
    expect(pageView({ fetched }).indexability).toEqual({ reason: "network-error", detail: "dns" });
  });

  test("is the bot wall before the status that comes with it", () => {
    expect(reason({ fetched: { finalStatus: 503, botWall: "status 503 with cf-mitigated" } })).toBe(
      "blocked-by-bot-protection",
    );
  });

  test("is the last status, also behind a redirect", () => {
    expect(reason({ fetched: { finalStatus: 500 } })).toBe("5xx");
    expect(reason({ fetched: { finalStatus: 404 } })).toBe("4xx");
    expect(reason({ fetched: { status: 301, finalStatus: 404, hops: [hop(301, "/x")] } })).toBe("4xx");
  });

  test("is the redirect, also one that never ends", () => {
    const fetched = { status: 301, finalStatus: 200, hops: [hop(301, "/x")], finalUrl: "https://shop.example/x" };
    expect(pageView({ fetched }).indexability).toEqual({ reason: "redirect", detail: "https://shop.example/x" });
    const loop = {
      status: 301,
      finalStatus: null,
      hops: [hop(301, URL_)],
      failure: { code: "redirect_loop" as const, detail: "" },
    };
    expect(reason({ fetched: loop })).toBe("redirect");
    expect(reason({ html: goodPage('<meta http-equiv="refresh" content="0;url=/new">') })).toBe("redirect");
    expect(reason({ html: goodPage('<meta http-equiv="refresh" content="30">') })).toBe("indexable");
    expect(reason({ html: goodPage('<meta http-equiv="refresh" content="0;url=/dir/page">') })).toBe("indexable");
  });

  test("is robots.txt where it forbade the address itself", () => {
    const fetched = {
      status: null,
      finalStatus: null,
      failure: { code: "robots_disallowed" as const, detail: "Disallow: /dir" },
    };
    expect(reason({ fetched })).toBe("robots-blocked");
  });

  test("is the type of what is no HTML", () => {
    expect(pageView({ headers: { "content-type": "application/pdf" } }).indexability).toEqual({
      reason: "non-html",
      detail: "application/pdf",
    });
  });

  test("is noindex before the canonical, with its place", () => {
    const html = goodPage(
      '<meta name="robots" content="noindex"><link rel="canonical" href="https://shop.example/other">',
    );
    expect(pageView({ html }).indexability).toMatchObject({
      reason: "noindex",
      detail: expect.stringContaining("meta: "),
    });
    expect(pageView({ html: goodPage(), headers: { "x-robots-tag": "none" } }).indexability.detail).toContain(
      "header: ",
    );
    expect(reason({ html: goodPage('<meta name="bingbot" content="noindex">') })).toBe("indexable");
    expect(reason({ html: goodPage('<meta name="robots" content="unavailable_after: 2020-01-01">'), now: NOW })).toBe(
      "noindex",
    );
  });

  test("is the canonical only when it is another address", () => {
    const canonical = (href: string) => reason({ html: goodPage(`<link rel="canonical" href="${href}">`) });
    expect(canonical("https://shop.example/other")).toBe("canonicalised");
    for (const same of ["/dir/page", "HTTPS://SHOP.example:443/dir/../dir/page", "https://shop.example/dir/%70age"]) {
      expect(canonical(same), same).toBe("indexable");
    }
    expect(canonical("https://shop.example/dir/page/")).toBe("canonicalised");
  });

  test.each([
    ["Page not found", "", 20],
    ["404 Not Found", "Oops! We can't find the page you're looking for.", 20],
    ["Seite nicht gefunden - Acme", "", 20],
    ["Acme | Page Not Found", "Page not found", 400],
    ["Acme", "The page you are looking for does not exist", 10],
    ["ページが見つかりません", "", 10],
  ])("is soft-404 for a page that says so: %s", (title, h1, count) => {
    expect(reason({ html: `<title>${title}</title><h1>${h1}</h1><p>${words(count)}` })).toBe("soft-404");
  });

  test.each([
    ["Page not found - how to design a good 404 page", "Page not found: how to design a good 404 page", 400],
    ["Peugeot 404", "Peugeot 404", 20],
    ["Page found", "Found", 20],
    ["Lost and found", "Lost and found", 20],
    ["Nothing to be found here but gardens", "", 20],
  ])("is not soft-404 for a page about it: %s", (title, h1, count) => {
    expect(reason({ html: `<title>${title}</title><h1>${h1}</h1><p>${words(count)}` })).toBe("indexable");
  });
});

describe("the canonical that counts", () => {
  const canonical = (head: string, headers: Record<string, string> = {}, body = "") => {
    const { html } = pageView({ html: goodPage(head, body), headers });
    return effectiveCanonical(html!, URL_);
  };
  const link = (href: string) => `<link rel="canonical" href="${href}">`;

  test("is the only one, from head or header, absolute", () => {
    expect(canonical(link("/x"))).toBe("https://shop.example/x");
    expect(canonical("", { link: '<https://shop.example/y>; rel="canonical"' })).toBe("https://shop.example/y");
    expect(canonical(link("/x") + link("https://shop.example/x"))).toBe("https://shop.example/x");
  });

  test("is none where several differ, or it is faulty, or stands in the body", () => {
    expect(canonical(link("/x") + link("/y"))).toBeNull();
    expect(canonical(link("/x"), { link: '<https://shop.example/y>; rel="canonical"' })).toBeNull();
    expect(canonical(link("/x#part"))).toBeNull();
    expect(canonical(link(""))).toBeNull();
    expect(canonical("", {}, link("/x"))).toBeNull();
  });
});
