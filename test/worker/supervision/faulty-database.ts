/** The real database, behind a wire that a test can hold up or cut. */
import { env } from "cloudflare:workers";

export interface Wire {
  /** Runs before a batch reaches the database; may wait or throw. */
  before?: (batch: number) => Promise<void> | void;
  /** Runs when the database has done its work, before the caller hears of it. */
  after?: (batch: number) => Promise<void> | void;
}

/** Batches are counted from 1. Single queries pass unless `queries` is set. */
export function wired(wire: Wire & { queries?: () => void }): D1Database {
  let batches = 0;
  return {
    prepare: (query: string) => {
      wire.queries?.();
      return env.DB.prepare(query);
    },
    batch: async (statements: D1PreparedStatement[]) => {
      batches += 1;
      const number = batches;
      await wire.before?.(number);
      const results = await env.DB.batch(statements);
      await wire.after?.(number);
      return results;
    },
  } as unknown as D1Database;
}
