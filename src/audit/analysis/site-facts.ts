/** What the summary says of the pages as a whole: counts that the database adds up. */
import { sql } from "drizzle-orm";
import type { Database } from "../../storage/database.ts";
import { QUEUE, URL_STATE } from "../../storage/schema.ts";
import { type Percentiles, percentiles } from "./percentiles.ts";

export interface SiteFacts {
  pages: number;
  /** Pages that answered with HTML. */
  readable: number;
  indexable: number;
  blocked: number;
  /** Pages known and not refused, crawled or not. */
  known: number;
  crawlCompleted: boolean;
  isBlocked: boolean;
  refusedByRobots: number;
  byIndexability: Record<string, number>;
  byStatus: Record<string, number>;
  byDepth: Record<string, number>;
  links: { internal: number; perPage: number; most: number; withoutInlinks: number };
  ttfbMs: Percentiles | null;
  bytes: Percentiles | null;
}

const CLASSES = sql.raw(
  `iif(status is null, 'none', iif(status < 300, '2xx', iif(status < 400, '3xx', iif(status < 500, '4xx', '5xx'))))`,
);

async function counts(db: Database, key: ReturnType<typeof sql>, auditId: string, where = sql`1`) {
  const rows = await db.all<{ key: string; count: number }>(sql`
    select cast(${key} as text) as key, count(*) as count from audit_pages
    where audit_id = ${auditId} and ${where} group by 1 order by min(${key})`);
  return Object.fromEntries(rows.map(({ key: name, count }) => [name, count]));
}

/** The frontier is empty: no budget of pages or time has left pages out. */
export async function frontierOf(db: Database, auditId: string): Promise<{ known: number; waiting: number }> {
  const row = await db.get<{ known: number; waiting: number }>(sql`
    select count(*) as known, ifnull(sum(state = ${URL_STATE.waiting}), 0) as waiting from audit_urls
    where audit_id = ${auditId} and queue <= ${QUEUE.sitemap} and state <> ${URL_STATE.refused}`);
  return row ?? { known: 0, waiting: 0 };
}

export async function siteFacts(
  db: Database,
  auditId: string,
  links: { internal: number; pagesWithLinks: number; most: number },
): Promise<SiteFacts> {
  // Asked together: the time goes into the ways to the database and back.
  const [totals, refused, siteBlocked, measured, { known, waiting }, byIndexability, byStatus, byDepth] =
    await Promise.all([
      db.get<
        Record<"pages" | "readable" | "indexable" | "blocked" | "withoutInlinks" | "startBlocked", number | null>
      >(sql`
        select count(*) as pages, sum(word_count is not null) as readable, sum(indexability = 'indexable') as indexable,
          sum(indexability = 'blocked-by-bot-protection') as blocked,
          sum(indexability = 'indexable' and ifnull(inlinks, 0) = 0 and ifnull(depth, 1) <> 0) as withoutInlinks,
          max(indexability = 'blocked-by-bot-protection' and depth = 0) as startBlocked
        from audit_pages where audit_id = ${auditId}`),
      db.get<{ count: number }>(sql`
        select count(*) as count from audit_urls
        where audit_id = ${auditId} and state = ${URL_STATE.refused} and refusal like 'robots%'`),
      db.get<{ found: number }>(sql`
        select exists (
          select 1 from audit_issues where audit_id = ${auditId} and check_id = 'http.blocked' and url_id = 0
        ) as found`),
      db.all<{ ttfb: number | null; bytes: number | null }>(sql`
        select ttfb_ms as ttfb, bytes from audit_pages where audit_id = ${auditId} and status = 200`),
      frontierOf(db, auditId),
      counts(db, sql`indexability`, auditId),
      counts(db, CLASSES, auditId),
      counts(db, sql`depth`, auditId, sql`depth is not null and indexability <> 'redirect'`),
    ]);
  return {
    pages: totals?.pages ?? 0,
    readable: totals?.readable ?? 0,
    indexable: totals?.indexable ?? 0,
    blocked: totals?.blocked ?? 0,
    known,
    crawlCompleted: waiting === 0,
    isBlocked: siteBlocked?.found === 1 || totals?.startBlocked === 1,
    refusedByRobots: refused?.count ?? 0,
    byIndexability,
    byStatus,
    byDepth,
    links: {
      internal: links.internal,
      perPage: links.pagesWithLinks === 0 ? 0 : Math.round((links.internal / links.pagesWithLinks) * 10) / 10,
      most: links.most,
      withoutInlinks: totals?.withoutInlinks ?? 0,
    },
    ttfbMs: percentiles(measured.flatMap(({ ttfb }) => (ttfb === null ? [] : [ttfb]))),
    bytes: percentiles(measured.flatMap(({ bytes }) => (bytes === null ? [] : [bytes]))),
  };
}
