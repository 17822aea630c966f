/** The real database, counting what it is asked and what that costs, as D1 reckons it. */
import { env } from "cloudflare:workers";

export interface Cost {
  queries: number;
  rowsRead: number;
  rowsWritten: number;
}

export function countingDatabase(): { database: D1Database; take: () => Cost } {
  const none = (): Cost => ({ queries: 0, rowsRead: 0, rowsWritten: 0 });
  let cost = none();
  const count = <T extends D1Result>(result: T): T => {
    cost.queries += 1;
    cost.rowsRead += result.meta.rows_read;
    cost.rowsWritten += result.meta.rows_written;
    return result;
  };
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement =>
    ({
      statement,
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      all: async () => count(await statement.all()),
      run: async () => count(await statement.run()),
      // `raw` tells no cost. Its columns have names of their own, so that rows and objects are the same.
      raw: async () => count(await statement.all()).results.map((row) => Object.values(row)),
      first: async () => count(await statement.all()).results[0] ?? null,
    }) as unknown as D1PreparedStatement;
  const database = {
    prepare: (query: string) => wrap(env.DB.prepare(query)),
    batch: async (statements: { statement: D1PreparedStatement }[]) => {
      const results = await env.DB.batch(statements.map(({ statement }) => statement));
      return results.map(count);
    },
  } as unknown as D1Database;
  return {
    database,
    take: () => {
      const taken = cost;
      cost = none();
      return taken;
    },
  };
}
