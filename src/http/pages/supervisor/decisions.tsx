/** Decisions newest first: what was judged, by which row of the rule, with its numbers, and what came of it. */
import type { FC } from "hono/jsx";
import type { OwnDecision } from "../../../storage/supervision-view-repository.ts";
import { RULES } from "../../../supervision/liveness.ts";
import { wordsOf } from "../../../supervision/audit-errors.ts";
import { formatDuration } from "../../../words.ts";
import { hostOf } from "../audit/load.ts";
import { StatusMark } from "../parts/marks.tsx";
import { Crawled } from "../parts/text.tsx";
import { Ago } from "../parts/time.tsx";
import { sentence, type StatusKind } from "../words.ts";

type Shown = Omit<OwnDecision, "url"> & { url: string | null };

const BY_WORDS: Readonly<Record<string, string>> = {
  watchdog: "the supervisor",
  status_check: "a look at its status",
  manual: "a person’s command",
};

const KINDS: Readonly<Record<string, { kind: StatusKind; word: string }>> = {
  dead: { kind: "failed", word: "Dead" },
  suspect: { kind: "overdue", word: "Suspect" },
  queued: { kind: "overdue", word: "Queued" },
  held: { kind: "overdue", word: "Held" },
  unknown: { kind: "overdue", word: "Unknown" },
  recreate: { kind: "running", word: "Started again" },
  alive: { kind: "completed", word: "Alive" },
};

export const DecisionList: FC<{ decisions: readonly Shown[]; now: number }> = ({ decisions, now }) => (
  <ul class="decisions">
    {decisions.map((decision) => (
      <li>
        <Decision decision={decision} now={now} />
      </li>
    ))}
  </ul>
);

const Decision: FC<{ decision: Shown; now: number }> = ({ decision, now }) => {
  const { auditId, attempt, at, by, verdict, code, reason, evidence, acted, detectionMs, url } = decision;
  const { kind, word } = KINDS[verdict] ?? { kind: "canceled" as const, word: verdict };
  const rule = ruleOf(evidence);
  return (
    <>
      <p class="decision-head">
        <StatusMark kind={kind} word={word} />{" "}
        {url === null ? null : (
          <a href={`/audits/${auditId}`}>
            <Crawled text={hostOf(url)} limit={100} />
          </a>
        )}{" "}
        <span class="quiet">
          attempt {attempt}, <Ago at={at} now={now} />, by {BY_WORDS[by] ?? by}
        </span>
      </p>
      <p>
        <Crawled text={sentence(reason)} />
        {code === null ? null : (
          <>
            {" "}
            {actedWords(acted, wordsOf(code).title)}
            {detectionMs === null ? null : ` Seen ${formatDuration(detectionMs)} after the last heartbeat.`}
          </>
        )}
      </p>
      {rule === null ? null : <p class="quiet rule">Rule: {RULES[rule]}.</p>}
    </>
  );
};

const actedWords = (acted: string, title: string): string => {
  if (acted === "won") return `Ended as “${title}”.`;
  if (acted === "lost") return "It had moved on meanwhile, so nothing was done.";
  return "Held back: nothing was done yet.";
};

function ruleOf(evidence: string): keyof typeof RULES | null {
  const rule = (JSON.parse(evidence) as { rule?: string } | null)?.rule;
  return rule !== undefined && rule in RULES ? (rule as keyof typeof RULES) : null;
}
