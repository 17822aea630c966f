import type { SQL } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import * as schema from "./schema.ts";

export type Database = DrizzleD1Database<typeof schema> & { $client: D1Database };
export type Statement = ReturnType<Database["run"]>;

/** What statements cost, as D1 counts it; for the benchmark. */
export interface DatabaseCost {
  batches: number;
  queries: number;
  rowsRead: number;
  rowsWritten: number;
}

export function openDatabase(binding: D1Database): Database {
  return drizzle(binding, { schema });
}

const dialect = new SQLiteAsyncDialect();

/**
 * Runs statements as one transaction: D1's batch is the only one there is. Results come in order. It goes to D1 itself,
 * because drizzle's batch takes no raw statements with parameters.
 */
export async function runBatch(db: Database, statements: SQL[], cost?: DatabaseCost): Promise<D1Result[]> {
  if (statements.length === 0) return [];
  const results = await db.$client.batch(
    statements.map((statement) => {
      const { sql, params } = dialect.sqlToQuery(statement);
      return db.$client.prepare(sql).bind(...params);
    }),
  );
  if (cost !== undefined) {
    cost.batches += 1;
    for (const { meta } of results) {
      cost.queries += 1;
      cost.rowsRead += meta.rows_read ?? 0;
      cost.rowsWritten += meta.rows_written ?? 0;
    }
  }
  return results;
}

/** How many rows the nth statement of a batch changed. */
export const changes = (results: readonly D1Result[], index = 0): number => results[index]?.meta.changes ?? 0;

/**
 * Splits rows into JSON texts that fit into one bound parameter each (D1 takes 2 MB), so that many rows go in by one
 * `insert ... select ... from json_each(?)`: a query takes 100 parameters only.
 */
export function jsonChunks(rows: readonly unknown[], maxChars = 500_000): string[] {
  const chunks: string[] = [];
  let texts: string[] = [];
  let size = 0;
  for (const row of rows) {
    const text = JSON.stringify(row);
    if (size + text.length > maxChars && texts.length > 0) {
      chunks.push(`[${texts.join(",")}]`);
      texts = [];
      size = 0;
    }
    texts.push(text);
    size += text.length + 1;
  }
  if (texts.length > 0) chunks.push(`[${texts.join(",")}]`);
  return chunks;
}
