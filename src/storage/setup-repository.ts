/** What the set-up page asks of the database: is it migrated, and does analytics get through? */
import { is, sql } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "./database.ts";
import * as schema from "./schema.ts";

export interface OutboxState {
  pending: number;
  lastError: string | null;
}

/** Tables, columns and indexes that the code works with: "audits", "audits.url", "audits_overdue". */
function expected(): string[] {
  return Object.values(schema).flatMap((value: unknown): string[] => {
    if (!is(value, SQLiteTable)) return [];
    const { name, columns, indexes } = getTableConfig(value);
    return [name, ...columns.map((column) => `${name}.${column.name}`), ...indexes.map((index) => index.config.name)];
  });
}

export class SetupRepository {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** What the database lacks of the schema; empty: it is migrated. Reads its catalogue, a few hundred rows. */
  async missing(): Promise<string[]> {
    const rows = await this.#db.all<{ name: string }>(sql`
      select name from sqlite_master where type in ('table', 'index')
      union all
      select m.name || '.' || c.name from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table' and m.name not like '\\_cf\\_%' escape '\\'`);
    const there = new Set(rows.map(({ name }) => name));
    return expected().filter((name) => !there.has(name));
  }

  /** Events that wait to be sent, by index outbox_pending, and why the last try failed. */
  async outbox(): Promise<OutboxState> {
    const row = await this.#db.get<OutboxState>(sql`
      select count(*) as pending, max(last_error) as lastError from analytics_outbox where state = 'pending'`);
    return row ?? { pending: 0, lastError: null };
  }
}
