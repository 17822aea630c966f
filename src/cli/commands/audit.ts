import { resolve } from "node:path";
import { readArguments, readChoice, readServerUrl, readSiteUrl, UsageError } from "../arguments.ts";
import { AUDIT_OPTIONS, type AuditValues, FILE_OPTIONS, optionsHelp, startBodyOf } from "../audit-options.ts";
import type { Command } from "../command.ts";
import type { FileRequest } from "../report-files.ts";
import { runAudit } from "../run-audit.ts";

const HELP = `Audits a site and prints what to fix first.

  npm run audit -- URL [options]

${optionsHelp()}

Exit codes: 0 fine, 1 findings at or above --fail-on, 2 wrong use, 3 the audit failed,
130 interrupted.`;

export const audit: Command = {
  name: "audit",
  summary: "audit a site; may be left out: npm run audit -- URL",
  help: HELP,
  run: async (args, io) => {
    refusePasswords(args);
    const { values, positionals } = readArguments(args, AUDIT_OPTIONS, { names: ["URL"] });
    const url = readSiteUrl(positionals[0] ?? "");
    if (values.state !== undefined && values.server !== undefined) {
      throw new UsageError("--state is for a local runtime, --server for another one: choose.");
    }
    const server = values.server === undefined ? undefined : readServerUrl(values.server);
    if (server?.protocol === "http:" && io.env.PULSE_AUDIT_TOKEN && !isLoopback(server)) {
      io.err.write("Warning: the token travels unencrypted; use https for a server that is not on this machine.\n");
    }
    return runAudit(
      {
        url,
        body: startBodyOf(url, values, io.env),
        files: filesOf(values),
        compare: values.compare ?? false,
        failOn: readChoice("--fail-on", values["fail-on"] ?? "never", ["error", "warning", "never"]),
        server,
        stateDir: values.state === undefined ? undefined : resolve(values.state),
        verbose: values.verbose ?? false,
      },
      io,
    );
  },
};

function filesOf(values: AuditValues): FileRequest[] {
  const files = FILE_OPTIONS.flatMap(({ name, exports }) => {
    const file = values[name];
    return typeof file === "string" ? [{ option: `--${name}`, name: file, exports }] : [];
  });
  for (const [at, { option, name }] of files.entries()) {
    const other = files.slice(0, at).find((one) => resolve(one.name) === resolve(name));
    if (other !== undefined) throw new UsageError(`${other.option} and ${option} name the same file.`);
  }
  return files;
}

/** A password behind --basic-auth would be repeated by the complaint about one argument too many. */
function refusePasswords(args: readonly string[]): void {
  const next = args[args.indexOf("--basic-auth") + 1] ?? "";
  const isGiven = args.includes("--basic-auth") && /^[^-][^:]*:/.test(next) && !/^https?:\/\//i.test(next);
  if (isGiven || args.some((arg) => arg.startsWith("--basic-auth="))) {
    throw new UsageError(
      "--basic-auth takes no value: put USER:PASSWORD into the environment variable PULSE_AUDIT_BASIC_AUTH.",
    );
  }
}

const isLoopback = (url: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
