import { type SQL, sql } from "drizzle-orm";
import { jsonChunks } from "./database.ts";

type Cell = string | number | null;

/**
 * `insert or <conflict> into table (columns) select ... from json_each(?) where <holds>`, in as many statements as D1's
 * parameter size asks for. `rows` are arrays in the order of `columns`; table and column names come from code only.
 */
export function insertRows(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  holds: SQL,
  conflict: "ignore" | "replace" = "replace",
): SQL[] {
  const names = columns.join(", ");
  const values = columns.map((_, index) => `json_extract(value, '$[${index}]')`).join(", ");
  return jsonChunks(rows).map(
    (chunk) => sql`
      insert or ${sql.raw(conflict)} into ${sql.raw(`${table} (${names}) select ${values}`)}
      from json_each(${chunk}) where ${holds}`,
  );
}
