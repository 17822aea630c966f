import { resolve } from "node:path";
import { readArguments, readChoice, readServerUrl, readSiteUrl, readWholeNumber, UsageError } from "../arguments.ts";
import type { Command } from "../command.ts";
import { runAudit } from "../run-audit.ts";

const MAX_PAGES = 10_000;

const HELP = `Audits a site and prints what to fix first.

  npm run audit -- URL [options]

  --max-pages N      pages to crawl at most, 1 to 10000 (500 unless said)
  --json FILE        write everything that was found as JSON
  --csv FILE         write the issues as CSV, one line each
  --fail-on LEVEL    error, warning or never (default): findings that make it exit with 1
  --server URL       use that Pulse Audit server, with the token in PULSE_AUDIT_TOKEN,
                     instead of a local runtime of its own
  --state DIR        where the local runtime keeps its state (.wrangler/audit)
  --verbose          show what the local runtime logs

Exit codes: 0 fine, 1 findings at or above --fail-on, 2 wrong use, 3 the audit failed,
130 interrupted.`;

const OPTIONS = {
  "max-pages": { type: "string" },
  json: { type: "string" },
  csv: { type: "string" },
  "fail-on": { type: "string" },
  server: { type: "string" },
  state: { type: "string" },
  verbose: { type: "boolean" },
} as const;

export const audit: Command = {
  name: "audit",
  summary: "audit a site; may be left out: npm run audit -- URL",
  help: HELP,
  run: async (args, io) => {
    const { values, positionals } = readArguments(args, OPTIONS, { names: ["URL"] });
    const [url = ""] = positionals;
    if (values.json !== undefined && values.json === values.csv) {
      throw new UsageError("--json and --csv name the same file.");
    }
    if (values.state !== undefined && values.server !== undefined) {
      throw new UsageError("--state is for a local runtime, --server for another one: choose.");
    }
    const maxPages = values["max-pages"];
    const server = values.server === undefined ? undefined : readServerUrl(values.server);
    if (server?.protocol === "http:" && io.env.PULSE_AUDIT_TOKEN && !isLoopback(server)) {
      io.err.write("Warning: the token travels unencrypted; use https for a server that is not on this machine.\n");
    }
    return runAudit(
      {
        url: readSiteUrl(url),
        maxPages: maxPages === undefined ? undefined : readWholeNumber("--max-pages", maxPages, 1, MAX_PAGES),
        json: values.json,
        csv: values.csv,
        failOn: readChoice("--fail-on", values["fail-on"] ?? "never", ["error", "warning", "never"]),
        server,
        stateDir: values.state === undefined ? undefined : resolve(values.state),
        verbose: values.verbose ?? false,
      },
      io,
    );
  },
};

const isLoopback = (url: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
