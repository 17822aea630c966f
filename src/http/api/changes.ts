/** /api/v1/audits/:id/changes: what is new, fixed, still there or gone beside the audit before. */
import { Hono } from "hono";
import { type ChangeCursor, listChangedIssues, listChangedPages } from "../../audit/analysis/compare.ts";
import { CHANGES } from "../../audit/analysis/change-words.ts";
import type { AuditRow } from "../../storage/audit-repository.ts";
import type { AppContext, AppEnv } from "../context.ts";
import { auditNotFound, Problem } from "../problems.ts";
import { auditState, notModified } from "./etag.ts";
import { badCursor } from "./input.ts";
import { changesQuery, readQuery } from "./parameters.ts";
import type { AuditResponse, ChangedIssueResponse, ChangedPageResponse } from "./schemas.ts";

export const changes = new Hono<AppEnv>();

type Pair = { auditId: string; previousAuditId: string };
type Query = { change?: string | undefined; cursor?: string | undefined; limit?: number | undefined };

const PAGE_CHANGES = ["new", "gone"] as const;

changes.get("/:id/changes", async (c) => {
  const id = c.req.param("id");
  const query = readQuery(c, changesQuery);
  const { organizationId } = c.var.caller;
  const reading = await c.var.watch.audits.find(id, organizationId);
  if (reading === null) throw auditNotFound(id);
  const { audit, now } = reading;
  const summary = audit.summary === null ? null : (JSON.parse(audit.summary) as AuditResponse["summary"]);
  const previousId = summary?.comparison?.previousAuditId ?? null;
  const previous = previousId === null ? null : await c.var.watch.audits.find(previousId, organizationId);
  const unchanged = await notModified(c, [auditState(audit, now), previous?.audit.id ?? null]);
  if (unchanged !== null) return unchanged;
  if (previous === null) return c.json({ previousAuditId: null, items: [], nextCursor: null });
  const pair = { auditId: id, previousAuditId: previous.audit.id };
  const list = query.kind === "pages" ? await pages(c, pair, query) : await issues(c, audit, pair, query);
  return c.json({ previousAuditId: pair.previousAuditId, ...list });
});

async function issues(c: AppContext, audit: AuditRow, pair: Pair, { change, cursor, limit = 100 }: Query) {
  const wanted = CHANGES.find((name) => name === change);
  if (change !== undefined && wanted === undefined) throw badChange(change, CHANGES);
  const { items, next } = await listChangedIssues(c.var.watch.db, pair, {
    ...(wanted === undefined ? {} : { change: wanted }),
    after: cursor === undefined ? null : issueCursor(cursor),
    limit,
  });
  return {
    items: items.map(({ url, evidence, ...issue }): ChangedIssueResponse => ({
      ...issue,
      url: url === "" ? audit.url : url,
      evidence: JSON.parse(evidence) as ChangedIssueResponse["evidence"],
    })),
    nextCursor: next === null ? null : `${next.side}:${next.check}:${next.urlId}`,
  };
}

function issueCursor(text: string): ChangeCursor {
  const match = /^([01]):([a-z0-9.-]{1,60}):(-?\d{1,12})$/.exec(text);
  if (match === null) throw badCursor();
  return { side: Number(match[1]), check: match[2] ?? "", urlId: Number(match[3]) };
}

/** Without a wish: first the new ones, then those that are gone. */
async function pages(c: AppContext, pair: Pair, { change, cursor, limit = 100 }: Query) {
  const wanted = PAGE_CHANGES.filter((name) => change === undefined || name === change);
  if (wanted.length === 0) throw badChange(change ?? "", PAGE_CHANGES);
  const match = /^(new|gone):(\d{1,12})$/.exec(cursor ?? `${wanted[0]}:0`);
  const from = wanted.findIndex((name) => name === match?.[1]);
  if (match === null || from === -1) throw badCursor();
  const items: ChangedPageResponse[] = [];
  let afterId = Number(match[2]);
  for (const name of wanted.slice(from)) {
    const room = limit - items.length;
    if (room === 0) return { items, nextCursor: `${name}:0` };
    const found = await listChangedPages(c.var.watch.db, pair, { change: name, afterId, limit: room });
    items.push(...found.items);
    if (found.nextId !== null) return { items, nextCursor: `${name}:${found.nextId}` };
    afterId = 0;
  }
  return { items, nextCursor: null };
}

const badChange = (given: string, choices: readonly string[]): Problem =>
  new Problem(400, "invalid_change", `"change" is ${JSON.stringify(given)}.`, `Give one of ${choices.join(", ")}.`);
