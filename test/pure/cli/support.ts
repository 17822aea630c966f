/** Runs a command as a terminal or a script would see it. */
import { runCli } from "../../../src/cli/cli.ts";
import type { Io } from "../../../src/cli/io.ts";

export interface Seen {
  exitCode: number;
  out: string;
  err: string;
}

export interface Setting {
  env?: Record<string, string>;
  signal?: AbortSignal;
  /** A terminal of 80 columns instead of a pipe. */
  terminal?: boolean;
}

export async function audit(args: string[], { env = {}, signal, terminal = false }: Setting = {}): Promise<Seen> {
  const seen: Seen = { exitCode: -1, out: "", err: "" };
  const io: Io = {
    out: { write: (text) => (seen.out += text), isTTY: terminal, columns: 80 },
    err: { write: (text) => (seen.err += text), isTTY: terminal, columns: 80 },
    env,
    signal: signal ?? new AbortController().signal,
  };
  seen.exitCode = await runCli(args, io);
  return seen;
}
