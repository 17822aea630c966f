/** Ctrl-C and its kin: the first asks to stop, the second insists. */

/** npm hands a Ctrl-C on to a command that the terminal has told already; within this time they are the same one. */
const SAME_PRESS_MS = 700;

const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;

/** The reason of the abort: tells with which code to exit. */
export class Interrupted extends Error {
  override name = "Interrupted";
  readonly exitCode: number;
  constructor(exitCode: number) {
    super("interrupted");
    this.exitCode = exitCode;
  }
}

/** How often the parent is looked for. Milliseconds. */
const ORPHAN_CHECK_MS = 500;

/**
 * npm runs its scripts through a shell, and a SIGTERM to npm ends the shell without reaching us. Losing the parent
 * that npm gave us is therefore the same as being told to stop.
 */
function whenOrphaned(process_: NodeJS.Process, stop: () => void): void {
  if (process_.env.npm_lifecycle_event === undefined) return;
  const parent = process_.ppid;
  const timer = setInterval(() => {
    if (process_.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, ORPHAN_CHECK_MS);
  timer.unref();
}

/** The signal that the first of SIGINT, SIGTERM and SIGHUP aborts. A later one ends the process at once. */
export function interruptOf(process_: NodeJS.Process): AbortSignal {
  const controller = new AbortController();
  let first: number | null = null;
  for (const [name, exitCode] of SIGNALS) {
    process_.on(name, () => {
      const now = performance.now();
      if (first === null) {
        first = now;
        controller.abort(new Interrupted(exitCode));
      } else if (now - first > SAME_PRESS_MS) {
        // The launcher's exit handler ends the runtime with us.
        process_.exit(exitCode);
      }
    });
  }
  whenOrphaned(process_, () => {
    first ??= performance.now();
    controller.abort(new Interrupted(143));
  });
  return controller.signal;
}
