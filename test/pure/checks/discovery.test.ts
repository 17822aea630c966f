import { describe, expect, test } from "vitest";
import { judgeDiscovery } from "../../../src/audit/checks/catalogue.ts";
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
  test("are missing when none answers", () => {
    expect(ids({}, [])).toEqual(["sitemap.missing"]);
    expect(judge({}, [{ ...SITEMAP, status: 404 }])[0]).toMatchObject({
      severity: "notice",
      url: null,
      evidence: { message: expect.stringContaining("answered 404") },
    });
  });
  test("are not missing when one of them answers, nor when robots.txt kept us away", () => {
    expect(ids({}, [{ ...SITEMAP, status: 404 }, SITEMAP])).toEqual([]);
    expect(ids({ unreachable: true }, [])).toEqual(["robots.unreachable"]);
  });
  test("that break the rules are an error each", () => {
    const broken = { ...SITEMAP, problems: ["The root element is html.", "A loc is not absolute: /x"] };
    expect(judge({}, [SITEMAP, broken])).toMatchObject([
      { check: "sitemap.invalid", severity: "error", url: broken.url, evidence: { measured: 2 } },
    ]);
  });
  test("with odd dates are valid, and only noted", () => {
    expect(judge({}, [{ ...SITEMAP, problems: ["3 lastmod dates lie in the future."] }])).toMatchObject([
      { check: "sitemap.lastmod", severity: "notice" },
    ]);
  });
  test("whose problems quote hostile text stay small", () => {
    const [found] = judge({}, [{ ...SITEMAP, problems: ["x".repeat(100_000)] }]);
    expect(JSON.stringify(found).length).toBeLessThan(2_000);
  });
});
