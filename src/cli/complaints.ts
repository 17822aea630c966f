/** What went wrong, said to a person, with the exit code that it means to a script. */
import { ApiError, ServerUnreachable } from "./api-client.ts";
import { UsageError } from "./arguments.ts";
import { EXIT } from "./command.ts";
import { Interrupted } from "./interrupt.ts";
import type { Io } from "./io.ts";
import { RuntimeStartError } from "./local-runtime.ts";
import { safe } from "./text.ts";

interface Complaint {
  lines: string[];
  exitCode: number;
}

const HELP = "Everything it takes: --help";

function ofApi(error: ApiError, env: Io["env"]): Complaint {
  if (error.status === 401) {
    const how =
      (env.PULSE_AUDIT_TOKEN ?? "") === "" ? "needs a token" : "does not accept the token in PULSE_AUDIT_TOKEN";
    return {
      lines: [
        `The server ${how}: ${error.message}`,
        "Give one with write access in the environment variable PULSE_AUDIT_TOKEN.",
        error.hint,
      ],
      exitCode: EXIT.usage,
    };
  }
  const ours = error.status >= 400 && error.status < 500 && error.status !== 409 && error.status !== 429;
  return {
    lines: [error.message, ...(error.hint ? [error.hint] : []), `(${error.code})`],
    exitCode: ours ? EXIT.usage : EXIT.failed,
  };
}

export function complaintOf(error: unknown, env: Io["env"]): Complaint {
  if (error instanceof UsageError) return { lines: [error.message, HELP], exitCode: EXIT.usage };
  if (error instanceof Interrupted) return { lines: [], exitCode: error.exitCode };
  if (error instanceof ApiError) return ofApi(error, env);
  if (error instanceof ServerUnreachable) return { lines: error.message.split("\n").map(safe), exitCode: EXIT.failed };
  if (error instanceof RuntimeStartError) {
    return { lines: error.message.split("\n"), exitCode: error.reason === "start" ? EXIT.failed : EXIT.usage };
  }
  return { lines: [error instanceof Error ? (error.stack ?? error.message) : String(error)], exitCode: EXIT.failed };
}
