import { describe, expect, test } from "vitest";
import { findingsOf, places } from "../support/seed.ts";

describe("images", () => {
  const site = {
    pages: {
      "/": { images: ["/gone.png", "/fine.png", "https://cdn.example/big.jpg", "/wall.png"] },
      "/a": { images: ["/gone.png", "/edge.jpg"], scripts: ["/big.js"], styles: ["/gone.css"] },
    },
    targets: {
      "/gone.png": { outcome: "broken", status: 404, bytes: 300_000 },
      "/fine.png": { bytes: 1_000 },
      "/wall.png": { outcome: "blocked", status: 403 },
      "https://cdn.example/big.jpg": { bytes: 250_999 },
      "/edge.jpg": { bytes: 200_000 },
      "/big.js": { bytes: 900_000 },
      "/gone.css": { outcome: "broken", status: 404 },
    },
  };

  test("img.broken: an image that does not load is one finding with the pages that show it; a blocked one is none", async () => {
    const issues = await findingsOf("img.broken", site);
    expect(issues).toMatchObject([
      {
        severity: "error",
        at: "/gone.png",
        message: "2 pages show the image /gone.png, which answers 404",
        sources: [
          ["/", ""],
          ["/a", ""],
        ],
        count: 2,
      },
    ]);
  });

  test("img.size: more than 200 KB is a notice, exactly that and other files are none", async () => {
    const issues = await findingsOf("img.size", site);
    expect(places(issues)).toEqual(["notice https://cdn.example/big.jpg"]);
    expect(issues[0]!.message).toBe("https://cdn.example/big.jpg has 250 KB (limit 200 KB); 1 page shows it");
  });
});

const itemsThatTake = (times: number[]) => ({
  pages: Object.fromEntries([["/", {}], ...times.map((ttfbMs, at) => [`/item/${at}`, { ttfbMs }])]),
});

describe("perf.ttfb", () => {
  test("the 75th percentile of a template counts: one slow page of five is none, two are a notice", async () => {
    expect(await findingsOf("perf.ttfb", itemsThatTake([100, 100, 100, 100, 900]))).toEqual([]);
    const issues = await findingsOf("perf.ttfb", itemsThatTake([100, 100, 100, 801, 900]));
    expect(places(issues)).toEqual(["notice /item/4"]);
    expect(issues[0]!.message).toBe(
      "A quarter of the 5 pages like /item/{n} took 801 ms or more to begin to answer (limit 800 ms)",
    );
  });

  test("800 ms are none, above 1800 ms is a warning", async () => {
    expect(await findingsOf("perf.ttfb", itemsThatTake([800]))).toEqual([]);
    expect(places(await findingsOf("perf.ttfb", itemsThatTake([1_800])))).toEqual(["notice /item/0"]);
    expect(places(await findingsOf("perf.ttfb", itemsThatTake([1_801])))).toEqual(["warning /item/0"]);
  });
});

describe("url.quality", () => {
  test("all odd addresses of a site are one finding; sound ones and copies with a canonical are none", async () => {
    const [issue, ...more] = await findingsOf("url.quality", {
      pages: {
        "/": {},
        "/a//b": {},
        "/snake_case": {},
        "/Shop": {},
        "/shop": {},
        "/list?a=1&b=2": {},
        "/list?b=2&a=1": {},
        "/f?a=1&b=2&c=3&d=4": {},
        "/copy_of?PHPSESSID=1": { canonical: "/" },
      },
    });
    expect(more).toEqual([]);
    expect(issue).toMatchObject({ severity: "notice", at: "site", evidence: { measured: 5 } });
    expect(issue!.message).toContain("1 with // in the path");
    expect(issue!.message).toContain("1 that differ from another only by the order of their parameters");
    expect(issue!.message).not.toContain("session");
    expect(await findingsOf("url.quality", { pages: { "/": {}, "/good-page?a=1&b=2&c=3": {} } })).toEqual([]);
  });
});

describe("hreflang", () => {
  test("hreflang.return: a version that does not list the page back is an error; a copy takes no part", async () => {
    const issues = await findingsOf("hreflang.return", {
      pages: {
        "/": {},
        "/en": {
          hreflang: [
            ["en", "/en"],
            ["de", "/de"],
            ["fr", "/fr"],
          ],
        },
        "/de": {
          hreflang: [
            ["de", "/de"],
            ["en", "/en"],
          ],
        },
        "/fr": { hreflang: [["fr", "/fr"]] },
        "/it": {
          hreflang: [
            ["es", "/missing"],
            ["pt", "/waiting"],
          ],
        },
        "/missing": { status: 404 },
        "/en?ref=1": {
          canonical: "/en",
          hreflang: [["de", "/de"]],
        },
      },
    });
    expect(places(issues)).toEqual(["error /en"]);
    expect(issues[0]!.message).toBe('/en lists /fr as "fr", which does not list it back');
  });

  test("hreflang.target: a version that is missing, redirects, is hidden or a copy is one finding, however many name it", async () => {
    const issues = await findingsOf("hreflang.target", {
      pages: {
        "/": {
          hreflang: [
            ["de", "/gone"],
            ["fr", "/old"],
            ["it", "/hidden"],
            ["es", "/copy"],
            ["pt", "/fine"],
            ["nl", "/wall"],
          ],
        },
        "/b": { hreflang: [["de", "/gone"]] },
        "/gone": { status: 404 },
        "/old": { redirectsTo: "/" },
        "/hidden": { noindex: true },
        "/copy": { canonical: "/" },
        "/wall": { status: 403 },
        "/fine": {},
      },
    });
    expect(issues.map(({ message }) => message)).toEqual([
      '2 pages list /gone as the version in "de", but it answers 404',
      '1 page lists /old as the version in "fr", but it redirects (301)',
      '1 page lists /hidden as the version in "it", but it says noindex',
      '1 page lists /copy as the version in "es", but it names another address as canonical',
    ]);
  });
});
