/** Findings by check: closed, worst first, each with what it means; what is in order comes last. */
import type { FC } from "hono/jsx";
import { Outward } from "../parts/text.tsx";
import { SeverityMark } from "../parts/marks.tsx";
import { count, plural, SEVERITY_WORDS } from "../words.ts";
import type { Findings, FoundCheck } from "./findings-by-check.ts";

export const CheckList: FC<{ path: string; findings: Findings }> = ({ path, findings: { found, passed } }) => (
  <>
    {found.length === 0 ? null : (
      <ul class="checks">
        {found.map((check) => (
          <li>
            <Found path={path} check={check} />
          </li>
        ))}
      </ul>
    )}
    {passed === null || passed.length === 0 ? null : (
      <details class="passed">
        <summary>
          <span class="status status-completed">
            <svg class="mark" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
              <path class="mark-line" d="M3 8.5l3.4 3.4L13 4.6" />
            </svg>
            {plural(passed.length, "check")} found nothing wrong
          </span>
        </summary>
        <ul class="passed-list">
          {passed.map(({ id, title }) => (
            <li>
              {title} <code>{id}</code>
            </li>
          ))}
        </ul>
      </details>
    )}
  </>
);

export const countOf = ({ total, atLeast }: FoundCheck): string => (atLeast ? `${count(total)} or more` : count(total));

const Found: FC<{ path: string; check: FoundCheck }> = ({ path, check }) => (
  <details>
    <summary>
      <SeverityMark severity={check.severity}>
        <span class="sr">{SEVERITY_WORDS[check.severity].one}: </span>
        <span class="check-title">{check.title}</span>
      </SeverityMark>
      <span class="check-count num">{countOf(check)}</span>
    </summary>
    <div class="check-body">
      <CheckWords check={check} />
      <p>
        <a class="more" href={`${path}/findings/${encodeURIComponent(check.id)}`}>
          {check.total === 1 ? "Show the one place" : `Show all ${countOf(check)} places`}
        </a>
      </p>
    </div>
  </details>
);

/** Why it matters, how to mend it, where the rule stands. */
export const CheckWords: FC<{ check: Pick<FoundCheck, "id" | "why" | "fix" | "source"> }> = ({
  check: { id, why, fix, source },
}) => (
  <dl class="words">
    <dt>Why it matters</dt>
    <dd>{why}</dd>
    <dt>How to mend it</dt>
    <dd>{fix}</dd>
    <dt>Rule</dt>
    <dd>
      <code>{id}</code>
      {source === null ? (
        <span class="quiet"> our own judgement</span>
      ) : (
        <>
          {" "}
          <Outward url={source}>{hostAndPath(source)}</Outward>
        </>
      )}
    </dd>
  </dl>
);

function hostAndPath(source: string): string {
  const parsed = URL.parse(source);
  return parsed === null ? source : parsed.hostname + (parsed.pathname === "/" ? "" : parsed.pathname);
}
