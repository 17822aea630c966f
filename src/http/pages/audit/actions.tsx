/** What can be done with an audit now: each button is a form that works without a script. */
import type { FC } from "hono/jsx";
import type { AppContext } from "../../context.ts";
import { csrfField } from "../csrf.tsx";
import { viewerOf } from "../viewer.ts";
import type { AuditView } from "./load.ts";

const Post: FC<{ c: AppContext; action: string; text: string; main?: boolean }> = ({
  c,
  action,
  text,
  main = false,
}) => (
  <form method="post" action={action}>
    {csrfField(c)}
    <button type="submit" class={main ? "button button-main" : "button"}>
      {text}
    </button>
  </form>
);

export const Actions: FC<{ c: AppContext; view: AuditView }> = ({ c, view: { audit, kind, path } }) => {
  if (viewerOf(c)?.mayWrite !== true) return null;
  const running = audit.status === "running";
  const resumable = audit.status === "failed" || audit.status === "canceled";
  return (
    <div class="buttons actions">
      {kind === "overdue" ? <Post c={c} action={`${path}/reconcile`} text="Ask the platform now" /> : null}
      {resumable ? <Post c={c} action={`${path}/resume`} text="Resume" main /> : null}
      {running ? (
        <a class="button" href={`${path}/cancel`}>
          Cancel
        </a>
      ) : (
        <Post c={c} action={`${path}/again`} text="Start again" main={audit.status === "completed"} />
      )}
      <a class="button button-quiet" href={`${path}/delete`}>
        Delete
      </a>
    </div>
  );
};
