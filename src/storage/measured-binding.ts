/**
 * A D1 binding that adds up what its statements cost, as D1 counts it. For the benchmark only: reads whose driver call
 * does not tell their cost are asked twice.
 */
import type { DatabaseCost } from "./database.ts";

export function measuredBinding(db: D1Database, cost: DatabaseCost): D1Database {
  const add = ({ meta }: { meta: D1Meta }): void => {
    cost.queries += 1;
    cost.rowsRead += meta.rows_read ?? 0;
    cost.rowsWritten += meta.rows_written ?? 0;
  };

  const measured = (statement: D1PreparedStatement, isRead: boolean): D1PreparedStatement =>
    new Proxy(statement, {
      get(target, property) {
        if (property === "bind") return (...values: unknown[]) => measured(target.bind(...values), isRead);
        if (property === "raw" && isRead) {
          return async (options?: never) => {
            add(await target.all());
            return target.raw(options);
          };
        }
        if (property === "all" || property === "run") {
          return async () => {
            const result = await target[property]();
            add(result);
            return result;
          };
        }
        const value: unknown = Reflect.get(target, property);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });

  return new Proxy(db, {
    get(target, property) {
      if (property === "prepare")
        return (text: string) => measured(target.prepare(text), /^\s*(select|with)\b/i.test(text));
      if (property === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          const results = await target.batch(statements);
          results.forEach(add);
          cost.batches += 1;
          return results;
        };
      }
      const value: unknown = Reflect.get(target, property);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
