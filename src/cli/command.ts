/** What a sub-command is. Each lies in a file of its own under commands/ and is listed in commands/index.ts. */
import type { Io } from "./io.ts";

export interface Command {
  name: string;
  /** One line for the list in --help. */
  summary: string;
  /** All of its own --help. */
  help: string;
  /** Resolves to the exit code. Throws UsageError, ApiError, ServerUnreachable, RuntimeStartError, Interrupted. */
  run: (args: readonly string[], io: Io) => Promise<number>;
}

/** Exit codes, as --help lists them. */
export const EXIT = { fine: 0, findings: 1, usage: 2, failed: 3 } as const;

export const DEFAULT_SERVER = "http://localhost:8787";
