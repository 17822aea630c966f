import { describe, expect, test } from "vitest";
import { analyse, findingsOf, places, seedAudit } from "../support/seed.ts";

describe("http.4xx", () => {
  test("a missing page is an error when links or a sitemap lead there, else a notice", async () => {
    const issues = await findingsOf("http.4xx", {
      pages: {
        "/": { links: ["/linked", "/old"] },
        "/linked": { status: 404 },
        "/listed": { status: 410, sitemap: true },
        "/lost": { status: 404 },
        "/old": { redirectsTo: "/gone", finalStatus: 404 },
        "/gone": { status: 404 },
        "/error": { status: 500 },
      },
    });
    expect(places(issues)).toEqual(["error /linked", "error /listed", "notice /lost", "error /gone"]);
    expect(issues[0]!.message).toBe("/linked answers 404; 1 page links to it");
    expect(issues[1]!.message).toBe("/listed answers 410; a sitemap lists it");
    expect(issues[3]!.message).toBe("/gone answers 404; links lead here through a redirect");
  });

  test("401, 403, 429 and 451 do not tell that a page is missing", async () => {
    const pages = Object.fromEntries([401, 403, 429, 451].map((status) => [`/${status}`, { status, sitemap: true }]));
    const issues = await analyse(await seedAudit({ pages: { "/": { links: Object.keys(pages) }, ...pages } }));
    expect(issues.filter(({ check }) => check !== "http.blocked")).toEqual([]);
    expect(places(issues.filter(({ at }) => at !== "site"))).toEqual(
      Object.keys(pages).map((path) => `notice ${path}`),
    );
  });
});

const siteThatRefuses = (refused: number, fine: number) => ({
  pages: Object.fromEntries([
    ["/", {}],
    ...Array.from({ length: fine - 1 }, (_, at) => [`/fine-${at}`, {}]),
    ...Array.from({ length: refused }, (_, at) => [`/no-${at}`, { status: 403 }]),
  ]),
});

describe("http.blocked", () => {
  test("from 30 % of 403 answers on, the audit says that it was blocked", async () => {
    const issues = await findingsOf("http.blocked", siteThatRefuses(3, 7));
    expect(issues.find(({ at }) => at === "site")?.message).toBe(
      "We were blocked: 3 of 10 answers were 403, so this audit shows only part of the site",
    );
  });

  test("below that, only the pages are named", async () => {
    const issues = await findingsOf("http.blocked", siteThatRefuses(2, 7));
    expect(places(issues)).toEqual(["notice /no-0", "notice /no-1"]);
    expect(issues[0]!.message).toBe("Could not verify /no-0: it answered 403 to our crawler");
  });

  test("a challenge with status 503 is no broken page", async () => {
    const issues = await analyse(
      await seedAudit({
        pages: {
          "/": { links: ["/wall"] },
          "/wall": {
            status: 503,
            indexability: "blocked-by-bot-protection",
            detail: "cf-mitigated: challenge",
            sitemap: true,
          },
        },
      }),
    );
    expect(issues.map(({ check, at }) => `${check} ${at}`)).toEqual(["http.blocked /wall"]);
  });
});

const probe = { url: "https://site.example/9f", finalUrl: null, finalStatus: 200, minhash: null, textKey: "sorry" };
const discovery = (status: number, more = {}) => ({
  robots: { url: "", status: 404, unreachable: false, problems: [] },
  sitemaps: [],
  probe: { ...probe, status, ...more },
});
const softPages = {
  "/": { textKey: "sorry" },
  "/gone": { textKey: "sorry" },
  "/fine": {},
  "/said": { indexability: "soft-404", detail: 'title "Page not found"' },
  "/app": { textKey: "sorry", extras: { jsShell: true } },
};

const siteFault = async (status: number, more = {}) =>
  places(await findingsOf("http.soft404-site", { pages: { "/": {} } }, { discovery: discovery(status, more) }));

describe("http.soft404", () => {
  test("a page that reads like the answer to a random address, or says so, is a soft 404; the start page is not", async () => {
    const issues = await findingsOf("http.soft404", { pages: softPages }, { discovery: discovery(200) });
    expect(places(issues)).toEqual(["warning /gone", "warning /said"]);
  });

  test("a site that answers 404 to a random address has no page that is like it", async () => {
    const issues = await findingsOf("http.soft404", { pages: softPages }, { discovery: discovery(404) });
    expect(places(issues)).toEqual(["warning /said"]);
  });

  test("the site has no 404 when a random address answers 200 or leads home; a redirect elsewhere proves nothing", async () => {
    expect(await siteFault(200)).toEqual(["error site"]);
    expect(await siteFault(302, { finalUrl: "https://site.example/" })).toEqual(["error site"]);
    expect(await siteFault(302, { finalUrl: "https://site.example/login" })).toEqual([]);
    expect(await siteFault(404, { finalStatus: 404 })).toEqual([]);
    expect(await siteFault(410, { finalStatus: 410 })).toEqual([]);
  });
});
