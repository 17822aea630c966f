/** What a form has brought about, told on the page that it leads to: the address carries a word, never a text. */
import type { FC } from "hono/jsx";
import type { AppContext } from "../context.ts";

const NOTICES = {
  started: { good: true, text: "The audit has been started." },
  repeated: { good: true, text: "This very audit had been started a moment ago; here it is." },
  canceled: { good: true, text: "The audit has been canceled. What it had found is kept." },
  resumed: { good: true, text: "The audit goes on under a new attempt." },
  deleted: { good: true, text: "The audit and everything that it had found are deleted." },
  asked: { good: true, text: "The platform has been asked; this is what came of it." },
  revoked: { good: true, text: "The token is revoked. Whoever still uses it is refused." },
  swept: { good: true, text: "The supervisor has finished a run." },
  sweep_held: { good: false, text: "The run was held: it would have ended too many audits at once." },
  lease_taken: { good: false, text: "Another run is going on. Try again in a minute." },
  not_running: { good: false, text: "There was nothing to cancel: the audit has ended." },
  not_final: { good: false, text: "The audit is running. Wait for it, or cancel it first." },
  completed: { good: false, text: "The audit has completed, so there is nothing to resume. Start it again instead." },
  full: {
    good: false,
    text: "As many audits are running as may run at once. Wait until one ends, or cancel one, then try again.",
  },
} as const;
export type NoticeCode = keyof typeof NOTICES;

export const withNotice = (path: string, code: NoticeCode): string => `${path}?notice=${code}`;

const isNotice = (text: string | undefined): text is NoticeCode => text !== undefined && Object.hasOwn(NOTICES, text);

export const Notice: FC<{ c: AppContext }> = ({ c }) => {
  const code = c.req.query("notice");
  if (!isNotice(code)) return null;
  const { good, text } = NOTICES[code];
  return (
    <p class={`notice ${good ? "notice-good" : "notice-bad"}`} role="status">
      {text}
    </p>
  );
};
