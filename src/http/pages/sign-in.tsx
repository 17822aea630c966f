/** The door: a form that takes a token. */
import type { FC } from "hono/jsx";
import type { AppContext } from "../context.ts";
import { csrfField } from "./csrf.tsx";

/** Where to go afterwards: the page that was asked for. */
const nextOf = (c: AppContext): string => {
  if (c.req.path === "/sign-in") return c.req.query("next") ?? "/";
  return c.req.method === "GET" ? c.req.path + new URL(c.req.url).search : "/";
};

/** `wrong`: a token was given, and it is not known. */
export const SignIn: FC<{ c: AppContext; wrong: boolean }> = ({ c, wrong }) => (
  <div class="door">
    <h1>Sign in</h1>
    <p>Pulse Audit is closed to strangers. Give a token that was made for you, or the administrator’s.</p>
    {wrong ? (
      <p class="notice notice-bad" role="alert" id="token-wrong">
        This token is not known here. It may be mistyped, or revoked.
      </p>
    ) : null}
    <form method="post" action="/sign-in" class="form">
      {csrfField(c)}
      <input type="hidden" name="next" value={nextOf(c)} />
      <label class="field">
        <span>Token</span>
        <input
          type="password"
          name="token"
          required
          maxlength={300}
          autocomplete="current-password"
          {...(wrong ? { "aria-describedby": "token-wrong", "aria-invalid": "true" as const } : {})}
        />
      </label>
      <button type="submit" class="button button-main">
        Sign in
      </button>
    </form>
  </div>
);
