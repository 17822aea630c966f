import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { describe, expect, test } from "vitest";
import { SITE_ADDITIONS } from "../../../src/audit/checks/site/additions.ts";
import { ANALYSED_CHECKS, SITE_CHECKS } from "../../../src/audit/checks/site/index.ts";
import type { SiteContext } from "../../../src/audit/checks/check.ts";
import { saveSelected } from "../../../src/audit/analysis/save-findings.ts";
import { fenceHolds } from "../../../src/storage/fence.ts";

const CONTEXT: SiteContext = {
  auditId: "a",
  siteOrigin: "https://site.example",
  startUrl: "https://site.example/",
  crawlCompleted: true,
  previousAuditId: "b",
  discovery: {
    robots: { url: "", status: 200, unreachable: false, problems: [] },
    sitemaps: [{ url: "", status: 200, urls: 1, problems: [] }],
    probe: { url: "", status: 200, finalUrl: null, finalStatus: 200, minhash: null, textKey: null },
  },
};

describe("the site checks", () => {
  test.each([...SITE_CHECKS, ...SITE_ADDITIONS])("$id fits into the 100 parameters of a D1 query", ({ id, site }) => {
    const query = site(CONTEXT);
    expect(query).not.toBeNull();
    const holds = fenceHolds({ auditId: "a", attempt: 1, stepRun: "r" });
    const { sql, params } = new SQLiteAsyncDialect().sqlToQuery(saveSelected("a", id, query!, holds));
    expect(params.length).toBeLessThanOrEqual(100);
    // D1 takes 100 KB.
    expect(sql.length).toBeLessThan(50_000);
  });

  test("no id is there twice, and each has its words", () => {
    const all = [...SITE_CHECKS, ...ANALYSED_CHECKS];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const { title, why, fix } of all) expect([title, why, fix].every((words) => words.length > 10)).toBe(true);
  });
});
