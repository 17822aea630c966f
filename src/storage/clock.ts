import { type SQL, sql } from "drizzle-orm";

/**
 * The database's clock, milliseconds since the epoch. It alone sets and judges heartbeats, promises and looks: the
 * clocks of Workers differ from each other and stand still while code computes.
 */
export const dbNow: SQL<number> = sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
