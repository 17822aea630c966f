/** Shows how far an audit is: one line drawn over and over on a terminal, now and then a plain line elsewhere. */
import { canRedraw, widthOf, type Io } from "./io.ts";
import { progressLine, progressSentence, recent, type Sample } from "./progress.ts";
import { clip } from "./text.ts";

const REDRAW_MS = 200;
const PLAIN_LINE_EVERY_MS = 10_000;

export interface ProgressDisplay {
  /** A new answer of the server. */
  update: (audit: Sample["audit"]) => void;
  /** A line of its own, not drawn over. */
  say: (line: string) => void;
  /** What cannot be shown as progress at the moment; null: nothing. */
  trouble: (sentence: string | null) => void;
  end: () => void;
}

export function showProgress(io: Pick<Io, "err" | "env">): ProgressDisplay {
  return canRedraw(io.err, io.env) ? redrawn(io) : plain(io);
}

function redrawn({ err }: Pick<Io, "err">): ProgressDisplay {
  let samples: Sample[] = [];
  let trouble: string | null = null;
  const clear = (): void => void err.write("\r\u001b[K");
  const draw = (): void => {
    // The last column stays empty: some terminals wrap as soon as it is filled.
    const columns = widthOf(err) - 1;
    const line = trouble ?? progressLine(samples, performance.now(), columns);
    err.write(`\r${clip(line, columns)}\u001b[K`);
  };
  const timer = setInterval(draw, REDRAW_MS);
  timer.unref();
  return {
    update: (audit) => {
      samples = recent([...samples, { audit, at: performance.now() }], performance.now());
      draw();
    },
    say: (line) => {
      clear();
      err.write(`${line}\n`);
      draw();
    },
    trouble: (sentence) => {
      trouble = sentence;
    },
    end: () => {
      clearInterval(timer);
      clear();
    },
  };
}

function plain({ err }: Pick<Io, "err">): ProgressDisplay {
  let samples: Sample[] = [];
  let saidAt = -Infinity;
  let saidPhase = "";
  let saidTrouble: string | null = null;
  return {
    update: (audit) => {
      const now = performance.now();
      samples = recent([...samples, { audit, at: now }], now);
      if (audit.status !== "running") return;
      if (audit.phase === saidPhase && now - saidAt < PLAIN_LINE_EVERY_MS) return;
      saidAt = now;
      saidPhase = audit.phase;
      err.write(`${progressSentence(samples, now)}\n`);
    },
    say: (line) => void err.write(`${line}\n`),
    trouble: (sentence) => {
      if (sentence !== null && saidTrouble === null) err.write(`${sentence}\n`);
      saidTrouble = sentence;
    },
    end: () => {},
  };
}
