/** Why an audit failed: what happened in plain words, what to do, and the evidence that it rests on. */
import type { FC } from "hono/jsx";
import { RULES } from "../../../supervision/liveness.ts";
import { wordsOf } from "../../../supervision/audit-errors.ts";
import { Crawled } from "../parts/text.tsx";
import { ENDED_BY_WORDS, sentence } from "../words.ts";
import type { AuditView } from "./load.ts";
import { saidWords } from "./sentence.tsx";

export const Failure: FC<{ view: AuditView }> = ({ view: { audit, attempts } }) => {
  if (audit.status !== "failed" || audit.errorCode === null) return null;
  const { title, explanation, advice } = wordsOf(audit.errorCode);
  const attempt = attempts.at(-1);
  return (
    <section class="failure" aria-labelledby="failure-title">
      <h2 id="failure-title">{title}</h2>
      <dl class="words">
        <dt>What happened</dt>
        <dd>{explanation}</dd>
        <dt>What to do</dt>
        <dd>{advice}</dd>
        <dt>Evidence</dt>
        <dd>
          {audit.errorDetail === null || audit.errorDetail === "" ? (
            "Nothing more was said."
          ) : (
            <Crawled text={sentence(audit.errorDetail)} />
          )}
          <EvidenceLines evidence={attempt?.evidence ?? null} />
          <p class="quiet">
            Code <code>{audit.errorCode}</code>
            {audit.endedBy === null ? null : ` · ${ENDED_BY_WORDS[audit.endedBy]}`} · attempt {audit.attempt}
          </p>
        </dd>
      </dl>
    </section>
  );
};

interface StoredEvidence {
  said?: { said?: string; why?: string } | null;
  verdict?: { rule?: string };
}

/** The answer of the platform and the row of the rule, as the verdict kept them; its numbers stand in the detail. */
export const EvidenceLines: FC<{ evidence: string | null }> = ({ evidence }) => {
  if (evidence === null) return null;
  const { said, verdict } = (JSON.parse(evidence) as StoredEvidence | null) ?? {};
  const rule = verdict?.rule;
  if (said == null && rule === undefined) return null;
  return (
    <ul class="evidence">
      {said?.said === undefined ? null : <li>The platform was asked and said: {saidWords(said.said)}.</li>}
      {rule === undefined || !(rule in RULES) ? null : (
        <li>The rule that applied: {sentence(RULES[rule as keyof typeof RULES])}</li>
      )}
    </ul>
  );
};
