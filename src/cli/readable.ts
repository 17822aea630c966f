/** Any JSON answer as a small text: names and values in two columns, lists of like things as a table. Pure. */
import { formatDuration } from "../words.ts";
import { clip, count, safe, widthOfText } from "./text.ts";

const NESTING = 4;

/** "pagesCrawled" → "pages crawled", "detectionMs" → "detection": the value names its unit. */
const words = (name: string): string =>
  safe(name)
    .replace(/Ms$/, "")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isFlat = (value: unknown): boolean => typeof value !== "object" || value === null;
const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** Times and lengths of time are known by their names: `endedAt`, `now`, `detectionMs`. */
function scalar(name: string, value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") {
    if (/(At|Since|Until)$|^(at|now)$/.test(name) && value > 1e11)
      return new Date(value).toISOString().slice(0, 19) + "Z";
    if (name.endsWith("Ms")) return formatDuration(value);
    return count(value);
  }
  return safe(typeof value === "string" ? value : JSON.stringify(value));
}

function table(rows: Record<string, unknown>[], columns: number): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => !isEmpty(row[name]) && !isObject(row[name]) && !Array.isArray(row[name])),
  );
  const cells = [names.map(words), ...rows.map((row) => names.map((name) => scalar(name, row[name])))];
  const widths = names.map((_, at) => Math.max(...cells.map((line) => widthOfText(line[at] ?? ""))));
  return cells.map((line) => {
    const padded = line.map((cell, at) => cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOfText(cell))));
    return clip(padded.join("  ").trimEnd(), columns);
  });
}

/** Lines for a terminal of that many columns. Fields that hold nothing are left out. */
export function readable(value: unknown, columns: number, depth = 0): string[] {
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every(isObject)) return table(value, columns);
    return value.map((item) => scalar("", item));
  }
  if (!isObject(value)) return [scalar("", value)];
  const entries = Object.entries(value).filter(([, field]) => !isEmpty(field));
  const width = Math.max(0, ...entries.filter(([, field]) => isFlat(field)).map(([name]) => words(name).length));
  return entries.flatMap(([name, field]) => {
    if (isFlat(field)) return [`${words(name).padEnd(width)}  ${scalar(name, field)}`];
    if (depth >= NESTING) return [`${words(name)}  ${safe(JSON.stringify(field)).slice(0, 2_000)}`];
    const inner = readable(field, columns - 2, depth + 1);
    return [words(name), ...inner.map((line) => `  ${line}`)];
  });
}
