/** 10,000 pages with 100 links each: the analysis must fit into its step, and every query into D1's 30 s. */
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { analyzePages } from "../../../src/audit/analysis/analyze-pages.ts";
import { runBatch } from "../../../src/storage/database.ts";
import { db, inputOf, ORIGIN } from "../support/seed.ts";

const PAGES = 10_000;
const LINKS = 100;

async function seedSite(auditId: string, pages: number): Promise<void> {
  const count = sql.raw(String(pages));
  const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  await runBatch(db, [
    sql`insert into audit_urls (audit_id, id, url, key, queue, depth, state, source)
      ${numbers} select ${auditId}, i, ${ORIGIN} || '/item/' || i, 'k' || i, 0, 1, 1, iif(i = 1, 1, 6) from n`,
    sql`insert into audit_pages (audit_id, url_id, fetched_at, status, final_status, indexability, title_key, text_key, word_count,
        ttfb_ms, bytes, links, hreflang, extras, minhash)
      ${numbers} select ${auditId}, i, 0, iif(i % 100 = 0, 404, 200), iif(i % 100 = 0, 404, 200), iif(i % 100 = 0, '4xx', 'indexable'),
        't' || (i % 5000), 'x' || i, 300, 50, 10000,
        (select json_group_array(json_array(1 + (n.i * 7 + m.i * 131) % ${count}, 0, 'Link ' || m.i)) from n m where m.i <= ${LINKS}),
        json_array(json_array('en', i), json_array('de', 1 + i % ${count}), json_array('fr', 1 + (i + 1) % ${count})),
        '{}', (select group_concat(substr('AAAABBBBCCCCDDDDEEEE', 1 + 4 * ((n.i / 10 + m.i * n.i / 7000) % 5), 4), '') from n m where m.i <= 128)
      from n`,
  ]);
}

test("the whole analysis of 10,000 pages with a million links takes seconds", async () => {
  const auditId = crypto.randomUUID();
  await seedSite(auditId, PAGES);
  const batches: number[] = [];
  const writer = {
    holds: sql`1 = 1`,
    save: async (statements: Parameters<typeof runBatch>[1]) => {
      const before = Date.now();
      await runBatch(db, statements);
      batches.push(Date.now() - before);
    },
  };
  const startedAt = Date.now();
  const { graph } = await analyzePages(inputOf(auditId), writer);
  expect(Date.now() - startedAt).toBeLessThan(30_000);
  // D1 gives up on a query after 30 s.
  expect(Math.max(...batches)).toBeLessThan(10_000);
  expect(graph.totals.internal).toBeGreaterThan(PAGES * LINKS * 0.99);
  const row = await db.get<{ inlinks: number; reached: number }>(
    sql`select min(inlinks) as inlinks, count(depth) as reached from audit_pages where audit_id = ${auditId}`,
  );
  expect(row?.inlinks).toBeGreaterThanOrEqual(LINKS - 2);
  expect(row?.reached).toBe(PAGES);
});

test("analysing again writes no page a second time", async () => {
  const auditId = crypto.randomUUID();
  await seedSite(auditId, 300);
  let changed = 0;
  const writer = {
    holds: sql`1 = 1`,
    save: async (statements: Parameters<typeof runBatch>[1]) => {
      for (const [index, result] of (await runBatch(db, statements)).entries()) {
        if (JSON.stringify(statements[index]!.queryChunks).includes("update audit_pages"))
          changed += result.meta.changes;
      }
    },
  };
  await analyzePages(inputOf(auditId), writer);
  expect(changed).toBe(300);
  changed = 0;
  await analyzePages(inputOf(auditId), writer);
  expect(changed).toBe(0);
});
