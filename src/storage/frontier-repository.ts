/** The frontier and every other address of an audit: `audit_urls`. */
import { type SQL, sql } from "drizzle-orm";
import { type Database, jsonChunks } from "./database.ts";
import { type Fence, fenceHolds } from "./fence.ts";
import { insertRows } from "./insert-rows.ts";
import { QUEUE, SOURCE, URL_STATE } from "./schema.ts";

export interface FrontierUrl {
  id: number;
  url: string;
  key: string;
  queue: number;
  depth: number;
  source: number;
}

export interface FrontierCounts {
  /** The highest id given out; ids are dense from 1. */
  lastId: number;
  pagesDone: number;
  /** Pages known, refused ones left out. */
  pagesKnown: number;
  targetsWaiting: number;
  targetsDone: number;
}

const COLUMNS = ["audit_id", "id", "url", "key", "queue", "depth", "source", "state", "refusal"] as const;

/** An address that will never be requested carries its reason. */
export type NewUrl = FrontierUrl & { refusal?: string };

export const insertUrls = (fence: Fence, urls: readonly NewUrl[]): SQL[] =>
  insertRows(
    "audit_urls",
    COLUMNS,
    urls.map((u) => [
      fence.auditId,
      u.id,
      u.url,
      u.key,
      u.queue,
      u.depth,
      u.source,
      u.refusal === undefined ? URL_STATE.waiting : URL_STATE.refused,
      u.refusal ?? null,
    ]),
    fenceHolds(fence),
    "ignore",
  );

export const markDone = (fence: Fence, ids: readonly number[]): SQL => sql`
  update audit_urls set state = ${URL_STATE.done}
  where audit_id = ${fence.auditId} and id in (select value from json_each(${JSON.stringify(ids)})) and ${fenceHolds(fence)}`;

/** Addresses that were known already, and that a sitemap lists too. */
export const markListed = (fence: Fence, ids: readonly number[]): SQL[] =>
  ids.length === 0
    ? []
    : [
        sql`
          update audit_urls set source = source | ${SOURCE.sitemap}
          where audit_id = ${fence.auditId} and id in (select value from json_each(${JSON.stringify(ids)})) and ${fenceHolds(fence)}`,
      ];

export const markRefused = (fence: Fence, ids: readonly number[], reason: string): SQL => sql`
  update audit_urls set state = ${URL_STATE.refused}, refusal = ${reason}
  where audit_id = ${fence.auditId} and id in (select value from json_each(${JSON.stringify(ids)})) and ${fenceHolds(fence)}`;

/**
 * A page known from a sitemap only turns out to be linked: it moves up, and says so. The list is materialised, or SQLite
 * would read it anew for every address of the audit.
 */
export const promoteLinked = (
  fence: Fence,
  links: readonly { id: number; depth: number; source: number }[],
): SQL => sql`
  with l as materialized (
    select value ->> 'id' as id, value ->> 'depth' as depth, value ->> 'source' as source from json_each(${JSON.stringify(links)}))
  update audit_urls set queue = ${QUEUE.linked}, depth = l.depth, source = audit_urls.source | l.source
  from l
  where audit_urls.audit_id = ${fence.auditId} and audit_urls.id = l.id and queue = ${QUEUE.sitemap} and ${fenceHolds(fence)}`;

export async function frontierCounts(db: Database, auditId: string): Promise<FrontierCounts> {
  const row = await db.get<FrontierCounts>(sql`
    select coalesce(max(id), 0) as lastId,
      coalesce(sum(state = ${URL_STATE.done} and queue <= ${QUEUE.sitemap}), 0) as pagesDone,
      coalesce(sum(state <> ${URL_STATE.refused} and queue <= ${QUEUE.sitemap}), 0) as pagesKnown,
      coalesce(sum(state = ${URL_STATE.waiting} and queue > ${QUEUE.sitemap}), 0) as targetsWaiting,
      coalesce(sum(state = ${URL_STATE.done} and queue > ${QUEUE.sitemap}), 0) as targetsDone
    from audit_urls where audit_id = ${auditId}`);
  return row ?? { lastId: 0, pagesDone: 0, pagesKnown: 0, targetsWaiting: 0, targetsDone: 0 };
}

/** What waits in the given queues, breadth first. */
export const waitingUrls = (
  db: Database,
  auditId: string,
  queues: readonly number[],
  limit: number,
): Promise<FrontierUrl[]> =>
  db.all<FrontierUrl>(sql`
    select id, url, key, queue, depth, source from audit_urls
    where audit_id = ${auditId} and state = 0 and queue in (select value from json_each(${JSON.stringify(queues)}))
    order by queue, id limit ${limit}`);

/** Whether a page waits to be crawled. */
export async function pagesWait(db: Database, auditId: string): Promise<boolean> {
  const row = await db.get<{ waits: number } | undefined>(sql`
    select exists (select 1 from audit_urls where audit_id = ${auditId} and state = 0 and queue <= ${QUEUE.sitemap}) as waits`);
  return row?.waits === 1;
}

export interface KnownUrl {
  id: number;
  key: string;
  queue: number;
}

/** The addresses among `keys` that the audit knows. */
export async function knownUrls(db: Database, auditId: string, keys: readonly string[]): Promise<KnownUrl[]> {
  const found: KnownUrl[] = [];
  for (const chunk of jsonChunks(keys)) {
    const rows = await db.all<KnownUrl>(sql`
      select u.id, u.key, u.queue from json_each(${chunk}) k
      cross join audit_urls u on u.audit_id = ${auditId} and u.key = k.value`);
    found.push(...rows);
  }
  return found;
}
