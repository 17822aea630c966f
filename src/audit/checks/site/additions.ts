/** What other pages' rows add to checks that are otherwise judged from one page alone, under that check's id. */
import { type SQL, sql } from "drizzle-orm";
import type { SiteContext } from "../check.ts";
import { evidence, finding, ofThisAudit, pages, shown } from "./sql.ts";
import { isBroken, targetAnswer } from "./targets.ts";

export interface SiteAddition {
  id: string;
  /** The same columns as a site check's. A page that has a finding of this check already keeps it. */
  site: (context: SiteContext) => SQL;
  /** Tells findings of this addition from those of the check itself. */
  stale: SQL;
}

export const SITE_ADDITIONS: readonly SiteAddition[] = [
  {
    id: "social.og",
    stale: sql`check_id = 'social.og' and evidence ->> 'target' is not null`,
    site: (context) => sql`
      select ${finding({
        urlId: sql`p.url_id`,
        severity: "notice",
        evidence: evidence({
          message: sql`${shown(context, "u.url")} || ' names the preview image ' || ${shown(context, "iu.url")} || ', which ' || ${targetAnswer}`,
          target: sql`iu.url`,
        }),
      })}
      from ${pages(context)}
      cross join audit_targets t on t.audit_id = ${context.auditId} and t.url_id = json_extract(p.extras, '$.ogImage')
      cross join audit_urls iu on iu.audit_id = ${context.auditId} and iu.id = t.url_id
      where ${ofThisAudit(context)} and p.indexability = 'indexable' and instr(p.extras, '"ogImage"') > 0 and ${isBroken}`,
  },
];
