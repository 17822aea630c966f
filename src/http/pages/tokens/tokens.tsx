/** GET /tokens: who else may come in. A token is shown once, when it is made, and stored as a hash only. */
import type { FC } from "hono/jsx";
import { type TokenRow, TokenRepository } from "../../../storage/token-repository.ts";
import { TOKEN_ROLES } from "../../../storage/schema.ts";
import { issueToken } from "../../api/tokens.ts";
import { newTokenRequest } from "../../api/token-schemas.ts";
import type { AppContext } from "../../context.ts";
import { Problem } from "../../problems.ts";
import { csrfField } from "../csrf.tsx";
import { page } from "../layout.tsx";
import { Notice, withNotice } from "../notices.tsx";
import { Empty, Pager } from "../parts/lists.tsx";
import { Answer } from "../parts/marks.tsx";
import { Copy, plain } from "../parts/text.tsx";
import { Ago, DateTime } from "../parts/time.tsx";
import { readCursor } from "../query.ts";
import { plural } from "../words.ts";

const LIMIT = 50;
const CURSOR = /^(\d{1,15})\.([0-9a-z]{1,40})$/;

interface Outcome {
  /** The token that has just been made. */
  made?: { name: string; token: string };
  problem?: string;
}

const text = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

export async function showTokens(c: AppContext, outcome: Outcome = {}): Promise<Response> {
  const cursor = readCursor(c, CURSOR);
  const before = cursor === null ? undefined : { createdAt: Number(cursor[1]), id: cursor[2] ?? "" };
  const rows = await new TokenRepository(c.var.watch.db).list(LIMIT + 1, before);
  const shown = rows.slice(0, LIMIT);
  const last = shown.at(-1);
  const next = rows.length > LIMIT && last !== undefined ? `${last.createdAt}.${last.id}` : null;
  const { now } = await c.var.watch.supervisor.state();
  const open = shown.filter(({ revokedAt }) => revokedAt === null).length;
  const status = outcome.problem === undefined ? (outcome.made === undefined ? 200 : 201) : 400;
  return page(
    c,
    { title: "Tokens", section: "setup", now, status },
    <>
      <Notice c={c} />
      <h1>API tokens</h1>
      <Answer kind={open === 0 ? "canceled" : "completed"}>
        {open === 0
          ? "Nobody comes in by token but the administrator."
          : `${plural(open, "token")} ${open === 1 ? "opens" : "open"} the door.`}
      </Answer>
      {outcome.made === undefined ? null : <Made made={outcome.made} />}
      <NewToken c={c} problem={outcome.problem ?? null} />
      {shown.length === 0 ? (
        <Empty title="No token yet">
          <p>
            Give a program or a colleague a token of its own, so that it can be revoked alone. A reader sees everything;
            a writer also starts, cancels, resumes and deletes.
          </p>
        </Empty>
      ) : (
        <TokenTable rows={shown} now={now} />
      )}
      <Pager path="/tokens" query={{ cursor: c.req.query("cursor") }} next={next} what="tokens" />
    </>,
  );
}

const Made: FC<{ made: { name: string; token: string } }> = ({ made: { name, token } }) => (
  <section class="notice notice-good" aria-label="The new token">
    <p>The token for “{plain(name)}”. Copy it now: it is not stored, and nobody can show it again.</p>
    <pre class="command">
      <code>{token}</code>
      <Copy text={token} what="the token" />
    </pre>
  </section>
);

const NewToken: FC<{ c: AppContext; problem: string | null }> = ({ c, problem }) => (
  <section class="start" aria-labelledby="new-token">
    <h2 id="new-token">Make a token</h2>
    {problem === null ? null : (
      <p class="notice notice-bad" role="alert">
        {problem}
      </p>
    )}
    <form method="post" action="/tokens" class="start-row">
      {csrfField(c)}
      <label class="field">
        <span>For whom or what</span>
        <input type="text" name="name" required maxlength={100} autocomplete="off" />
      </label>
      <label class="field">
        <span>Role</span>
        <select name="role">
          {TOKEN_ROLES.map((role) => (
            <option value={role}>{role}</option>
          ))}
        </select>
      </label>
      <button type="submit" class="button button-main">
        Make it
      </button>
    </form>
  </section>
);

const TokenTable: FC<{ rows: readonly TokenRow[]; now: number }> = ({ rows, now }) => (
  <div class="table-wrap">
    <table class="stack" aria-label="Tokens">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Role</th>
          <th scope="col">Begins with</th>
          <th scope="col">Organization</th>
          <th scope="col">Made</th>
          <th scope="col">Last used</th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            <th scope="row">{plain(row.name)}</th>
            <td data-label="Role">{row.role}</td>
            <td data-label="Begins with">
              <code>{row.prefix}…</code>
            </td>
            <td data-label="Organization">{row.organizationId}</td>
            <td data-label="Made">
              <DateTime at={row.createdAt} />
            </td>
            <td data-label="Last used">{row.lastUsedAt === null ? "never" : <Ago at={row.lastUsedAt} now={now} />}</td>
            <td data-label="State">
              {row.revokedAt === null ? (
                <a href={`/tokens/${row.id}/revoke`}>Revoke</a>
              ) : (
                <span class="quiet">revoked</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** POST /tokens. The answer is the page itself, since a token must stand in no address. */
export async function makeToken(c: AppContext): Promise<Response> {
  const { name, role } = await c.req.parseBody();
  const parsed = newTokenRequest.safeParse({ name: text(name), role: text(role) });
  if (!parsed.success)
    return showTokens(c, { problem: "Give the token a name of at most 100 characters, and one of the roles." });
  const { row, token } = await issueToken(c, parsed.data);
  return showTokens(c, { made: { name: row.name, token } });
}

const tokenNotFound = (): Problem =>
  new Problem(404, "token_not_found", "There is no such token.", "The list of tokens shows those there are.");

/** GET /tokens/:id/revoke: asks once. */
export function confirmRevoke(c: AppContext): Response | Promise<Response> {
  const id = c.req.param("id") ?? "";
  return page(
    c,
    { title: "Revoke", section: "setup" },
    <section class="confirm" aria-labelledby="confirm">
      <h1 id="confirm">Revoke this token?</h1>
      <p>
        Whoever uses it, or has signed in with it, is refused from then on. It cannot be brought back; a new one can be
        made.
      </p>
      <form method="post" action={`/tokens/${encodeURIComponent(id)}/revoke`} class="buttons">
        {csrfField(c)}
        <button type="submit" class="button button-danger">
          Revoke it
        </button>
        <a class="button button-quiet" href="/tokens">
          Keep it
        </a>
      </form>
    </section>,
  );
}

export async function revokeToken(c: AppContext): Promise<Response> {
  if (!(await new TokenRepository(c.var.watch.db).revoke(c.req.param("id") ?? ""))) throw tokenNotFound();
  return c.redirect(withNotice("/tokens", "revoked"), 303);
}
