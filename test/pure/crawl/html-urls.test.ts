import { describe, expect, test } from "vitest";
import { parseMetaRefresh, parseSrcset, relTokens } from "../../../src/audit/crawl/html-urls.ts";

describe("srcset", () => {
  test.each([
    ["a.jpg", ["a.jpg"]],
    ["a.jpg 1x, b.jpg 2x", ["a.jpg", "b.jpg"]],
    ["\n a.jpg 480w,\n\tb.jpg 800w,\n", ["a.jpg", "b.jpg"]],
    ["/w_300,h_200/a.jpg 300w, /w_600,h_400/a.jpg 600w", ["/w_300,h_200/a.jpg", "/w_600,h_400/a.jpg"]],
    ["a.jpg, b.jpg,c.jpg 2x", ["a.jpg", "b.jpg,c.jpg"]],
    ["data:image/png;base64,AA== 1x, b.jpg 2x", ["data:image/png;base64,AA==", "b.jpg"]],
    ["a.jpg (1x, 2x) 3x, b.jpg", ["a.jpg", "b.jpg"]],
    [",, ,", []],
    ["", []],
  ])("%j names %j", (srcset, urls) => {
    expect(parseSrcset(srcset).map(({ url }) => url)).toEqual(urls);
  });

  test("of commas without end costs no time", () => {
    const startedAt = performance.now();
    expect(parseSrcset(`a${",".repeat(1_000_000)}b`)).toHaveLength(1);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  test("is read up to a bound", () => {
    expect(parseSrcset("a 1x, ".repeat(5000)).length).toBeLessThanOrEqual(100);
  });
});

describe("meta refresh", () => {
  test.each([
    ["5", { seconds: 5, url: null }],
    ["0; url=/a", { seconds: 0, url: "/a" }],
    [" 3 ;URL = '/a b' junk", { seconds: 3, url: "/a b" }],
    ['0;url="/a', { seconds: 0, url: "/a" }],
    ["0,/a", { seconds: 0, url: "/a" }],
    ["1 /a", { seconds: 1, url: "/a" }],
    ["1.9; url=a", { seconds: 1, url: "a" }],
    [".5; a", { seconds: 0, url: "a" }],
    ["0; urlish", { seconds: 0, url: "urlish" }],
    ["5x; url=a", null],
    ["url=a", null],
    ["", null],
  ])("%j is %j", (content, expected) => {
    expect(parseMetaRefresh(content)).toEqual(expected);
  });
});

test("rel is a list of words without regard to case", () => {
  expect(relTokens(" NoFollow\nugc  Sponsored ")).toEqual(["nofollow", "ugc", "sponsored"]);
  expect(relTokens("")).toEqual([]);
});
