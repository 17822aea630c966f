/** With MEASURE_DB=1, which only the benchmark sets, an answer says what it cost the database. */
import type { MiddlewareHandler } from "hono";
import type { DatabaseCost } from "../storage/database.ts";
import { measuredBinding } from "../storage/measured-binding.ts";
import type { AppEnv } from "./context.ts";

export const measuring: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (c.env.MEASURE_DB !== "1" || c.req.header("x-measure") === undefined) return next();
  const cost: DatabaseCost = { batches: 0, queries: 0, rowsRead: 0, rowsWritten: 0 };
  c.set("database", measuredBinding(c.env.DB, cost));
  await next();
  c.header("x-d1-queries", String(cost.queries));
  c.header("x-d1-rows-read", String(cost.rowsRead));
};
