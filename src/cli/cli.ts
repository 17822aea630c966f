/** From arguments to exit code: finds the command, runs it, says what went wrong. */
import { COMMANDS } from "./commands/index.ts";
import type { Command } from "./command.ts";
import { complaintOf } from "./complaints.ts";
import { hasColour, type Io } from "./io.ts";
import { painter } from "./text.ts";
import { audit } from "./commands/audit.ts";

const overview = (): string => {
  const width = Math.max(...COMMANDS.map((command) => command.name.length));
  const list = COMMANDS.map((command) => `  ${command.name.padEnd(width)}   ${command.summary}`);
  return `${audit.help}\n\nCommands (each has its own --help; all but audit talk to a running server):\n${list.join("\n")}`;
};

/** Whatever is no name of a command is the address of a site. */
function commandFor(args: readonly string[]): { command: Command; rest: readonly string[] } {
  const named = COMMANDS.find((command) => command.name === args[0]);
  return named ? { command: named, rest: args.slice(1) } : { command: audit, rest: args };
}

const wantsHelp = (args: readonly string[]): boolean => args.includes("--help") || args.includes("-h");

export async function runCli(args: readonly string[], io: Io): Promise<number> {
  const { command, rest } = commandFor(args);
  if (wantsHelp(args)) {
    io.out.write(`${command === audit ? overview() : command.help}\n`);
    return 0;
  }
  return guarded(io, () => command.run(rest, io));
}

/** Runs it, and turns what it throws into words on the error output and an exit code. */
export async function guarded(io: Io, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const { lines, exitCode } = complaintOf(io.signal.aborted ? io.signal.reason : error, io.env);
    const paint = painter(hasColour(io.err, io.env));
    const [first, ...more] = lines.filter((line) => line !== "");
    if (first !== undefined) io.err.write(`${[paint("red", first), ...more].join("\n")}\n`);
    return exitCode;
  }
}
