/**
 * Answers that need not be sent again. A tag is weak: it stands for the state in the database, while an answer also tells
 * the time that has passed since.
 */
import type { AuditRow } from "../../storage/audit-repository.ts";
import { isOverdue } from "../../supervision/liveness.ts";
import type { SupervisorHealth } from "../../supervision/supervisor-health.ts";
import type { AppContext } from "../context.ts";

/** Raised when the form of the answers changes, so that none of an older form is taken for unchanged. */
const FORM = 1;

/** Everything of an audit that can change: each write of a run is a heartbeat, each look and ending is in its row. */
export const auditState = (audit: AuditRow, now: number): unknown[] => [
  audit.id,
  audit.status,
  audit.attempt,
  audit.heartbeatSeq,
  audit.heartbeatDueAt,
  audit.lastLookAt,
  audit.lastVerdict,
  audit.endedAt,
  isOverdue(audit, now),
];

export const healthState = ({ late, note }: SupervisorHealth): unknown[] => [late, note === null];

/** Sets the ETag; the 304 if whoever asks has this very state already, else null. */
export async function notModified(c: AppContext, state: readonly unknown[]): Promise<Response | null> {
  const text = JSON.stringify([FORM, c.req.path, c.req.query(), state]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const tag = Array.from(new Uint8Array(digest).slice(0, 12), (byte) => byte.toString(16).padStart(2, "0")).join("");
  c.header("etag", `W/"${tag}"`);
  c.header("cache-control", "private, no-cache");
  c.header("vary", "authorization, cookie, cf-access-jwt-assertion", { append: true });
  const known = new Set((c.req.header("if-none-match") ?? "").split(",").map((one) => one.trim().replace(/^W\//, "")));
  return known.has(`"${tag}"`) || known.has("*") ? c.body(null, 304) : null;
}
