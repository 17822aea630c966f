/** Reads the stored pages of an audit once, in order of their ids, a bounded amount at a time. */
import { sql } from "drizzle-orm";
import type { Database } from "../../storage/database.ts";

/** What the analysis needs of a page. Long JSON columns are still text: each collector parses its own. */
export interface StoredPage {
  urlId: number;
  url: string;
  status: number | null;
  targetId: number | null;
  indexability: string;
  nofollow: number;
  ttfbMs: number | null;
  bytes: number | null;
  wordCount: number | null;
  textKey: string | null;
  minhash: string | null;
  noindex: number;
  /** The page is drawn by script: nothing is known of its text. */
  isAppShell: number;
  links: string | null;
  resources: string | null;
  /** Only of pages with links to places in pages. */
  extras: string | null;
}

/** Pages of one read, and the bytes of links that may come with them: an answer must fit into memory easily. */
const READ_PAGES = 400;
const READ_BYTES = 4_000_000;

/**
 * Pages after `afterId`, at least one if there is any. The sizes are looked at first, because a page may hold a few
 * links or half a megabyte of them. (Bytes, because those are known without reading the text.)
 */
export async function readPages(
  db: Database,
  auditId: string,
  afterId: number,
  limit = READ_PAGES,
): Promise<StoredPage[]> {
  return await db.all<StoredPage>(sql`
    with sizes as (
      select url_id, ifnull(octet_length(links), 0) + ifnull(octet_length(resources), 0) + ifnull(octet_length(extras), 0) as size
      from audit_pages
      where audit_id = ${auditId} and url_id > ${afterId} order by url_id limit ${limit}
    ), fitting as (
      select url_id, sum(size) over (order by url_id rows unbounded preceding) as total,
        row_number() over (order by url_id) as place from sizes
    )
    select p.url_id as urlId, u.url, p.status, p.target_id as targetId, p.indexability, p.nofollow,
      p.ttfb_ms as ttfbMs, p.bytes, p.word_count as wordCount, p.text_key as textKey, p.minhash, p.noindex,
      ifnull(json_extract(p.extras, '$.jsShell'), 0) as isAppShell,
      p.links, p.resources, iif(instr(p.extras, '"fragments"') > 0, p.extras, null) as extras
    from fitting f
    cross join audit_pages p on p.audit_id = ${auditId} and p.url_id = f.url_id
    cross join audit_urls u on u.audit_id = ${auditId} and u.id = f.url_id
    where f.total <= ${READ_BYTES} or f.place = 1
    order by p.url_id`);
}
