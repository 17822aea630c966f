/** Findings and pages: searched, filtered and paged by the database, at a cost that does not grow with the audit. */
import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CHECKS } from "../../../src/audit/checks/catalogue.ts";
import { AuditViewRepository, COUNT_LIMIT } from "../../../src/storage/audit-view-repository.ts";
import { openDatabase } from "../../../src/storage/database.ts";
import { PageViewRepository } from "../../../src/storage/page-view-repository.ts";
import type { Browser } from "../http/support.ts";
import { rows } from "../support/audits.ts";
import type { SeededPage } from "../support/seed.ts";
import { emptyDatabase, putAudit, read, signedIn, summaryWith, textOf } from "./support.ts";

let browser: Browser;
let id: string;

beforeAll(async () => {
  await emptyDatabase();
  const pages: Record<string, SeededPage> = {
    "/": { title: "Home", links: ["/p/1", "/gone", { to: "https://other.example/", anchor: "there" }] },
  };
  for (let n = 1; n <= 240; n += 1) pages[`/p/${n}`] = { title: `Page ${n}` };
  pages["/gone"] = { status: 404 };
  pages["/late"] = { status: null, failure: "timeout" };
  pages["/old"] = { redirectsTo: "/p/1" };
  for (let n = 1; n <= 120; n += 1) pages[`/hidden/${n}`] = { noindex: true, title: `Hidden ${n}` };
  id = await putAudit({
    site: { pages, targets: { "https://other.example/": { outcome: "blocked", status: 403 } } },
    issues: [
      ...Array.from({ length: 130 }, (_, n) => ({
        check: "title.length",
        urlId: n + 1,
        severity: "notice",
        evidence: { message: `Title ${n + 1} is short` },
      })),
      { check: "http.4xx", urlId: 242, evidence: { message: "It answers 404" }, sources: [[1, "the sale"]] },
      { check: "sitemap.missing", urlId: 0, severity: "notice", evidence: { message: "There is none" } },
    ],
    columns: {
      summary: summaryWith({
        byCheck: [
          { check: "title.length", severity: "notice", count: 130 },
          { check: "http.4xx", severity: "error", count: 1 },
          { check: "sitemap.missing", severity: "notice", count: 1 },
        ],
      }),
    },
  });
});
beforeEach(async () => {
  browser = await signedIn();
});

const nextOf = (html: string): string | null =>
  /rel="next" href="([^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? null;
const listed = (html: string): string[] =>
  [...html.matchAll(/<th scope="row"><a href="[^"]*"><bdi class="address">([\s\S]*?)<\/bdi>/g)].map(([, text = ""]) =>
    text.replaceAll("<wbr/>", ""),
  );

/** Every row of a table, page after page. */
async function all(path: string): Promise<string[]> {
  const found: string[] = [];
  for (let next: string | null = path; next !== null;) {
    const html: string = await read(browser, next);
    found.push(...listed(html));
    next = nextOf(html);
  }
  return found;
}

describe("the table of pages", () => {
  test("shows every page once, page after page", async () => {
    const found = await all(`/audits/${id}/pages`);
    expect(found).toHaveLength(364);
    expect(new Set(found).size).toBe(364);
    expect(found.slice(0, 2)).toEqual(["/", "/p/1"]);
  });

  test("filters by status, by reason, and by what address or title hold, together too", async () => {
    expect(await all(`/audits/${id}/pages?status=4xx`)).toEqual(["/gone"]);
    expect(await all(`/audits/${id}/pages?status=none`)).toEqual(["/late"]);
    expect(await all(`/audits/${id}/pages?status=3xx`)).toEqual(["/old"]);
    const hidden = await all(`/audits/${id}/pages?reason=noindex`);
    expect(hidden).toHaveLength(120);
    expect(new Set(hidden).size).toBe(120);
    expect(await all(`/audits/${id}/pages?q=HIDDEN+11`)).toEqual([
      "/hidden/11",
      "/hidden/110",
      "/hidden/111",
      "/hidden/112",
      "/hidden/113",
      "/hidden/114",
      "/hidden/115",
      "/hidden/116",
      "/hidden/117",
      "/hidden/118",
      "/hidden/119",
    ]);
    expect(await all(`/audits/${id}/pages?reason=noindex&status=2xx&q=/hidden/120`)).toEqual(["/hidden/120"]);
    // No wildcards: what is typed is what is looked for.
    expect(await all(`/audits/${id}/pages?q=%25`)).toEqual([]);
  });

  test("takes an address that it does not understand as one without", async () => {
    for (const query of ["status=9xx", "reason=nonsense", "cursor=bogus", "cursor=noindex.999999999999999"])
      expect(listed(await read(browser, `/audits/${id}/pages?${query}`))).toHaveLength(100);
  });
});

describe("findings", () => {
  test("by check come worst first, closed, with the right counts, and what has passed at the end", async () => {
    const html = await read(browser, `/audits/${id}/findings`);
    expect(html).not.toMatch(/<details[^>]* open/);
    const checks = [
      ...html.matchAll(/class="check-title">([^<]*)<\/span><\/span><span class="check-count num">([^<]*)/g),
    ].map(([, title, count]) => `${title}: ${count}`);
    expect(checks).toEqual(
      ["Page is missing: 1", "Title has an unusual length: 130", "Site has no sitemap: 1"].map(
        (text) => expect.stringContaining(text.split(": ")[1] ?? "") as string,
      ),
    );
    expect(html.indexOf("passed-list")).toBeGreaterThan(html.indexOf("check-count"));
    const passed = Number(/(\d+) checks found nothing wrong/.exec(textOf(html))?.[1]);
    expect(passed).toBeGreaterThan(50);
    expect(passed).toBeLessThanOrEqual(CHECKS.length - 3);
  });

  test("are searched and filtered by severity", async () => {
    const errors = await read(browser, `/audits/${id}/findings?severity=error`);
    expect(errors).toContain("/findings/http.4xx");
    expect(errors).not.toContain("/findings/title.length");
    expect(await read(browser, `/audits/${id}/findings?q=length`)).not.toContain("/findings/http.4xx");
    expect(textOf(await read(browser, `/audits/${id}/findings?q=zzz`))).toContain("No check fits");
  });

  test("of one check are paged and searched, and lead to the pages and to what links there", async () => {
    const path = `/audits/${id}/findings/title.length`;
    const first = await read(browser, path);
    expect(first.match(/class="place-head"/g)).toHaveLength(50);
    expect(textOf(first)).toContain("Found in 130 places.");
    let places = 50;
    for (let next = nextOf(first); next !== null;) {
      const html: string = await read(browser, next);
      places += html.match(/class="place-head"/g)?.length ?? 0;
      next = nextOf(html);
    }
    expect(places).toBe(130);
    expect((await read(browser, `${path}?q=Title+77`)).match(/class="place-head"/g)).toHaveLength(1);

    const missing = await read(browser, `/audits/${id}/findings/http.4xx`);
    expect(missing).toContain(`/audits/${id}/pages/242`);
    expect(textOf(missing)).toMatch(/linked from \/ \(“ ?the sale ?”\)/);
    expect(textOf(await read(browser, `/audits/${id}/findings/sitemap.missing`))).toContain("The site as a whole");
    await read(browser, `/audits/${id}/findings/no.such-check`, 404);
  });

  test("of one page stand with everything known of it and with its links", async () => {
    const text = textOf(await read(browser, `/audits/${id}/pages/1`));
    expect(text).toContain("Title 1 is short");
    expect(text).toMatch(/Answer 200/);
    expect(text).toMatch(/\/gone .*404 Missing or refused/);
    expect(text).toMatch(/other\.example\/.*403 could not verify/);
    expect(textOf(await read(browser, `/audits/${id}/pages/2`))).toContain("Links are counted once the crawl is over.");
    await read(browser, `/audits/${id}/pages/999999`, 404);
    await read(browser, `/audits/${id}/pages/1e3`, 404);
  });
});

test("a summary that is not there yet is made up for by counts that stop at a limit", async () => {
  const early = await putAudit({ status: "running" });
  await rows(
    "insert into audit_issues (audit_id, check_id, url_id, severity, evidence) select ?, 'desc.missing', value, 'notice', '{}' from generate_series(1, 5000)",
    early,
  ).catch(() =>
    rows(
      "insert into audit_issues (audit_id, check_id, url_id, severity, evidence) with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) select ?, 'desc.missing', i, 'notice', '{}' from n",
      early,
    ),
  );
  expect(textOf(await read(browser, `/audits/${early}`))).toContain(`${COUNT_LIMIT} or more`);
});

/** Wraps the database so that it tells how many rows were read. */
function counting(): { database: D1Database; rowsRead: () => number } {
  let total = 0;
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(statement, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          const result: unknown = Reflect.apply(value, target, args);
          if (name === "bind") return wrap(result as D1PreparedStatement);
          if (name !== "all") return result;
          return (result as Promise<D1Result>).then((answer) => {
            total += answer.meta.rows_read ?? 0;
            return answer;
          });
        };
      },
    });
  const database = new Proxy(env.DB, {
    get: (target, name) =>
      name === "prepare" ? (query: string) => wrap(target.prepare(query)) : (Reflect.get(target, name) as unknown),
  });
  return { database, rowsRead: () => total };
}

test("head and tables read as many rows of a huge audit as of a small one", async () => {
  const huge = await putAudit({ columns: { summary: summaryWith() } });
  const fill = (into: string, select: string): Promise<unknown[]> =>
    rows(
      `insert into ${into} with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000) ${select}`,
      huge,
    );
  await fill(
    "audit_urls (audit_id, id, url, key, queue, depth, state, source)",
    "select ?, i, 'https://site.example/' || i, i, 0, 1, 1, 2 from n",
  );
  await fill(
    "audit_pages (audit_id, url_id, fetched_at, status, indexability, title)",
    "select ?, i, 0, 200, iif(i % 100 = 0, 'noindex', 'indexable'), 'Page ' || i from n",
  );
  await fill(
    "audit_issues (audit_id, check_id, url_id, severity, evidence)",
    "select ?, 'title.length', i, 'notice', '{\"message\":\"short\"}' from n",
  );
  const ids = CHECKS.map((check) => check.id);
  const costs: Record<string, number> = {};
  const cost = async (
    name: string,
    read_: (audits: AuditViewRepository, pages: PageViewRepository) => Promise<unknown>,
  ): Promise<void> => {
    const { database, rowsRead } = counting();
    const db = openDatabase(database);
    await read_(new AuditViewRepository(db), new PageViewRepository(db));
    costs[name] = rowsRead();
  };
  await cost("list", (audits) => audits.list("default", { limit: 26 }));
  await cost("alarms", (audits) => audits.alarms("default"));
  await cost("counts", (audits) => audits.issueCounts(huge, ids));
  await cost("first pages", (_, pages) => pages.pages(huge, {}, null, 101));
  await cost("last pages", (_, pages) => pages.pages(huge, {}, { reason: "", urlId: 9_900 }, 101));
  await cost("pages by reason", (_, pages) =>
    pages.pages(huge, { reason: "noindex" }, { reason: "noindex", urlId: 9_000 }, 101),
  );
  await cost("missing pages", (_, pages) => pages.pages(huge, { status: "4xx" }, null, 101));
  await cost("places", (_, pages) => pages.issues(huge, "title.length", { afterUrlId: 9_000, limit: 51 }));
  await cost("one page", (_, pages) => pages.page(huge, 9_999));
  await cost("its findings", (_, pages) => pages.issuesOfPage(huge, 9_999, ids));
  for (const [name, read_] of Object.entries(costs))
    expect(read_, `${name}: ${JSON.stringify(costs)}`).toBeLessThan(1_000);
});
