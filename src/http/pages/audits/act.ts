/** What the forms do: each calls the service and leads to a page that says what came of it. */
import { check } from "../../api/input.ts";
import { readStartRequest, requestHash } from "../../api/read-options.ts";
import { type StartAuditRequest, startAuditRequest } from "../../api/start-request.ts";
import { parseOptions } from "../../../audit/audit-options.ts";
import type { AppContext } from "../../context.ts";
import { auditNotFound, Problem } from "../../problems.ts";
import { type NoticeCode, withNotice } from "../notices.tsx";
import { showList } from "./list.tsx";
import { faultOf, readFields, startRequestOf } from "./read-start-form.ts";

const idOf = (c: AppContext): string => c.req.param("id") ?? "";

/** 303: the browser asks for the page that it leads to, and reloading that sends nothing again. */
const lead = (c: AppContext, path: string, notice: NoticeCode): Response => c.redirect(withNotice(path, notice), 303);

/** POST /audits. What cannot be taken comes back with the form as it was filled, secrets left out. */
export async function startAudit(c: AppContext): Promise<Response> {
  const fields = readFields(await c.req.parseBody());
  const parsed = startAuditRequest.safeParse(startRequestOf(fields));
  if (!parsed.success)
    return showList(c, { fields, problem: { message: faultOf(parsed.error), hint: null }, status: 400 });
  try {
    const request = await readStartRequest(c, check(parsed.data, startAuditRequest));
    const idempotency = fields.once === "" ? null : await onceOf(c, fields.once, parsed.data);
    let result = await c.var.service.start(c.var.caller, { ...request, idempotency });
    // Somebody went back, changed the form and sent it again: that is a new request.
    if (result.kind === "key_reused")
      result = await c.var.service.start(c.var.caller, { ...request, idempotency: null });
    if (result.kind === "started" || result.kind === "repeated")
      return lead(c, `/audits/${result.auditId}`, result.kind);
    if (result.kind === "key_reused") throw new Error("a start without a key cannot have reused one");
    const running = result.running.map(({ url }) => url).join(", ");
    const message = `${result.running.length} of ${result.limit} audits are running: ${running}.`;
    return showList(c, { fields, problem: { message, hint: "Wait until one ends, or cancel one." }, status: 429 });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return showList(c, { fields, problem: { message: error.message, hint: error.hint }, status: error.status });
  }
}

/** A form that is sent twice starts one audit. */
const onceOf = async (
  c: AppContext,
  once: string,
  request: StartAuditRequest,
): Promise<{ key: string; requestHash: string }> => ({
  key: `form-${once.slice(0, 100)}`,
  requestHash: await requestHash(c.env, request),
});

/** POST /audits/:id/again: the same site with the same options; sealed secrets stay sealed. */
export async function startAgain(c: AppContext): Promise<Response> {
  const reading = await c.var.watch.audits.find(idOf(c), c.var.caller.organizationId);
  if (reading === null) throw auditNotFound(idOf(c));
  const { url, options } = reading.audit;
  const result = await c.var.service.start(c.var.caller, { url, options: parseOptions(options), idempotency: null });
  if (result.kind === "started") return lead(c, `/audits/${result.auditId}`, "started");
  return lead(c, `/audits/${idOf(c)}`, "full");
}

export async function cancelAudit(c: AppContext): Promise<Response> {
  const canceled = await c.var.service.cancel(idOf(c), c.var.caller.organizationId);
  if (canceled === null) throw auditNotFound(idOf(c));
  return lead(c, `/audits/${idOf(c)}`, canceled ? "canceled" : "not_running");
}

export async function resumeAudit(c: AppContext): Promise<Response> {
  const result = await c.var.service.resume(idOf(c), c.var.caller);
  if (result.kind === "not_found") throw auditNotFound(idOf(c));
  return lead(c, `/audits/${idOf(c)}`, result.kind);
}

export async function deleteAudit(c: AppContext): Promise<Response> {
  if (!(await c.var.service.delete(idOf(c), c.var.caller.organizationId))) throw auditNotFound(idOf(c));
  return lead(c, "/", "deleted");
}

export async function askPlatform(c: AppContext): Promise<Response> {
  const result = await c.var.service.reconcile(idOf(c), c.var.caller.organizationId);
  if (result === null) throw auditNotFound(idOf(c));
  return lead(c, `/audits/${idOf(c)}`, "asked");
}
