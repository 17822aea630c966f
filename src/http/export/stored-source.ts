/** A report's source in the database: rows come in pages of a few hundred, and never stand in memory together. */
import { sql } from "drizzle-orm";
import { LINK } from "../../audit/crawl/link-flags.ts";
import type { Database } from "../../storage/database.ts";
import { ResultRepository } from "../../storage/result-repository.ts";
import { presentIssues, presentPage } from "../api/results.ts";
import type { AuditResponse, ChecksResponse, IssueResponse, PageResponse } from "../api/schemas.ts";
import type { ExportedLink } from "./csv.ts";
import type { ReportSource } from "./report-source.ts";

const AT_ONCE = 500;
/** Pages whose links are read at once: a page may have thousands. */
const LINK_PAGES = 50;

export function storedSource(
  db: Database,
  audit: AuditResponse,
  checks: ChecksResponse,
): ReportSource & { links: () => AsyncIterable<ExportedLink> } {
  const results = new ResultRepository(db);

  async function* pages(): AsyncGenerator<PageResponse> {
    for (let after = 0; ;) {
      const rows = await results.pages(audit.id, after, AT_ONCE);
      yield* rows.map(presentPage);
      const last = rows.at(-1);
      if (last === undefined || rows.length < AT_ONCE) return;
      after = last.urlId;
    }
  }

  async function* issues(): AsyncGenerator<IssueResponse> {
    for (let after = { check: "", urlId: Number.MIN_SAFE_INTEGER }; ;) {
      const rows = await results.issues(audit.id, after, AT_ONCE);
      yield* await presentIssues(results, audit.id, audit.url, rows);
      const last = rows.at(-1);
      if (last === undefined || rows.length < AT_ONCE) return;
      after = { check: last.checkId, urlId: last.urlId };
    }
  }

  async function* links(): AsyncGenerator<ExportedLink> {
    for (let after = 0; ;) {
      const rows = await db.all<{ id: number; url: string; links: string | null }>(sql`
        select p.url_id as id, u.url, p.links from audit_pages p
        cross join audit_urls u on u.audit_id = p.audit_id and u.id = p.url_id
        where p.audit_id = ${audit.id} and p.url_id > ${after} order by p.url_id limit ${LINK_PAGES}`);
      const found = rows.map(({ url, links: json }) => ({
        url,
        links: JSON.parse(json ?? "[]") as [number, number, string?][],
      }));
      const targets = await targetsOf(
        db,
        audit.id,
        found.flatMap((page) => page.links.map(([id]) => id)),
      );
      for (const page of found) {
        for (const [id, flags, anchor] of page.links) {
          const target = targets.get(id);
          if (target === undefined) continue;
          yield {
            from: page.url,
            to: target.url,
            anchor: anchor ?? null,
            nofollow: (flags & LINK.nofollow) !== 0,
            status: target.status,
          };
        }
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < LINK_PAGES) return;
      after = last.id;
    }
  }

  return { audit, checks, pages, issues, links };
}

async function targetsOf(
  db: Database,
  auditId: string,
  ids: readonly number[],
): Promise<Map<number, { url: string; status: number | null }>> {
  const list = JSON.stringify([...new Set(ids)]);
  const rows = await db.all<{ id: number; url: string; status: number | null }>(sql`
    select u.id, u.url, coalesce(p.status, t.status) as status from json_each(${list}) j
    cross join audit_urls u on u.audit_id = ${auditId} and u.id = j.value
    left join audit_pages p on p.audit_id = u.audit_id and p.url_id = u.id
    left join audit_targets t on t.audit_id = u.audit_id and t.url_id = u.id`);
  return new Map(rows.map(({ id, ...target }) => [id, target]));
}
