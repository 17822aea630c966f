/** What the commands that talk to a running server have in common. */
import type { ParseArgsOptionsConfig } from "node:util";
import { auditResponse } from "../http/api/schemas.ts";
import { createApi, ServerUnreachable, type Api } from "./api-client.ts";
import { readArguments, readServerUrl } from "./arguments.ts";
import { auditBrief } from "./brief.ts";
import { DEFAULT_SERVER, EXIT, type Command } from "./command.ts";
import { widthOf, type Io } from "./io.ts";
import { readable } from "./readable.ts";

const SERVER_OPTION = { server: { type: "string" } } as const;

const SERVER_HELP = `  --server URL   the server, ${DEFAULT_SERVER} unless said (npm start serves it there),
                 with the token in PULSE_AUDIT_TOKEN if it needs one`;

interface Input<Options extends ParseArgsOptionsConfig> {
  values: ReturnType<typeof readArguments<Options & typeof SERVER_OPTION>>["values"];
  positionals: string[];
  api: Api;
  io: Io;
}

interface RemoteCommand<Options extends ParseArgsOptionsConfig> {
  name: string;
  /** Positional arguments, all required: ["AUDIT_ID"]. */
  takes: readonly string[];
  summary: string;
  explanation: string;
  options: Options;
  /** One line for each option. */
  optionsHelp?: string;
  run: (input: Input<Options>) => Promise<number>;
}

/** Nobody answers at the default address: the likely reason is that nothing was started. */
function orStartOne(error: unknown, isDefault: boolean): unknown {
  if (!isDefault || !(error instanceof ServerUnreachable)) return error;
  return new ServerUnreachable(`${error.message}\nStart one with npm start, or name another with --server URL.`);
}

export function remoteCommand<const Options extends ParseArgsOptionsConfig>(command: RemoteCommand<Options>): Command {
  const usage = [command.name, ...command.takes].join(" ");
  const help = [
    command.explanation,
    "",
    `  npm run audit -- ${usage} [options]`,
    "",
    ...(command.optionsHelp ? [command.optionsHelp] : []),
    SERVER_HELP,
    "",
    "Exit codes: 0 fine, 2 wrong use, 3 the server could not do it.",
  ].join("\n");
  return {
    name: command.name,
    summary: command.summary,
    help,
    run: async (args, io) => {
      const { values, positionals } = readArguments(
        args,
        { ...command.options, ...SERVER_OPTION },
        { names: command.takes },
      );
      const given = (values as { server?: string }).server;
      const server = readServerUrl(given ?? DEFAULT_SERVER);
      const api = createApi({ server, token: io.env.PULSE_AUDIT_TOKEN, signal: io.signal });
      try {
        return await command.run({ values, positionals, api, io });
      } catch (error) {
        throw orStartOne(error, given === undefined);
      }
    },
  };
}

/** The route below /api/v1/ of one audit. */
export const auditPath = (id: string, action?: string): string =>
  `audits/${encodeURIComponent(id)}${action === undefined ? "" : `/${action}`}`;

/** Prints lines and says that all is fine. */
export function print(io: Io, lines: readonly string[]): number {
  io.out.write(`${lines.join("\n")}\n`);
  return EXIT.fine;
}

/** The answer of a route that gives an audit; anything else is shown as it is. */
export function printAudit(io: Io, answer: unknown): number {
  const audit = auditResponse.safeParse(answer);
  return print(io, audit.success ? auditBrief(audit.data) : readable(answer, widthOf(io.out)));
}
