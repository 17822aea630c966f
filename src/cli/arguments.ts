/** Reading the command line. Whatever is wrong with it becomes a UsageError: exit 2, with a hint. */
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { codeOf } from "./errors.ts";

export class UsageError extends Error {
  override name = "UsageError";
}

interface Positionals {
  /** How each is called in messages, in order; all are required. */
  names: readonly string[];
}

/** npm keeps options for itself unless "--" stands before them, and hands on their values only. */
const NPM_HINT = "Options go behind two dashes: npm run audit -- URL --max-pages 50";

/** parseArgs from Node, strict, with its errors in our words and the number of positional arguments checked. */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  { names }: Positionals,
) {
  const parsed = parseStrictly(args, options);
  const missing = names[parsed.positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  const extra = parsed.positionals[names.length];
  if (extra !== undefined) throw new UsageError(`"${extra}" is one argument too many. ${NPM_HINT}`);
  return parsed;
}

function parseStrictly<const Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const code = codeOf(error);
    const message = error instanceof Error ? error.message : "";
    if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
      const name = /'(-[^']*)'/.exec(message)?.[1] ?? "An option";
      const known = Object.keys(options).map((option) => `--${option}`);
      throw new UsageError(`${name} is not known here. Known: ${known.join(", ")}.`);
    }
    if (code.startsWith("ERR_PARSE_ARGS")) throw new UsageError(message);
    throw error;
  }
}

/** A whole number between two limits, both included. */
export function readWholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= min && value <= max)) {
    throw new UsageError(`${name} takes a whole number from ${min} to ${max}, not "${text}".`);
  }
  return value;
}

export function readChoice<const Choice extends string>(
  name: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw new UsageError(`${name} takes ${choices.join(", ")}, not "${text}".`);
  return choice;
}

function readUrl(what: string, text: string, example: string): URL {
  const url = URL.parse(text);
  // "example.com:8080" parses as a scheme; "example.com" does not parse at all. Both mean the same.
  const bare = /^[\w.-]+\.[a-z]{2,}(:\d+)?(\/\S*)?$|^localhost(:\d+)?(\/\S*)?$/i.test(text);
  if (bare)
    throw new UsageError(
      `"${text}" lacks its scheme. Did you mean ${/^localhost/i.test(text) ? "http" : "https"}://${text} ?`,
    );
  if (url === null) throw new UsageError(`"${text}" is not ${what}. Example: ${example}`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new UsageError(`"${text}" has the scheme ${url.protocol} Only http and https work. Example: ${example}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("An address with a user name or password in it is refused: it would be shown in the report.");
  }
  return url;
}

export function readSiteUrl(text: string): URL {
  if (text.length > 2048) throw new UsageError(`The address has ${text.length} characters; the limit is 2048.`);
  return readUrl("the address of a site", text, "https://example.com");
}

export function readServerUrl(text: string): URL {
  return readUrl("the address of a server", text, "http://localhost:8787");
}
