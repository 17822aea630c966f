import { describe, expect, test } from "vitest";
import { progressLine, progressSentence, pagesPerSecond } from "../../../src/cli/progress.ts";
import { showProgress } from "../../../src/cli/progress-display.ts";
import { reportLines } from "../../../src/cli/report.ts";
import { painter, widthOfText } from "../../../src/cli/text.ts";
import { auditAnswer, COMPLETED, FAILED, SUMMARY } from "../../support/fake-server.ts";

const crawling = (pagesCrawled: number) => auditAnswer({ pagesCrawled, pagesTotal: 1_300, maxPages: 2_000 });

describe("the progress line", () => {
  test("says phase, pages done and known, pages a second, and the age of the last heartbeat now", () => {
    const samples = [
      { audit: crawling(222), at: 0 },
      { audit: crawling(412), at: 5_000 },
    ];
    expect(progressSentence(samples, 7_000)).toBe(
      "Crawling: 412 of about 1,300 pages, 38 a second, last heartbeat 6 s ago",
    );
  });

  test("reckons the rate from the last ten seconds and from one attempt only", () => {
    const old = { audit: crawling(0), at: 0 };
    const samples = [old, { audit: crawling(1_000), at: 60_000 }, { audit: crawling(1_010), at: 65_000 }];
    expect(pagesPerSecond(samples)).toBe(2);
    const resumed = { ...crawling(1_100), attempt: 2 };
    expect(pagesPerSecond([...samples, { audit: resumed, at: 66_000 }])).toBeNull();
  });

  test.each([60, 79, 100, 139])("fits into %i columns, whatever the phase", (columns) => {
    for (const phase of ["discovering", "crawling", "checking_links", "analyzing", "finishing"] as const) {
      const audit = auditAnswer({ phase, pagesCrawled: 9_999, pagesTotal: 10_000, maxPages: 10_000 });
      const samples = [
        { audit: { ...audit, pagesCrawled: 9_000 }, at: 0 },
        { audit, at: 5_000 },
      ];
      const line = progressLine(samples, 5_000, columns);
      if (columns >= 79) expect(widthOfText(line)).toBeLessThanOrEqual(columns);
      expect(line).toContain("heartbeat 4 s ago");
    }
  });

  test("of an overdue audit says what the rule makes of it", () => {
    const audit = auditAnswer({
      heartbeat: { at: 0, seq: 41, dueAt: 30_000, ageMs: 48_000, overdue: true },
      verdict: { kind: "suspect", reason: "silent for 48 s, limit 5 min", askedAt: 1, evidence: "running" },
    });
    expect(progressSentence([{ audit, at: 0 }], 0)).toBe("Crawling, overdue: silent for 48 s, limit 5 min");
  });
});

describe("the progress display", () => {
  test("draws over one line on a terminal and clears it at the end", () => {
    let text = "";
    const display = showProgress({ err: { write: (more) => (text += more), isTTY: true, columns: 80 }, env: {} });
    display.update(crawling(1));
    display.update(crawling(2));
    display.end();
    expect(text).not.toContain("\n");
    expect(text.endsWith("\r\u001b[K")).toBe(true);
  });

  test("prints a plain line for each phase elsewhere, not one for each answer", () => {
    let text = "";
    const display = showProgress({ err: { write: (more) => (text += more) }, env: {} });
    for (let pages = 0; pages < 50; pages++) display.update(crawling(pages));
    display.update(auditAnswer({ phase: "analyzing" }));
    display.end();
    expect(text.split("\n").filter(Boolean)).toHaveLength(2);
    expect(text).not.toContain("\u001b");
  });
});

describe("the report", () => {
  const options = { columns: 80, paint: painter(false), files: [] };

  test("fits into 80 columns and holds no escape sequence without colour", () => {
    const hostile = {
      ...COMPLETED,
      summary: {
        ...SUMMARY,
        fixFirst: SUMMARY.fixFirst.map((item) => ({
          ...item,
          title: `${item.title} \u001b[31m and a good deal more to be said about it than fits`,
          examples: [`https://shop.example/${"x".repeat(300)}`, "https://elsewhere.example/\u001b[2J"],
        })),
      },
    };
    const lines = reportLines(hostile, options);
    for (const line of lines) expect(widthOfText(line)).toBeLessThanOrEqual(80);
    expect(lines.join("\n")).not.toContain("\u001b");
  });

  test("without a score says why", () => {
    const summary = { ...SUMMARY, score: null, scoreNote: "the crawl was cut at 500 of at least 4,100 pages" };
    const text = reportLines({ ...COMPLETED, summary }, options).join("\n");
    expect(text).toContain("No score: the crawl was cut at 500");
    expect(text).not.toContain("Health");
  });

  test("of a failed audit says what happened, what to do, and what is kept", () => {
    const text = reportLines(FAILED, options).join("\n");
    expect(text).toContain("Failed while crawling, after 812 pages: The run stopped sending heartbeats");
    expect(text).toContain("The 812 pages and what was found on them are kept.");
  });

  test("says what has changed since the last audit of the same site", () => {
    const comparison = {
      previousAuditId: "before",
      issues: { new: 3, fixed: 5, still: 12, not_seen: 0 },
      bySeverity: [],
      pages: { new: 1, gone: 2, still: 40 },
    };
    const text = reportLines({ ...COMPLETED, summary: { ...SUMMARY, comparison } }, options).join("\n");
    expect(text).toContain("Since the last audit: 3 new   5 fixed   12 still there   pages 1 new, 2 gone");
  });

  test("lists what was found besides the first things to fix", () => {
    expect(reportLines(COMPLETED, options).join("\n")).toContain("W title.duplicate 2   N title.length 4");
  });
});
