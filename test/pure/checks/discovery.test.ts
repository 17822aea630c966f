import { describe, expect, test } from "vitest";
import { judgeDiscovery } from "../../../src/audit/checks/catalogue.ts";
import type { LastmodFacts } from "../../../src/audit/crawl/sitemap-collector.ts";
import type { DiscoveryFacts } from "../../../src/audit/checks/check.ts";

const ROBOTS: DiscoveryFacts["robots"] = {
  url: "https://shop.example/robots.txt",
  status: 200,
  unreachable: false,
  problems: [],
};
const SITEMAP: DiscoveryFacts["sitemaps"][number] = {
  url: "https://shop.example/sitemap.xml",
  status: 200,
  urls: 3,
  problems: [],
};

const judge = (robots: Partial<DiscoveryFacts["robots"]> = {}, sitemaps: DiscoveryFacts["sitemaps"] = [SITEMAP]) =>
  judgeDiscovery({
    auditId: "a",
    siteOrigin: "https://shop.example",
    startUrl: "https://shop.example/",
    crawlCompleted: false,
    discovery: { robots: { ...ROBOTS, ...robots }, sitemaps },
  });
const ids = (...input: Parameters<typeof judge>) => judge(...input).map(({ check }) => check);

describe("robots.txt", () => {
  test("without fault, or not there at all, has no finding", () => {
    expect(judge()).toEqual([]);
    expect(judge({ status: 404 })).toEqual([]);
  });
  test.each([503, 429, null])("that answers %j is unreachable, and nothing else is said of it", (status) => {
    expect(judge({ status, unreachable: true, problems: [{ line: 1, message: "x" }] }, [])).toMatchObject([
      { check: "robots.unreachable", severity: "error", url: ROBOTS.url },
    ]);
  });
  test("with faulty lines is one finding that names them", () => {
    const problems = Array.from({ length: 7 }, (_, at) => ({ line: at + 1, message: `problem ${at + 1}.` }));
    const [found, ...more] = judge({ problems });
    expect(more).toEqual([]);
    expect(found).toMatchObject({ check: "robots.invalid", severity: "warning", evidence: { measured: 7 } });
    expect(found?.evidence.message).toContain("Line 5: problem 5. And 2 more.");
  });
});

describe("sitemaps", () => {
  test("are missing when there is none", () => {
    expect(judge({}, [])).toMatchObject([{ check: "sitemap.missing", severity: "notice", url: null }]);
  });
  test("are not called missing when nothing was asked", () => {
    expect(ids({ unreachable: true }, [])).toEqual(["robots.unreachable"]);
    expect(ids({ status: null }, [])).toEqual([]);
  });
  test("that break the rules are an error each", () => {
    const broken = { ...SITEMAP, problems: ["The root element is html.", "A loc is not absolute: /x"] };
    expect(judge({}, [SITEMAP, broken])).toMatchObject([
      { check: "sitemap.invalid", severity: "error", url: broken.url, evidence: { measured: 2 } },
    ]);
  });
  test("that robots.txt names but that are gone are an error; those that we may not see could not be verified", () => {
    const answering = (status: number | null) =>
      judge({}, [{ ...SITEMAP, status, urls: 0, problems: [`It answers ${status}.`] }]);
    expect(answering(404)).toMatchObject([{ check: "sitemap.invalid", severity: "error" }]);
    for (const status of [403, 429, 503, null]) {
      expect(answering(status)).toMatchObject([
        { severity: "notice", evidence: { message: expect.stringContaining("Could not verify") } },
      ]);
    }
  });
  test("whose problems quote hostile text stay small", () => {
    const [found] = judge({}, [{ ...SITEMAP, problems: ["x".repeat(100_000)] }]);
    expect(JSON.stringify(found).length).toBeLessThan(2_000);
  });
});

describe("dates in sitemaps", () => {
  const dates: LastmodFacts = {
    count: 100,
    unparsable: 0,
    unparsableSample: null,
    future: 0,
    mostCommonCount: 94,
    mostCommon: "2026-01-01",
  };
  const dated = (lastmod: Partial<LastmodFacts>) => judge({}, [{ ...SITEMAP, lastmod: { ...dates, ...lastmod } }]);
  test("are noted when they cannot be read, lie in the future, or are at least 95 % the same", () => {
    for (const lastmod of [{ unparsable: 1, unparsableSample: "01/02/2026" }, { future: 1 }, { mostCommonCount: 95 }]) {
      expect(dated(lastmod)).toMatchObject([{ check: "sitemap.lastmod", severity: "notice" }]);
    }
    expect(dated({})).toEqual([]);
  });
  test("may all be the same in a small sitemap, or be absent", () => {
    expect(dated({ count: 19, mostCommonCount: 19 })).toEqual([]);
    expect(dated({ count: 20, mostCommonCount: 20 })).toHaveLength(1);
    expect(dated({ count: 0, mostCommonCount: 0, mostCommon: "" })).toEqual([]);
  });
});
