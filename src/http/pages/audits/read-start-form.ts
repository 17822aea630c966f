/** From the fields of the start form to what the API's door takes. */
import type { z } from "zod";
import type { startAuditRequest } from "../../api/start-request.ts";

/** What somebody typed, as it was typed; shown again when it could not be taken. Secrets are never shown again. */
export type StartFields = Readonly<Record<(typeof FIELDS)[number], string>>;

/** What stands behind "All options", but for the password, which is never shown again. */
export const OPTION_FIELDS = [
  "include",
  "exclude",
  "subdomains",
  "maxDepth",
  "list",
  "sitemapOnly",
  "ignoreParameters",
  "userAgent",
  "requestDelayMs",
  "headers",
  "username",
] as const;

const FIELDS = ["url", "maxPages", ...OPTION_FIELDS, "password", "once"] as const;

export function readFields(form: Readonly<Record<string, unknown>>): StartFields {
  const entries = FIELDS.map((name) => {
    const value = form[name];
    return [name, typeof value === "string" ? value.trim() : ""];
  });
  return Object.fromEntries(entries) as StartFields;
}

export const NO_FIELDS: StartFields = readFields({});

const lines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");

const numberOf = (text: string): number | undefined => (text === "" ? undefined : Number(text));
const listOf = (text: string): string[] | undefined => (text === "" ? undefined : lines(text));

/** "Name: value" a line. A line without a colon becomes a name that the schema refuses. */
function headersOf(text: string): Record<string, string> | undefined {
  if (text === "") return undefined;
  return Object.fromEntries(
    lines(text).map((line) => {
      const at = line.indexOf(":");
      return at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

/** Absent fields are left out, so that the server's defaults hold. Not checked yet: the schema does that. */
export function startRequestOf(fields: StartFields): z.input<typeof startAuditRequest> {
  const request = {
    url: fields.url,
    maxPages: numberOf(fields.maxPages),
    include: listOf(fields.include),
    exclude: listOf(fields.exclude),
    subdomains: fields.subdomains === "" ? undefined : true,
    maxDepth: numberOf(fields.maxDepth),
    list: listOf(fields.list),
    sitemapOnly: fields.sitemapOnly === "" ? undefined : true,
    ignoreParameters:
      fields.ignoreParameters === "" ? undefined : fields.ignoreParameters.split(/[\s,]+/).filter(Boolean),
    userAgent: fields.userAgent === "" ? undefined : fields.userAgent,
    requestDelayMs: numberOf(fields.requestDelayMs),
    headers: headersOf(fields.headers),
    basicAuth:
      fields.username === "" && fields.password === ""
        ? undefined
        : { username: fields.username, password: fields.password },
  };
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as z.input<
    typeof startAuditRequest
  >;
}

const LABELS: Readonly<Record<string, string>> = {
  url: "Address of the site",
  maxPages: "Pages at most",
  include: "Only pages like",
  exclude: "No pages like",
  maxDepth: "Clicks at most",
  list: "Only these addresses",
  ignoreParameters: "Parameters to ignore",
  userAgent: "User-Agent",
  requestDelayMs: "Pause between requests",
  headers: "Headers",
  basicAuth: "User name and password",
};

/** Null: the request is sound. Else one sentence about the first field that is not. */
export function faultOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "The form could not be read.";
  const field = String(issue.path[0] ?? "");
  if (field === "url" && issue.code === "too_small") return "Give the address of the site.";
  const message = issue.message.replace(/^Invalid input: /, "");
  return field === "" ? `Of these, choose one: ${message}.` : `${LABELS[field] ?? field}: ${message}.`;
}
