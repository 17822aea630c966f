import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  affectedShare,
  CATEGORIES,
  categoryOf,
  noScoreBecause,
  type ScoredIssue,
  scoreOf,
  type Templates,
} from "../../../src/audit/analysis/score.ts";
import { ANALYSED_CHECKS, SITE_CHECKS } from "../../../src/audit/checks/site/index.ts";

/** A site of which each list holds the url ids of one template. */
function templates(groups: Record<string, number[]>): Templates {
  const of = new Map(Object.entries(groups).flatMap(([name, ids]) => ids.map((id) => [id, name] as const)));
  return { of: (id) => of.get(id), sizes: new Map(Object.entries(groups).map(([name, ids]) => [name, ids.length])) };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const SITE = templates({ "/": [1], "/about": [2], "/item/*": range(3, 100), "/blog/*": range(101, 110) });
const issue = (check: string, urlId: number, severity: ScoredIssue["severity"] = "error", pages = 1): ScoredIssue => ({
  check,
  severity,
  urlId,
  pages,
});

describe("the share of the site that has a fault", () => {
  test("a fault of one template counts once, however many pages the template makes", () => {
    expect(
      affectedShare(
        range(3, 100).map((id) => issue("title.missing", id)),
        SITE,
      ),
    ).toBe(1 / 4);
    expect(affectedShare([issue("title.missing", 1)], SITE)).toBe(1 / 4);
  });

  test("a fault on some pages of a template counts by their share", () => {
    expect(
      affectedShare(
        range(101, 105).map((id) => issue("title.missing", id)),
        SITE,
      ),
    ).toBe(0.5 / 4);
  });

  test("a fault of the site is the whole; a cluster stands for its pages; an address that is no page for one page", () => {
    expect(affectedShare([issue("http.soft404-site", 0)], SITE)).toBe(1);
    expect(affectedShare([issue("title.duplicate", 101, "warning", 10)], SITE)).toBe(1 / 4);
    expect(affectedShare([{ ...issue("title.duplicate", 1, "warning", 2), members: [1, 2] }], SITE)).toBe(2 / 4);
    expect(affectedShare([issue("img.broken", 999)], SITE)).toBeCloseTo(1 / 110);
    expect(
      affectedShare(
        range(200, 999).map((id) => issue("img.broken", id)),
        SITE,
      ),
    ).toBe(1);
  });
});

const everywhere = (check: string, severity: ScoredIssue["severity"] = "error") =>
  range(1, 110).map((id) => issue(check, id, severity));

const lost = (severity: ScoredIssue["severity"]) =>
  scoreOf([issue("link.x", 1, severity)], SITE).categories.find(({ category }) => category === "links")!.losses[0]!
    .points;

describe("the score", () => {
  test("a site without findings has 100, and one with any has less", () => {
    expect(scoreOf([], SITE).score).toBe(100);
    expect(scoreOf([issue("h1.missing", 50, "notice")], SITE).score).toBe(99);
  });

  test("one rule takes at most 2.5 points of its category, one family at most 5", () => {
    // Content weighs 15: 2.5 of 10 points are 3.75 of 100.
    expect(scoreOf(everywhere("title.missing"), SITE).score).toBe(96);
    const family = ["title.a", "title.b", "title.c", "title.d"].flatMap((check) => everywhere(check));
    expect(scoreOf(family, SITE).score).toBe(92);
    const content = scoreOf([...family, ...everywhere("desc.missing")], SITE).categories.find(
      ({ category }) => category === "content",
    );
    expect(content?.points).toBe(2.5);
  });

  test("errors weigh more than warnings, warnings more than notices", () => {
    expect([lost("error"), lost("warning"), lost("notice")]).toEqual([2.5, 1, 0.25]);
  });

  test("one missing page that three checks report counts once", () => {
    const once = scoreOf([issue("http.4xx", 50)], SITE);
    const thrice = scoreOf(
      [issue("sitemap.bad-url", 50), issue("link.broken-internal", 50), issue("http.4xx", 50)],
      SITE,
    );
    expect(thrice).toEqual(once);
    expect(scoreOf([issue("sitemap.bad-url", 50), issue("http.4xx", 51)], SITE)).not.toEqual(
      scoreOf([issue("http.4xx", 51)], SITE),
    );
  });

  test("is a whole number from 0 to 100 and never rises with another finding", () => {
    const anyIssue = fc.record({
      check: fc.constantFrom(
        "http.5xx",
        "title.missing",
        "desc.missing",
        "link.depth",
        "img.alt",
        "sec.hsts",
        "canon.chain",
      ),
      severity: fc.constantFrom("error" as const, "warning" as const, "notice" as const),
      urlId: fc.integer({ min: 0, max: 120 }),
      pages: fc.integer({ min: 1, max: 200 }),
    });
    fc.assert(
      fc.property(fc.array(anyIssue, { maxLength: 40 }), anyIssue, (issues, one) => {
        const { score } = scoreOf(issues, SITE);
        expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
        expect(scoreOf([...issues, one], SITE).score).toBeLessThanOrEqual(score);
      }),
    );
  });

  test("every check of the site has a category, and the weights add up to 100", () => {
    for (const { id } of [...SITE_CHECKS, ...ANALYSED_CHECKS]) {
      const category = CATEGORIES.find((known) => known.id === categoryOf(id));
      expect(category?.families).toContain(id.split(".")[0]);
    }
    expect(CATEGORIES.reduce((sum, { weight }) => sum + weight, 0)).toBe(100);
  });
});

describe("there is no score", () => {
  const fine = { pages: 500, readable: 480, crawlCompleted: true, known: 500, blocked: 0, isBlocked: false };

  test("for a crawl that was cut, that was blocked, or that has no page; and it says why", () => {
    expect(noScoreBecause(fine)).toBeNull();
    expect(noScoreBecause({ ...fine, crawlCompleted: false, known: 4_100 })).toBe(
      "No score: the crawl was cut at 500 of at least 4,100 pages, so site-wide findings would be guesses.",
    );
    expect(noScoreBecause({ ...fine, isBlocked: true, blocked: 200 })).toContain("on 200 of 500 pages");
    expect(noScoreBecause({ ...fine, pages: 0 })).toBe("No score: no page could be fetched.");
    expect(noScoreBecause({ ...fine, readable: 0 })).toBe("No score: no page could be read.");
  });
});
