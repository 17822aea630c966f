/** Statuses and severities: a colour, a shape and a word each, so that none of them has to be told by colour alone. */
import type { Child, FC } from "hono/jsx";
import type { Severity } from "../../../storage/schema.ts";
import { SEVERITY_WORDS, STATUS_WORDS, type StatusKind, count } from "../words.ts";

const Icon: FC<{ children?: Child }> = ({ children }) => (
  <svg class="mark" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    {children}
  </svg>
);

const SHAPES: Readonly<Record<StatusKind, () => Child>> = {
  running: () => (
    <>
      <rect class="mark-track" x="1" y="6" width="14" height="4" rx="2" />
      <rect class="mark-bar" x="1" y="6" width="6" height="4" rx="2" />
    </>
  ),
  overdue: () => <circle class="mark-line" cx="8" cy="8" r="5.5" />,
  completed: () => <path class="mark-line" d="M3 8.5l3.4 3.4L13 4.6" />,
  failed: () => <path class="mark-line" d="M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4" />,
  canceled: () => <path class="mark-line" d="M3 8h10" />,
};

export const StatusMark: FC<{ kind: StatusKind; word?: string }> = ({ kind, word }) => (
  <span class={`status status-${kind}`}>
    <Icon>{SHAPES[kind]()}</Icon>
    {word ?? STATUS_WORDS[kind]}
  </span>
);

export const StatusIcon: FC<{ kind: StatusKind }> = ({ kind }) => (
  <span class={`status status-${kind}`}>
    <Icon>{SHAPES[kind]()}</Icon>
  </span>
);

const SEVERITY_SHAPES: Readonly<Record<Severity, () => Child>> = {
  error: () => <path class="mark-fill" d="M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2l-3.7-3.7V5.2z" />,
  warning: () => <path class="mark-fill" d="M8 1.8l6.8 12.4H1.2z" />,
  notice: () => <circle class="mark-fill" cx="8" cy="8" r="4.5" />,
};

/** The shape with its word. */
export const SeverityMark: FC<{ severity: Severity; children?: Child }> = ({ severity, children }) => (
  <span class={`severity severity-${severity}`}>
    <Icon>{SEVERITY_SHAPES[severity]()}</Icon>
    {children ?? SEVERITY_WORDS[severity].one}
  </span>
);

/** "3 errors", "1 warning", with its shape. */
export const SeverityCount: FC<{ severity: Severity; value: number }> = ({ severity, value }) => (
  <SeverityMark severity={severity}>
    <b class="num">{count(value)}</b> {SEVERITY_WORDS[severity][value === 1 ? "one" : "many"]}
  </SeverityMark>
);

/** The counts as three small numbers, for lists. Their words are for who cannot see the shapes. */
export const SeverityTrio: FC<{ error: number; warning: number; notice: number }> = (counts) => (
  <span class="trio">
    {(["error", "warning", "notice"] as const).map((severity) => (
      <span
        class={`severity severity-${severity}`}
        title={`${count(counts[severity])} ${SEVERITY_WORDS[severity].many}`}
      >
        <Icon>{SEVERITY_SHAPES[severity]()}</Icon>
        <span class="num">{count(counts[severity])}</span>
        <span class="sr"> {SEVERITY_WORDS[severity].many}</span>
      </span>
    ))}
  </span>
);

/** The first line of a page: is everything all right? */
export const Answer: FC<{ kind: StatusKind; children?: Child }> = ({ kind, children }) => (
  <p class={`answer answer-${kind}`}>
    <StatusIcon kind={kind} />
    <span>{children}</span>
  </p>
);
