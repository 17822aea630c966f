/** Binds a command to the process it runs in. */
import type { Io } from "./io.ts";
import { interruptOf } from "./interrupt.ts";

/** Runs it to its end and exits with its code. Output that is not taken any more (a closed pipe) is no error. */
export async function runAsCommand(command: (io: Io) => Promise<number>): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
  const io: Io = { out: process.stdout, err: process.stderr, env: process.env, signal: interruptOf(process) };
  process.exitCode = await command(io);
}
