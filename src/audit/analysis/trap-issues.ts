/** crawl.trap: what the guards against endless addresses have stopped, one finding a template. */
import { sql } from "drizzle-orm";
import type { Database } from "../../storage/database.ts";
import { URL_STATE } from "../../storage/schema.ts";
import type { SiteContext } from "../checks/check.ts";
import { type FoundIssue, MEMBERS_NAMED } from "./found-issue.ts";
import { shownOn } from "./shown.ts";
import { foldUrl } from "./templates.ts";

/** Refused addresses that are looked at; their number is a lower bound in any case. */
const LOOKED_AT = 50_000;
/** So many templates of one guard in one folder are one trap that grows in its path. */
const TEMPLATES_OF_ONE_TRAP = 5;

interface Refused {
  id: number;
  url: string;
  refusal: string;
}

export async function trapIssues(
  db: Database,
  site: Pick<SiteContext, "auditId" | "siteOrigin">,
): Promise<FoundIssue[]> {
  const refused = await db.all<Refused>(sql`
    select id, url, refusal from audit_urls
    where audit_id = ${site.auditId} and state = ${URL_STATE.refused} and refusal like 'trap%' order by id limit ${LOOKED_AT}`);
  return groupTraps(refused, shownOn(site.siteOrigin));
}

const folderOf = (url: string): string => /^[^?]*?:\/\/[^/]+\/[^/?]*/.exec(url)?.[0] ?? url;

export function groupTraps(refused: readonly Refused[], shown: (url: string) => string): FoundIssue[] {
  const byFolder = Map.groupBy(refused, ({ url, refusal }) => `${refusal} ${folderOf(url)}`);
  return [...byFolder.values()].flatMap((inFolder) => {
    const byTemplate = Map.groupBy(inFolder, ({ url }) => foldUrl(url));
    const traps = byTemplate.size >= TEMPLATES_OF_ONE_TRAP ? [inFolder] : [...byTemplate.values()];
    return traps.map((trap) => trapIssue(trap, shown));
  });
}

function trapIssue(trap: Refused[], shown: (url: string) => string): FoundIssue {
  const first = trap[0]!;
  const reason = first.refusal.replace(/^trap[:\s-]*/, "");
  const words = trap.length === 1 ? "1 address like it was" : `${trap.length} addresses like it were`;
  return {
    checkId: "crawl.trap",
    urlId: first.id,
    severity: "warning",
    evidence: {
      message: `${shown(first.url)} looks endless${reason === "" ? "" : ` (${reason.slice(0, 100)})`}: ${words} not crawled`,
      measured: trap.length,
      members: trap.slice(0, MEMBERS_NAMED).map(({ id }) => id),
      memberCount: trap.length,
    },
  };
}
