/** Asks once before something is ended or lost, and says what: a page of its own, so that it works without a script. */
import type { FC } from "hono/jsx";
import type { AppContext } from "../../context.ts";
import { csrfField } from "../csrf.tsx";
import { plural } from "../words.ts";
import { auditPage } from "./frame.tsx";
import { type AuditView, loadAudit } from "./load.ts";

export async function confirmDelete(c: AppContext): Promise<Response> {
  const view = await loadAudit(c);
  const { audit, host } = view;
  const running = audit.status === "running" ? " It is running; its Workflow instance is ended first." : "";
  return auditPage(
    c,
    view,
    { tab: null, title: "Delete" },
    <Confirm
      c={c}
      view={view}
      action="delete"
      question={`Delete this audit of ${host}?`}
      lost={`Lost for good: ${plural(audit.pagesCrawled, "page")}, everything found on them, the pulse and the history of its attempts. Later audits of the site can no longer be compared with it.${running}`}
      yes="Delete it"
    />,
  );
}

export async function confirmCancel(c: AppContext): Promise<Response> {
  const view = await loadAudit(c);
  return auditPage(
    c,
    view,
    { tab: null, title: "Cancel" },
    <Confirm
      c={c}
      view={view}
      action="cancel"
      question={`Cancel this audit of ${view.host}?`}
      lost={`Its Workflow instance is ended. Nothing is lost: the ${plural(view.audit.pagesCrawled, "page")} crawled so far are kept, and Resume goes on from there.`.replace(
        "1 page crawled so far are",
        "one page crawled so far is",
      )}
      yes="Cancel it"
    />,
  );
}

const Confirm: FC<{ c: AppContext; view: AuditView; action: string; question: string; lost: string; yes: string }> = ({
  c,
  view,
  action,
  question,
  lost,
  yes,
}) => (
  <section class="confirm" aria-labelledby="confirm">
    <h2 id="confirm">{question}</h2>
    <p>{lost}</p>
    <form method="post" action={`${view.path}/${action}`} class="buttons">
      {csrfField(c)}
      <button type="submit" class="button button-danger">
        {yes}
      </button>
      <a class="button button-quiet" href={view.path}>
        Keep it
      </a>
    </form>
  </section>
);
