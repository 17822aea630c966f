/** Reads what stands in an address: whatever cannot be understood counts as absent, so that a link never breaks a page. */
import type { AppContext } from "../context.ts";

/** A search, trimmed, at most 200 characters. */
export const readSearch = (c: AppContext): string => (c.req.query("q") ?? "").trim().slice(0, 200);

/** One of the given words; null: none of them. */
export function readChoice<T extends string>(c: AppContext, name: string, choices: readonly T[]): T | null {
  const text = c.req.query(name);
  return choices.find((choice) => choice === text) ?? null;
}

/** A whole number, also a negative one. */
export function readInteger(c: AppContext, name: string): number | null {
  const text = c.req.query(name);
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The parts of a cursor by its pattern; null: there is none, or it is not one that we gave. */
export function readCursor(c: AppContext, pattern: RegExp): RegExpExecArray | null {
  return pattern.exec(c.req.query("cursor") ?? "");
}
