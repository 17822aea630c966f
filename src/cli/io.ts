/** What a command may touch of the process that it runs in; tests give their own. */

export interface Output {
  write: (text: string) => unknown;
  isTTY?: boolean;
  columns?: number;
}

export interface Io {
  /** For what was asked for. */
  out: Output;
  /** For progress and complaints. */
  err: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  signal: AbortSignal;
}

/** Whether to colour: only a terminal, and not against NO_COLOR (no-color.org) or a dumb terminal. */
export function hasColour(output: Output, env: Io["env"]): boolean {
  if ((env.NO_COLOR ?? "") !== "") return false;
  return output.isTTY === true && env.TERM !== "dumb";
}

/** Whether a line can be drawn over. */
export const canRedraw = (output: Output, env: Io["env"]): boolean => output.isTTY === true && env.TERM !== "dumb";

/** Columns to fill: the terminal's within reason, 80 where nothing is known. */
export const widthOf = (output: Output): number => Math.min(140, Math.max(60, output.columns ?? 80));
