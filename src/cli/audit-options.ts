/**
 * The options of `npm run audit -- URL`, once: what is read, what --help says and what is sent to the server come from
 * this table.
 */
import { readFileSync } from "node:fs";
import { startAuditRequest, type StartAuditRequest } from "../http/api/start-request.ts";
import { UsageError } from "./arguments.ts";
import { codeOf } from "./errors.ts";
import type { Io } from "./io.ts";

interface Row {
  type: "string" | "boolean";
  multiple?: true;
  group: keyof typeof GROUPS;
  /** What stands behind its name in --help. */
  takes?: string;
  help: string;
  /** The field of the start request that it fills. */
  field?: keyof StartAuditRequest;
  /** The export of the server that it writes to a file. */
  exports?: string;
}

const GROUPS = {
  scope: "What is audited",
  asking: "How the site is asked",
  report: "What is reported",
  where: "Where it runs",
} as const;

export const AUDIT_OPTIONS = {
  "max-pages": {
    type: "string",
    group: "scope",
    takes: "N",
    help: "pages to crawl at most, 1 to 10000 (500 unless said)",
    field: "maxPages",
  },
  "max-depth": {
    type: "string",
    group: "scope",
    takes: "N",
    help: "clicks from the start page at most",
    field: "maxDepth",
  },
  include: {
    type: "string",
    multiple: true,
    group: "scope",
    takes: "PATTERN",
    help: "only pages whose path starts like this; * stands for anything; repeatable",
    field: "include",
  },
  exclude: {
    type: "string",
    multiple: true,
    group: "scope",
    takes: "PATTERN",
    help: "no page whose path starts like this; repeatable",
    field: "exclude",
  },
  subdomains: { type: "boolean", group: "scope", help: "hosts below the site's own belong to it", field: "subdomains" },
  list: {
    type: "string",
    group: "scope",
    takes: "FILE",
    help: "only the addresses in this file, one a line; no link is followed",
    field: "list",
  },
  "sitemap-only": {
    type: "boolean",
    group: "scope",
    help: "only what the sitemaps list; no link is followed",
    field: "sitemapOnly",
  },
  "ignore-param": {
    type: "string",
    multiple: true,
    group: "scope",
    takes: "NAME",
    help: "a query parameter that does not tell pages apart; repeatable",
    field: "ignoreParameters",
  },
  "user-agent": {
    type: "string",
    group: "asking",
    takes: "TEXT",
    help: "instead of the product's own",
    field: "userAgent",
  },
  delay: {
    type: "string",
    group: "asking",
    takes: "MS",
    help: "milliseconds between the starts of two requests",
    field: "requestDelayMs",
  },
  header: {
    type: "string",
    multiple: true,
    group: "asking",
    takes: '"NAME: VALUE"',
    help: "sent to the site only, kept encrypted, never shown; repeatable. Others on this machine can see what stands on a command line",
    field: "headers",
  },
  "basic-auth": {
    type: "boolean",
    group: "asking",
    help: "sends USER:PASSWORD from the environment variable PULSE_AUDIT_BASIC_AUTH, where no process list shows it",
    field: "basicAuth",
  },
  json: { type: "string", group: "report", takes: "FILE", help: "write everything that was found as JSON" },
  csv: { type: "string", group: "report", takes: "FILE", help: "write the issues as CSV, one line each" },
  "pages-csv": { type: "string", group: "report", takes: "FILE", help: "write the pages as CSV", exports: "pages.csv" },
  "links-csv": {
    type: "string",
    group: "report",
    takes: "FILE",
    help: "write every link as CSV",
    exports: "links.csv",
  },
  sarif: {
    type: "string",
    group: "report",
    takes: "FILE",
    help: "write the issues as SARIF, for code hosts",
    exports: "issues.sarif",
  },
  sitemap: {
    type: "string",
    group: "report",
    takes: "FILE",
    help: "write an XML sitemap of the indexable pages",
    exports: "sitemap.xml",
  },
  html: {
    type: "string",
    group: "report",
    takes: "FILE",
    help: "write a report in one HTML file that can be mailed",
    exports: "report.html",
  },
  compare: {
    type: "boolean",
    group: "report",
    help: "list what is new, fixed and gone since the previous audit of the site",
  },
  "fail-on": {
    type: "string",
    group: "report",
    takes: "LEVEL",
    help: "error, warning or never (default): findings that make it exit with 1",
  },
  server: {
    type: "string",
    group: "where",
    takes: "URL",
    help: "use that Pulse Audit server, with the token in PULSE_AUDIT_TOKEN, instead of a local runtime of its own",
  },
  state: {
    type: "string",
    group: "where",
    takes: "DIR",
    help: "where the local runtime keeps its state (.wrangler/audit)",
  },
  verbose: { type: "boolean", group: "where", help: "show what the local runtime logs" },
} as const satisfies Record<string, Row>;

export type AuditOption = keyof typeof AUDIT_OPTIONS;
type Value<T extends Row> = T extends { multiple: true } ? string[] : T["type"] extends "boolean" ? boolean : string;
export type AuditValues = { [Name in AuditOption]?: Value<(typeof AUDIT_OPTIONS)[Name]> | undefined };

const rows = Object.entries(AUDIT_OPTIONS) as [AuditOption, Row][];

/** Options that name a file to write. */
export const FILE_OPTIONS = rows.flatMap(([name, row]) =>
  row.takes === "FILE" && row.group === "report" ? [{ name, exports: row.exports ?? null }] : [],
);

const NAMES_WIDTH = 26;
const TEXT_WIDTH = 66;

function wrapped(text: string): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line.length + word.length + 1 > TEXT_WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}

/** The lines of --help. */
export function optionsHelp(): string {
  return (Object.entries(GROUPS) as [Row["group"], string][])
    .map(([group, title]) => {
      const lines = rows.flatMap(([name, row]) => {
        if (row.group !== group) return [];
        const head = `  --${name}${row.takes === undefined ? "" : ` ${row.takes}`}`;
        const [first = "", ...rest] = wrapped(row.help);
        return [`${head.padEnd(NAMES_WIDTH)} ${first}`, ...rest.map((line) => `${" ".repeat(NAMES_WIDTH)} ${line}`)];
      });
      return `${title}\n${lines.join("\n")}`;
    })
    .join("\n\n");
}

/** A number stays what was typed where it is none, so that the schema's refusal names it. */
const numberOf = (text: string): number | string => (/^\d{1,9}$/.test(text) ? Number(text) : text);

function readList(name: string): string[] {
  try {
    const lines = readFileSync(name, "utf8")
      .split(/\r?\n/)
      .map((line) => line.trim());
    const addresses = lines.filter((line) => line !== "" && !line.startsWith("#"));
    if (addresses.length === 0) throw new UsageError(`--list ${name}: there is no address in it.`);
    return addresses;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--list ${name}: cannot be read (${codeOf(error)}).`);
  }
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(":");
      // What stands behind the name may be secret: it is not repeated.
      if (at < 1) throw new UsageError('--header takes "NAME: VALUE".');
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

function readBasicAuth(env: Io["env"]): { username: string; password: string } {
  const text = env.PULSE_AUDIT_BASIC_AUTH ?? "";
  const at = text.indexOf(":");
  if (at < 1)
    throw new UsageError("--basic-auth needs USER:PASSWORD in the environment variable PULSE_AUDIT_BASIC_AUTH.");
  return { username: text.slice(0, at), password: text.slice(at + 1) };
}

function fieldsOf(values: AuditValues, env: Io["env"]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, { field, type, multiple }] of rows) {
    const value = values[name];
    if (field === undefined || value === undefined) continue;
    if (name === "list") fields[field] = readList(String(value));
    else if (name === "header") fields[field] = readHeaders(value as string[]);
    else if (name === "basic-auth") fields[field] = readBasicAuth(env);
    else fields[field] = type === "boolean" || multiple || name === "user-agent" ? value : numberOf(String(value));
  }
  return fields;
}

/** The request that the options ask for, checked as the server will. Throws UsageError that names the option. */
export function startBodyOf(url: URL, values: AuditValues, env: Io["env"]): StartAuditRequest {
  const body = { url: url.href, ...fieldsOf(values, env) };
  const parsed = startAuditRequest.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = rows.find(([, { field }]) => field !== undefined && field === issue?.path[0])?.[0];
  const message = issue?.message ?? "is not valid";
  throw new UsageError(name === undefined ? `${message}.` : `--${name}: ${message}.`);
}
