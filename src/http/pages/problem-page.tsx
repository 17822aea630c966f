/** A problem as a page: what is wrong, how to mend it, where to go on. */
import type { FC } from "hono/jsx";
import type { AppContext } from "../context.ts";
import type { Problem } from "../problems.ts";
import { secureHeaders } from "./guard.ts";
import { page } from "./layout.tsx";
import { Answer } from "./parts/marks.tsx";
import { SignIn } from "./sign-in.tsx";

/** Browsers that open a page get a page; everybody else gets JSON. */
export const wantsPage = (c: AppContext): boolean =>
  !/^\/(api|mcp|healthz|assets)\b/.test(c.req.path) && (c.req.header("accept") ?? "").includes("text/html");

export function problemPage(c: AppContext, problem: Problem): Response | Promise<Response> {
  secureHeaders(c);
  c.header("cache-control", "no-store");
  if (problem.retryAfter !== null) c.header("retry-after", String(problem.retryAfter));
  if (problem.status === 401) {
    return page(c, { title: "Sign in", status: 401 }, <SignIn c={c} wrong={problem.code === "token_wrong"} />);
  }
  const title = TITLES[problem.code] ?? (problem.status === 404 ? "Nothing here" : "That did not work");
  return page(c, { title, status: problem.status }, <ProblemText problem={problem} title={title} />);
}

const TITLES: Readonly<Record<string, string>> = {
  not_configured: "Not set up yet",
  not_migrated: "Not set up yet",
  misconfigured: "The configuration does not hold",
  audit_not_found: "No such audit",
  database_unavailable: "The database does not answer",
};

/** Where the hint of the API would mislead. */
const HINTS: Readonly<Record<string, string>> = {
  audit_not_found: "It may have been deleted, or the address may be incomplete.",
  not_found: "The address may be incomplete.",
};

const ProblemText: FC<{ problem: Problem; title: string }> = ({ problem, title }) => (
  <div class="narrow">
    <Answer kind={problem.status === 404 ? "canceled" : "failed"}>{problem.message}</Answer>
    <h1>{title}</h1>
    {problem.code === "not_configured" ? (
      <FirstSteps />
    ) : (
      <>
        <p>{HINTS[problem.code] ?? problem.hint}</p>
        <p class="buttons">
          <a class="button" href="/">
            All audits
          </a>
          <a class="button button-quiet" href="/setup">
            Check the set-up
          </a>
        </p>
      </>
    )}
  </div>
);

/** All that a deployed Worker without a door key tells anybody. */
const FirstSteps: FC = () => (
  <ol class="steps">
    <li>
      <p>Choose a long random token, and give it to the Worker as a secret:</p>
      <pre>
        <code>npx wrangler secret put ADMIN_TOKEN</code>
      </pre>
    </li>
    <li>
      <p>Give it a second one, which seals secret headers and signs sessions:</p>
      <pre>
        <code>npx wrangler secret put SECRET_KEY</code>
      </pre>
    </li>
    <li>
      <p>
        <a href="/">Open this page again.</a> It will ask for the token.
      </p>
    </li>
    <li>
      <p>
        Or, instead of all that, put Cloudflare Access before the Worker, and set <code>ACCESS_TEAM_DOMAIN</code> and{" "}
        <code>ACCESS_AUD</code>.
      </p>
    </li>
  </ol>
);
