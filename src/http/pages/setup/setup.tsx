/** GET /setup: what is in order, what is not, and how to mend it. Answers even where nothing else does. */
import type { FC } from "hono/jsx";
import { ConfigError, readConfig, type Config } from "../../../config.ts";
import { openDatabase } from "../../../storage/database.ts";
import { SetupRepository } from "../../../storage/setup-repository.ts";
import { SupervisorRepository } from "../../../storage/supervisor-repository.ts";
import { isLocal } from "../../auth/local.ts";
import type { AppContext } from "../../context.ts";
import { page } from "../layout.tsx";
import { Answer } from "../parts/marks.tsx";
import { Copy, plain } from "../parts/text.tsx";
import { viewerOf } from "../viewer.ts";
import { plural, type StatusKind } from "../words.ts";
import { StatusMark } from "../parts/marks.tsx";
import { type CheckState, type SetupCheck, setupChecks, type SetupFacts } from "./checks.ts";

export async function showSetup(c: AppContext): Promise<Response> {
  const checks = setupChecks(await gather(c));
  return page(
    c,
    { title: "Set-up", section: "setup" },
    <Setup checks={checks} tokens={viewerOf(c)?.mayAdminister === true} />,
  );
}

async function gather(c: AppContext): Promise<SetupFacts> {
  const { env } = c;
  const db = openDatabase(env.DB);
  const setup = new SetupRepository(db);
  let config: Config | null = null;
  let configError: string | null = null;
  try {
    config = readConfig(env as unknown as Record<string, unknown>);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    configError = error.message;
  }
  // Whatever the database refuses is what this page is there to tell.
  const [missing, supervisor, outbox] = await Promise.all([
    setup.missing().catch(() => null),
    new SupervisorRepository(db).state().catch(() => null),
    setup.outbox().catch(() => null),
  ]);
  return { env, local: isLocal(c.req.raw, env), config, configError, missing, supervisor, outbox };
}

const MARKS: Readonly<Record<CheckState, { kind: StatusKind; word: string }>> = {
  good: { kind: "completed", word: "In order" },
  bad: { kind: "failed", word: "To mend" },
  wait: { kind: "running", word: "Waiting" },
  optional: { kind: "canceled", word: "Off" },
};

const Setup: FC<{ checks: readonly SetupCheck[]; tokens: boolean }> = ({ checks, tokens }) => {
  const bad = checks.filter(({ state }) => state === "bad").length;
  const waiting = checks.filter(({ state }) => state === "wait").length;
  return (
    <>
      <h1 class="sr">Set-up</h1>
      <Answer kind={bad > 0 ? "failed" : waiting > 0 ? "running" : "completed"}>
        {bad > 0
          ? `${plural(bad, "thing")} of ${checks.length} ${bad === 1 ? "is" : "are"} not in order; below stands how to mend ${bad === 1 ? "it" : "them"}.`
          : waiting > 0
            ? "Almost everything is in order; the rest is on its way."
            : "Everything is set up."}
      </Answer>
      <ul class="setup">
        {checks.map((check) => (
          <li>
            <Check check={check} />
          </li>
        ))}
      </ul>
      {tokens ? (
        <p>
          <a href="/tokens">API tokens</a> let programs and other people in: each with a name, a role, and revoked when
          you like.
        </p>
      ) : null}
    </>
  );
};

const Check: FC<{ check: SetupCheck }> = ({ check: { id, title, state, text, mend } }) => {
  const { kind, word } = MARKS[state];
  return (
    <section class="setup-check" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <StatusMark kind={kind} word={word} />
      <div>
        <p>{plain(text)}</p>
        {mend.length === 0 ? null : <Mend lines={mend} />}
      </div>
    </section>
  );
};

const Mend: FC<{ lines: readonly string[] }> = ({ lines }) => (
  <>
    {lines.map((line) =>
      line.startsWith("$ ") ? (
        <pre class="command">
          <code>{line.slice(2)}</code>
          <Copy text={line.slice(2)} what="the command" />
        </pre>
      ) : (
        <p class="quiet">{line}</p>
      ),
    )}
  </>
);
