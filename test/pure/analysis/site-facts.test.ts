import { describe, expect, test } from "vitest";
import { FixFirst, type FixableIssue } from "../../../src/audit/analysis/fix-first.ts";
import { percentile, percentiles } from "../../../src/audit/analysis/percentiles.ts";
import { templatesOf } from "../../../src/audit/analysis/templates.ts";
import { urlFaults, UrlQuality } from "../../../src/audit/analysis/url-quality.ts";
import { SITE_CHECKS } from "../../../src/audit/checks/site/index.ts";

const ORIGIN = "https://site.example";

const shopPages = (count: number) =>
  Array.from("abcdefghij".slice(0, count), (name, at): [number, string] => [at, `${ORIGIN}/shop/${name}`]);

describe("templates", () => {
  test("numbers, dates and ids are folded, parameters count by name", () => {
    const paths = ["/2024-05-17/post-12?b=1&a=2&a=3", "/u/3f2504e0-4f89-11d3-9a0c-0305e82c3301", "/facade"];
    expect([...templatesOf(paths.map((path, at) => [at, ORIGIN + path])).values()]).toEqual([
      "/{date}/post-{n}?a&b",
      "/u/{id}",
      "/facade",
    ]);
  });

  test("a folder with eight pages or more is one template, one with seven is not", () => {
    expect(new Set(templatesOf(shopPages(8)).values())).toEqual(new Set(["/shop/*"]));
    expect(new Set(templatesOf(shopPages(7)).values()).size).toBe(7);
  });
});

test("percentiles are values that were measured, by nearest rank", () => {
  expect(percentile([1, 2, 3, 4], 75)).toBe(3);
  expect(percentile([1, 2, 3, 4, 5], 75)).toBe(4);
  expect(percentiles([5, 1, 3])).toEqual({ p50: 3, p75: 5, p90: 5, p99: 5, max: 5 });
  expect(percentiles([])).toBeNull();
});

describe("address quality", () => {
  test("each fault by its limit", () => {
    expect(urlFaults(`${ORIGIN}/a//b`)).toEqual(["doubleSlash"]);
    expect(urlFaults(`${ORIGIN}/a%20b`)).toEqual(["space"]);
    expect(urlFaults(`${ORIGIN}/a?q=a+b`)).toEqual([]);
    expect(urlFaults(`${ORIGIN}/a_b`)).toEqual(["underscore"]);
    expect(urlFaults(`${ORIGIN}/a?sort_by=1`)).toEqual([]);
    expect(urlFaults(`${ORIGIN}/a?a=1&b=2&c=3`)).toEqual([]);
    expect(urlFaults(`${ORIGIN}/a?a=1&b=2&c=3&d=4`)).toEqual(["parameters"]);
    expect(urlFaults(`${ORIGIN}/a?PHPSESSID=1`)).toEqual(["session"]);
    expect(urlFaults(`${ORIGIN}/a?utm_source=1`)).toEqual([]);
    expect(urlFaults(`${ORIGIN}/${"a".repeat(2_048 - ORIGIN.length - 1)}`)).toEqual([]);
    expect(urlFaults(`${ORIGIN}/${"a".repeat(2_049 - ORIGIN.length - 1)}`)).toEqual(["long"]);
  });

  test("twins are counted once each, and a host has no case", () => {
    const quality = new UrlQuality();
    for (const [at, path] of ["/Shop", "/shop", "/SHOP", "/l?a=1&b=2", "/l?b=2&a=1", "/l?b=1&a=1"].entries())
      quality.add(at, ORIGIN + path);
    expect(quality.issues()[0]?.evidence).toMatchObject({ measured: 3 });
  });
});

const issue = (check: string, severity: FixableIssue["severity"], urlId: number, more: Partial<FixableIssue> = {}): FixableIssue => ({
  check, severity, urlId, message: `${check} at ${urlId}`, sourceCount: null, memberCount: null, places: [], ...more,
}); // prettier-ignore

describe("what to fix first", () => {
  test("errors come first, then what mends more pages; one check's pages are one thing", () => {
    const list = new FixFirst(SITE_CHECKS);
    for (let id = 1; id <= 50; id++) list.add(issue("link.depth", "notice", id));
    list.add(issue("canon.chain", "warning", 1));
    for (let id = 1; id <= 3; id++) list.add(issue("canon.to-bad", "error", id));
    expect(list.list().map(({ check, pages, title, examples }) => ({ check, pages, title, examples }))).toEqual([
      {
        check: "canon.to-bad",
        pages: 3,
        title: "The canonical address cannot be indexed (3 pages)",
        examples: [1, 2, 3],
      },
      { check: "canon.chain", pages: 1, title: "canon.chain at 1", examples: [1] },
      {
        check: "link.depth",
        pages: 50,
        title: "Page is many clicks away from the start page (50 pages)",
        examples: [1, 2, 3],
      },
    ]);
  });

  test("broken targets are things of their own, the three that most pages lead to, with those pages", () => {
    const list = new FixFirst(SITE_CHECKS);
    for (let id = 1; id <= 9; id++)
      list.add(issue("link.broken-internal", "error", id, { sourceCount: id, places: [100, 101, 102, 103] }));
    list.add(issue("http.4xx", "error", 9));
    list.add(issue("http.4xx", "error", 77));
    list.add(issue("sitemap.bad-url", "error", 77));
    list.add(issue("sitemap.bad-url", "error", 9));
    expect(list.list().map(({ check, pages, examples }) => [check, pages, examples])).toEqual([
      ["link.broken-internal", 9, [100, 101, 102]],
      ["link.broken-internal", 8, [100, 101, 102]],
      ["link.broken-internal", 7, [100, 101, 102]],
      ["http.4xx", 1, [77]],
    ]);
  });
});
