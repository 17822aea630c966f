/**
 * What a migration may not do. A table that drizzle-kit rebuilds (`__new_`) empties its children under `wrangler d1
 * migrations apply`, even with foreign keys off; dropping and renaming breaks the Worker that still runs meanwhile.
 */
const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\bdrop\s+(table|index|view|trigger)\b/i, "drops something"],
  [/__new_/i, "rebuilds a table"],
  [/\balter\s+table\s+\S+\s+(drop|rename)\b/i, "drops or renames a column or table"],
  [/\b(delete\s+from|update\s+\S+\s+set|replace\s+into)\b/i, "changes rows"],
  [/\bpragma\b/i, "changes a setting of the database"],
];

/** Why a migration is not additive, a sentence each; empty: it only adds. Comments do not count. */
export function notAdditive(sql: string): string[] {
  const code = sql.replace(/--(?!> statement-breakpoint)[^\n]*/g, "").replace(/\/\*[\s\S]*?\*\//g, "");
  return FORBIDDEN.flatMap(([pattern, why]) => {
    const found = pattern.exec(code)?.[0];
    return found === undefined ? [] : [`it ${why}: "${found}"`];
  });
}
