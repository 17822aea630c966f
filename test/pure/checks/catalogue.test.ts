import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkById, CHECKS, judgePage } from "../../../src/audit/checks/catalogue.ts";
import { goodPage, pageView } from "./page-view.ts";

describe("the catalogue", () => {
  test("has every check once", () => {
    const ids = CHECKS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(checkById(id)?.id).toBe(id);
    expect(checkById("no.such")).toBeUndefined();
  });

  test("has words for each: a title, why it matters, what to do, and a source that can be opened", () => {
    for (const { id, title, why, fix, source } of CHECKS) {
      expect(id).toMatch(/^[a-z0-9]+\.[a-z0-9-]+$/);
      for (const words of [title, why, fix]) expect(words.length, id).toBeGreaterThan(8);
      expect(title.endsWith("."), id).toBe(false);
      expect(why.endsWith("."), id).toBe(true);
      if (source !== null) expect(URL.parse(source)?.protocol, id).toBe("https:");
    }
  });
});

describe("judging a page", () => {
  test("bounds what it quotes", () => {
    const long = "x".repeat(50_000);
    const html = goodPage(
      `<link rel=canonical href="/${long}#a"><link rel=alternate hreflang="${long}" href="${long}"><meta http-equiv=refresh content="9;url=/${long}">`,
      `<a href="javascript:${long}">${long}</a><img src="/${long}"><form action="http://x.example/${long}"></form><script type="application/ld+json">${long}</script>`,
      { title: long },
    );
    for (const finding of judgePage(pageView({ html })))
      expect(JSON.stringify(finding).length, finding.check).toBeLessThan(4_000);
  });

  test("never throws and never finds the same twice, whatever the page", () => {
    const head = fc.constantFrom(
      "<link rel=canonical href='http://['>", "<link rel=canonical href='/x#'>", "<link rel=alternate hreflang=x href=y>", "<base href='http://'>",
      "<meta name=robots content='unavailable_after:'>", "<meta property=og:image content=x>", "<script type=application/ld+json>{", "</script>", "<title>", "<p>",
      "<meta name=robots content='noindex, nofollow'>", "<meta http-equiv=refresh content='0;url='>",
    ); // prettier-ignore
    const url = fc.constantFrom(
      "https://shop.example/",
      "http://localhost/x?page=2",
      "https://[::1]:8443/page/3/",
      "https://xn--mnchen-3ya.example/",
    );
    fc.assert(
      fc.property(fc.array(head, { maxLength: 12 }), url, fc.boolean(), (parts, address, isStart) => {
        const view = pageView({ url: address, siteOrigin: new URL(address).origin, isStart, html: parts.join("") });
        const checks = judgePage(view).map(({ check }) => check);
        expect(new Set(checks).size).toBe(checks.length);
      }),
      { numRuns: 300 },
    );
  });
});
