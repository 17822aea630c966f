import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { analysisInput, analyzeSite } from "../../../src/audit/analysis/analyze-site.ts";
import { compareAudits, listChangedIssues, listChangedPages } from "../../../src/audit/analysis/compare.ts";
import { ANALYSED_CHECKS, SITE_CHECKS } from "../../../src/audit/checks/site/index.ts";
import { auditSummary } from "../../../src/audit/analysis/audit-summary.ts";
import { fenceHolds } from "../../../src/storage/fence.ts";
import { runBatch } from "../../../src/storage/database.ts";
import { analyse, db, inputOf, issuesOf, ORIGIN, seedAudit, type SeededSite, writer } from "../support/seed.ts";

const CHECKS = [...SITE_CHECKS, ...ANALYSED_CHECKS];

const summaryOf = async (site: SeededSite, options: Parameters<typeof inputOf>[1] = {}) =>
  analyzeSite(inputOf(await seedAudit(site), options), writer, CHECKS);

const BROKEN: SeededSite = {
  pages: {
    "/": { links: ["/spring-sale", "/garden"], ttfbMs: 100 },
    "/garden": { links: ["/spring-sale", { to: "/secret", nofollow: true }], ttfbMs: 200 },
    "/secret": { ttfbMs: 300 },
    "/spring-sale": { status: 404, sitemap: true },
  },
};

/** An audit's own row, so that audits can follow each other. */
async function seedRow(auditId: string, createdAt: number, changes: { status?: string; origin?: string } = {}) {
  await runBatch(db, [
    sql`insert into audits (id, organization_id, project_id, started_by, url, site_origin, options, status, created_at,
        attempt_started_at, phase, heartbeat_at, heartbeat_due_at, step_run)
      values (${auditId}, 'o', 'p', 'me', ${ORIGIN}, ${changes.origin ?? ORIGIN}, '{}', ${changes.status ?? "completed"}, ${createdAt},
        0, 'analyzing', 0, 0, 'run')`,
  ]);
}

describe("the summary", () => {
  test("counts issues, pages, depths and links, and fits the API's schema", async () => {
    const summary = await summaryOf(BROKEN);
    expect(auditSummary.parse(summary)).toEqual(summary);
    expect(summary).toMatchObject({
      pages: 4,
      indexable: 3,
      blocked: 0,
      crawlCompleted: true,
      robots: "no robots.txt",
      issues: { error: 3, notice: 1 },
      indexability: { indexable: 3, "4xx": 1 },
      statuses: { "2xx": 3, "4xx": 1 },
      depths: { 0: 1, 1: 2, 2: 1 },
      links: { internal: 4, perPage: 2, most: 2, withoutInlinks: 0 },
      ttfbMs: { p50: 200, p75: 300, max: 300 },
      comparison: null,
    });
  });

  test("says first what is worst and mends most, names the pages to mend, and one missing page once", async () => {
    const { fixFirst } = await summaryOf(BROKEN);
    expect(fixFirst.map(({ check }) => check)).toEqual(["link.broken-internal", "link.nofollow-internal"]);
    expect(fixFirst[0]).toMatchObject({
      severity: "error",
      title: "2 pages link to /spring-sale, which answers 404",
      pages: 2,
      examples: [`${ORIGIN}/`, `${ORIGIN}/garden`],
      fix: "Remove the links, correct their address, or redirect the missing page.",
    });
  });

  test("a check that could not be judged is neither passed nor counted", async () => {
    const whole = await summaryOf(BROKEN);
    const cut = await summaryOf(BROKEN, { crawlCompleted: false });
    expect(cut.checksTotal).toBe(whole.checksTotal - 1);
    expect(whole.checksTotal - whole.checksPassed).toBe(4);
  });

  test("there is no score for a crawl that was cut, and it says why", async () => {
    const { score, scoreNote, scoreParts } = await summaryOf(
      { ...BROKEN, waiting: ["/a", "/b"] },
      { crawlCompleted: false },
    );
    expect([score, scoreParts]).toEqual([null, null]);
    expect(scoreNote).toBe(
      "No score: the crawl was cut at 4 of at least 6 pages, so site-wide findings would be guesses.",
    );
  });

  test("there is no score for a site that turned the crawler away", async () => {
    const { score, scoreNote, blocked } = await summaryOf({ pages: { "/": {}, "/a": { status: 403 }, "/b": {} } });
    expect([score, blocked]).toEqual([null, 1]);
    expect(scoreNote).toBe(
      "No score: the site turned our crawler away on 1 of 3 pages, so this audit shows only part of it.",
    );
  });

  test("is stored with the audit", async () => {
    const auditId = await seedAudit(BROKEN);
    await seedRow(auditId, 1, { status: "running" });
    const summary = await analyzeSite(inputOf(auditId), writer, CHECKS);
    const row = await db.get<{ summary: string }>(sql`select summary from audits where id = ${auditId}`);
    expect(JSON.parse(row?.summary ?? "")).toEqual(summary);
  });
});

describe("an analysis", () => {
  test("forgets what is no longer so, and keeps what others found", async () => {
    const auditId = await seedAudit(BROKEN);
    await runBatch(db, [
      sql`insert into audit_issues (audit_id, check_id, url_id, severity, evidence) values (${auditId}, 'title.missing', 1, 'error', '{"message":""}')`,
    ]);
    expect((await analyse(auditId)).length).toBe(5);
    await runBatch(db, [
      sql`update audit_pages set status = 200, final_status = 200, indexability = 'noindex' where audit_id = ${auditId} and url_id = 4`,
    ]);
    const checks = (await analyse(auditId)).map(({ check }) => check);
    expect(checks).toEqual(["link.nofollow-internal", "title.missing"]);
  });

  test("whose fence does not hold writes nothing", async () => {
    const auditId = await seedAudit(BROKEN);
    await seedRow(auditId, 1, { status: "failed" });
    const holds = fenceHolds({ auditId, attempt: 1, stepRun: "run" });
    await analyzeSite(inputOf(auditId), { ...writer, holds }, CHECKS);
    expect(await issuesOf(auditId)).toEqual([]);
    const row = await db.get(
      sql`select a.summary, max(p.inlinks) as inlinks from audits a join audit_pages p on p.audit_id = a.id where a.id = ${auditId}`,
    );
    expect(row).toEqual({ summary: null, inlinks: null });
  });

  test("knows the completed audit before it, of the same site only, and whether anything waits", async () => {
    const ids = await Promise.all(["/", "/", "/", "/", "/"].map(() => seedAudit({ pages: { "/": {} } })));
    await seedRow(ids[0]!, 10);
    await seedRow(ids[1]!, 20, { status: "failed" });
    await seedRow(ids[2]!, 30, { origin: "https://other.example" });
    await seedRow(ids[3]!, 40, { status: "running" });
    await seedRow(ids[4]!, 50);
    const known = { startUrl: ORIGIN, siteOrigin: ORIGIN, discovery: inputOf("").site.discovery, robotsText: null };
    expect((await analysisInput(db, { auditId: ids[3]!, ...known })).site).toMatchObject({
      previousAuditId: ids[0],
      crawlCompleted: true,
    });
    await runBatch(db, [sql`update audit_urls set state = 0 where audit_id = ${ids[0]!}`]);
    expect((await analysisInput(db, { auditId: ids[0]!, ...known })).site).toMatchObject({
      previousAuditId: null,
      crawlCompleted: false,
    });
  });
});

describe("a comparison", () => {
  const before: SeededSite = {
    pages: {
      "/": { links: ["/dead", "/gone", "/mended"] },
      "/dead": { status: 404 },
      "/gone": { status: 404 },
      "/mended": { status: 404 },
    },
  };
  const after: SeededSite = {
    pages: {
      "/": { links: ["/mended", "/dead", "/fresh"] },
      "/mended": {},
      "/dead": { status: 404 },
      "/fresh": { status: 404 },
    },
  };

  test("tells new, fixed and lasting issues apart, and new pages from gone ones, whatever their ids", async () => {
    const [previousAuditId, auditId] = [await seedAudit(before), await seedAudit(after)];
    await analyse(previousAuditId);
    await analyse(auditId);
    const comparison = await compareAudits(db, auditId, previousAuditId);
    expect(comparison).toMatchObject({
      issues: { new: 2, fixed: 4, still: 2, not_seen: 0 },
      pages: { new: 1, gone: 1, still: 3 },
    });
    const fixed = await listChangedIssues(db, { auditId, previousAuditId }, { change: "fixed", limit: 100 });
    expect(fixed.items.map(({ check, url }) => `${check} ${url}`)).toEqual([
      `http.4xx ${ORIGIN}/gone`,
      `http.4xx ${ORIGIN}/mended`,
      `link.broken-internal ${ORIGIN}/gone`,
      `link.broken-internal ${ORIGIN}/mended`,
    ]);
    const gone = await listChangedPages(db, { auditId, previousAuditId }, { change: "gone", limit: 10 });
    expect(gone).toEqual({
      items: [{ change: "gone", url: `${ORIGIN}/gone`, status: 404, title: null }],
      nextId: null,
    });
    const added = await listChangedPages(db, { auditId, previousAuditId }, { change: "new", limit: 10 });
    expect(added.items.map(({ url }) => url)).toEqual([`${ORIGIN}/fresh`]);
  });

  test("a page that a cut crawl did not get to proves nothing", async () => {
    const [previousAuditId, auditId] = [await seedAudit(before), await seedAudit({ ...after, waiting: ["/gone"] })];
    await analyse(previousAuditId);
    await analyse(auditId);
    expect((await compareAudits(db, auditId, previousAuditId)).issues).toEqual({
      new: 2,
      fixed: 2,
      still: 2,
      not_seen: 2,
    });
  });

  test("findings about files of the site are told apart by the file, whatever their number", async () => {
    const [previousAuditId, auditId] = [await seedAudit(before), await seedAudit(before)];
    const invalid = (id: string, urlId: number, target: string) => sql`
      insert into audit_issues (audit_id, check_id, url_id, severity, evidence)
      values (${id}, 'sitemap.invalid', ${urlId}, 'error', json_object('message', '', 'target', ${target}))`;
    await runBatch(db, [
      invalid(previousAuditId, 0, "/mended.xml"),
      invalid(previousAuditId, -1, "/still.xml"),
      invalid(auditId, 0, "/still.xml"),
      invalid(auditId, -1, "/new.xml"),
    ]);
    const list = await listChangedIssues(db, { auditId, previousAuditId }, { limit: 10 });
    expect(list.items.map(({ change, evidence }) => [change, JSON.parse(evidence).target])).toEqual([
      ["fixed", "/mended.xml"],
      ["new", "/new.xml"],
      ["still", "/still.xml"],
    ]);
  });

  test("is read page by page without losing or repeating anything", async () => {
    const [previousAuditId, auditId] = [await seedAudit(before), await seedAudit(after)];
    await analyse(previousAuditId);
    await analyse(auditId);
    const whole = await listChangedIssues(db, { auditId, previousAuditId }, { limit: 100 });
    const read = [];
    for (let at: Awaited<ReturnType<typeof listChangedIssues>>["next"] = null; ;) {
      const page = await listChangedIssues(db, { auditId, previousAuditId }, { after: at, limit: 3 });
      read.push(...page.items);
      if (page.next === null) break;
      at = page.next;
    }
    expect(whole.items).toHaveLength(8);
    expect(read).toEqual(whole.items);
  });

  test("is part of the summary", async () => {
    const [previousAuditId, auditId] = [await seedAudit(before), await seedAudit(after)];
    await analyse(previousAuditId);
    const summary = await analyzeSite(inputOf(auditId, { previousAuditId }), writer, CHECKS);
    expect(summary.comparison).toMatchObject({ previousAuditId, issues: { new: 2, fixed: 4, still: 2 } });
  });
});

describe("additions to checks of single pages", () => {
  test("social.og: a preview image that does not load is a notice, unless the page has a finding of its own", async () => {
    const auditId = await seedAudit({
      pages: { "/": { images: ["/og.png", "/ok.png"] }, "/a": {}, "/b": {}, "/c": {} },
      targets: { "/og.png": { outcome: "broken", status: 404 }, "/ok.png": {} },
    });
    const ids = new Map(
      (await db.all<{ id: number; url: string }>(sql`select id, url from audit_urls where audit_id = ${auditId}`)).map(
        ({ id, url }) => [url, id],
      ),
    );
    const withImage = (path: string, image: string) =>
      sql`update audit_pages set extras = json_object('ogImage', ${ids.get(ORIGIN + image)!}) where audit_id = ${auditId} and url_id = ${ids.get(ORIGIN + path)!}`;
    await runBatch(db, [
      withImage("/a", "/og.png"),
      withImage("/b", "/ok.png"),
      withImage("/c", "/og.png"),
      sql`insert into audit_issues (audit_id, check_id, url_id, severity, evidence)
        values (${auditId}, 'social.og', ${ids.get(`${ORIGIN}/c`)!}, 'notice', '{"message":"Missing: og:type."}')`,
    ]);
    await analyse(auditId);
    const issues = (await analyse(auditId)).filter(({ check }) => check === "social.og");
    expect(issues.map(({ message }) => message)).toEqual([
      "/a names the preview image /og.png, which answers 404",
      "Missing: og:type.",
    ]);
  });

  test("crawl.trap: what a guard stopped is one finding a form of address", async () => {
    const stopped = (path: string, count: number, reason: string) =>
      Array.from({ length: count }, (_, at) => [`${path}${at}`, { reason }] as const);
    const auditId = await seedAudit({
      pages: { "/": { links: ["/calendar?month=1"] } },
      refused: Object.fromEntries([
        ...stopped("/calendar?month=", 40, "trap:template /calendar?month"),
        ...stopped("/x/cnn.com/cnn.com/cnn.com/", 1, "trap:repeat cnn.com"),
        ...stopped("/private/", 2, "robots"),
      ]),
    });
    const issues = (await analyse(auditId)).filter(({ check }) => check === "crawl.trap");
    expect(issues).toMatchObject([
      { at: "/calendar?month=1", severity: "warning", evidence: { memberCount: 40 } },
      { at: "/x/cnn.com/cnn.com/cnn.com/0", evidence: { memberCount: 1 } },
    ]);
    expect(issues[0]!.message).toContain("Ever more addresses of the form /calendar?month");
    expect(issues[0]!.message).toContain(`40 addresses were not crawled, such as ${ORIGIN}/calendar?month=1`);
  });
});
