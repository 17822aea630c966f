/** The state of an audit in one breath: what is, since when, and what to do. */
import type { Child, FC } from "hono/jsx";
import type { Config } from "../../../config.ts";
import type { Beat } from "../../../storage/audit-view-repository.ts";
import { wordsOf } from "../../../supervision/audit-errors.ts";
import { formatDuration } from "../../../words.ts";
import { Ago, Clock, DateTime } from "../parts/time.tsx";
import { plain } from "../parts/text.tsx";
import { count, ENDED_BY_WORDS, lower, PHASE_WORDS, plural } from "../words.ts";
import type { AuditView } from "./load.ts";
import { paceWords, pagesPerSecond } from "./pace.ts";

interface Props {
  view: AuditView;
  beats: readonly Beat[];
  config: Config;
}

export const StateSentence: FC<Props> = (props) => {
  switch (props.view.kind) {
    case "running":
      return <Running {...props} />;
    case "overdue":
      return <Overdue {...props} />;
    case "completed":
      return <Completed {...props} />;
    case "failed":
      return <Failed {...props} />;
    case "canceled":
      return <Canceled {...props} />;
    default:
      return props.view.kind satisfies never;
  }
};

/** "412 of about 1,300 pages"; without "about" once nothing new can be found. */
export function pagesWords({
  pagesCrawled,
  pagesTotal,
  phase,
}: {
  pagesCrawled: number;
  pagesTotal: number;
  phase: string;
}): string {
  if (pagesTotal <= pagesCrawled || phase !== "crawling") return plural(Math.max(pagesCrawled, 0), "page");
  return `${count(pagesCrawled)} of about ${plural(pagesTotal, "page")}`;
}

const Running: FC<Props> = ({ view, beats }) => {
  const { audit, now } = view;
  const beat = <LastBeat view={view} />;
  if (audit.heartbeatSeq === 0) {
    return (
      <>
        Starting: the run was asked for <Ago at={audit.attemptStartedAt} now={now} /> and has promised its first
        heartbeat <Ago at={audit.heartbeatDueAt} now={now} />.
      </>
    );
  }
  const { doing } = PHASE_WORDS[audit.phase];
  switch (audit.phase) {
    case "discovering":
      return (
        <>
          {doing}: reading robots.txt and the sitemaps, {beat}.
        </>
      );
    case "crawling": {
      const rate = pagesPerSecond(beats, { at: audit.heartbeatAt, pagesCrawled: audit.pagesCrawled });
      return (
        <>
          {doing}: {pagesWords(audit)}
          {rate === null ? null : `, ${paceWords(rate)} a second`}, {beat}.
        </>
      );
    }
    case "checking_links":
      return (
        <>
          {doing}: asking whether what {plural(audit.pagesCrawled, "page")} point at is there, {beat}.
        </>
      );
    case "analyzing":
      return (
        <>
          {doing} {plural(audit.pagesCrawled, "page")} as one site, {beat}.
        </>
      );
    case "finishing":
      return (
        <>
          {doing}: putting the report together, {beat}.
        </>
      );
    default:
      return audit.phase satisfies never;
  }
};

const LastBeat: FC<{ view: AuditView }> = ({ view: { audit, now } }) => (
  <>
    last heartbeat <Ago at={audit.heartbeatAt} now={now} />
  </>
);

/** What the platform was last heard to say about this very heartbeat; null: it has not been asked. */
export function lastWord(view: AuditView): { said: string; at: number; kind: string; rule: string | null } | null {
  const { lastEvidence, lastVerdict, lastLookAt, seenSeq, heartbeatSeq } = view.audit;
  if (lastEvidence === null || lastVerdict === null || lastLookAt === null || seenSeq !== heartbeatSeq) return null;
  const evidence = JSON.parse(lastEvidence) as { said: string } | null;
  const verdict = JSON.parse(lastVerdict) as { kind: string; rule?: string };
  if (evidence === null) return null;
  return { said: saidWords(evidence.said), at: lastLookAt, kind: verdict.kind, rule: verdict.rule ?? null };
}

export function saidWords(said: string): string {
  if (said === "not_found") return "there is no such instance";
  if (said === "unreachable") return "nothing (it could not be asked)";
  return said;
}

const Overdue: FC<Props> = ({ view, config }) => {
  const { audit, now } = view;
  const word = lastWord(view);
  return (
    <>
      Overdue:{" "}
      {audit.heartbeatSeq === 0 ? (
        "no heartbeat has come yet"
      ) : (
        <>
          the last heartbeat was <Ago at={audit.heartbeatAt} now={now} />
        </>
      )}
      , the next was promised <Ago at={audit.heartbeatDueAt} now={now} />.{" "}
      {word === null ? (
        "The platform has not been asked yet."
      ) : (
        <>
          The platform was asked <Ago at={word.at} now={now} /> and says: {word.said}.
        </>
      )}{" "}
      <WhatNext view={view} config={config} rule={word?.rule ?? null} />
    </>
  );
};

/** When silence becomes death, by the row of the rule that applies. */
const WhatNext: FC<{ view: AuditView; config: Config; rule: string | null }> = ({ view: { audit }, config, rule }) => {
  const deadAt = (limit: number): Child => (
    <>
      It will be called dead at <Clock at={audit.heartbeatDueAt + limit} /> if it stays silent.
    </>
  );
  if (rule === "held") return <>Somebody holds it on purpose, so it is left alone. Cancel ends it.</>;
  if (rule === "queued") {
    return <>It waits for the platform, which is no fault of its own. {deadAt(config.START_FAILED_AFTER_MS)}</>;
  }
  if (rule === "not_found") return <>If the next look finds no instance either, it will be called dead.</>;
  if (rule === "never_found") return <>It is being started again.</>;
  return <>{deadAt(rule === "unknown" ? config.UNKNOWN_DEAD_AFTER_MS : config.STALE_RUNNING_AFTER_MS)}</>;
};

const Completed: FC<Props> = ({ view: { audit, summary, attempts } }) => {
  const began = attempts.at(-1)?.beganAt ?? audit.attemptStartedAt;
  const took = formatDuration((audit.endedAt ?? audit.heartbeatAt) - began);
  if (summary === null)
    return (
      <>
        Completed in {took}: {plural(audit.pagesCrawled, "page")}.
      </>
    );
  const { error, warning, notice } = summary.issues;
  const found = error + warning + notice;
  return (
    <>
      Completed in {took}: {plural(summary.pages, "page")}, {count(summary.indexable)} of them indexable;{" "}
      {found === 0
        ? "nothing was found wrong"
        : `${plural(found, "finding")}, ${error === 0 ? "no error" : plural(error, "error")} among them`}
      . The crawl kept{" "}
      {/^(within|no)\b/.test(summary.robots)
        ? plain(summary.robots).replace(/^no /, "to the site, which has no ")
        : plain(summary.robots)}
      .
      {summary.blocked > 0
        ? ` ${plural(summary.blocked, "page")} could not be judged: the site refused our crawler.`
        : ""}
    </>
  );
};

const Failed: FC<Props> = ({ view: { audit, attempts } }) => {
  const code = audit.errorCode ?? "unknown";
  const words = wordsOf(code);
  const attempt = attempts.at(-1);
  return (
    <>
      Failed while {lower(PHASE_WORDS[audit.failedPhase ?? audit.phase].doing)}, after{" "}
      {plural(audit.pagesCrawled, "page")}: {lower(words.title)}.
      {audit.endedAt === null ? null : (
        <>
          {" "}
          {audit.endedBy === null ? "It ended" : ENDED_BY_WORDS[audit.endedBy]} at <Clock at={audit.endedAt} />
          {attempt?.detectionMs == null ? null : `, ${formatDuration(attempt.detectionMs)} after the last heartbeat`}.
        </>
      )}
      {audit.pagesCrawled > 0
        ? ` The ${plural(audit.pagesCrawled, "page")} are kept. Resume goes on from here.`.replace(
            "1 page are",
            "one page is",
          )
        : ""}
    </>
  );
};

const Canceled: FC<Props> = ({ view: { audit } }) => (
  <>
    Canceled while {lower(PHASE_WORDS[audit.failedPhase ?? audit.phase].doing)}, after{" "}
    {plural(audit.pagesCrawled, "page")}
    {audit.endedAt === null ? null : (
      <>
        , <DateTime at={audit.endedAt} />
      </>
    )}
    . What was found is kept; resume goes on from here.
  </>
);
