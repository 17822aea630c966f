/** crawl.trap: what the guards against endless addresses have stopped, one finding a form of address. */
import { sql } from "drizzle-orm";
import type { Database } from "../../storage/database.ts";
import { URL_STATE } from "../../storage/schema.ts";
import type { SiteContext } from "../checks/check.ts";
import { describeTrap } from "../crawl/traps.ts";
import type { FoundIssue } from "./found-issue.ts";

/** Findings about traps in one audit; a site with more has one trap in many forms. */
const FORMS_NAMED = 100;

interface Stopped {
  refusal: string;
  count: number;
  firstId: number;
  url: string;
  members: string;
}

export async function trapIssues(db: Database, { auditId }: Pick<SiteContext, "auditId">): Promise<FoundIssue[]> {
  const stopped = await db.all<Stopped>(sql`
    select t.*, u.url from (
      select refusal, count(*) as count, min(id) as firstId, json_group_array(id) filter (where place <= 20) as members
      from (select id, refusal, row_number() over (partition by refusal order by id) as place from audit_urls
        where audit_id = ${auditId} and state = ${URL_STATE.refused} and refusal like 'trap:%')
      group by refusal order by count(*) desc limit ${FORMS_NAMED}) t
    cross join audit_urls u on u.audit_id = ${auditId} and u.id = t.firstId`);
  return stopped.map(({ refusal, count, firstId, url, members }) => ({
    checkId: "crawl.trap",
    urlId: firstId,
    severity: "warning",
    evidence: {
      message: `${describeTrap(refusal) ?? "Addresses like this one have no end."} ${count === 1 ? "1 address was" : `${count} addresses were`} not crawled, such as ${url.slice(0, 200)}`,
      measured: count,
      members: JSON.parse(members),
      memberCount: count,
    },
  }));
}
