/**
 * An in-memory SQLite that looks like D1: prepare, bind, run, all, raw, first, and batch as the one transaction. One
 * thread, a latency, and the faults of the plan: stalls, refusals, requests and answers that get lost.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { World } from "./world.ts";

/** What the database does with a request that arrives now. */
export interface DatabaseWeather {
  /** Milliseconds until it is executed. */
  delay: number;
  /** Refused with this message instead of executed. */
  refuse?: string;
  /** Executed, but the answer is this error. */
  loseAnswer?: string;
}

type Value = null | number | bigint | string | Uint8Array;

interface Prepared {
  statement: StatementSync;
  returnsRows: boolean;
}

export class SimulatedD1 {
  readonly sqlite = new DatabaseSync(":memory:");
  batches = 0;
  readonly #world: World;
  readonly #weather: () => DatabaseWeather;
  readonly #prepared = new Map<string, Prepared>();

  constructor(world: World, weather: () => DatabaseWeather) {
    this.#world = world;
    this.#weather = weather;
    // The product takes the time from the database; half a millisecond more keeps the division from rounding down.
    this.sqlite.function("unixepoch", { varargs: true }, () => (world.databaseNow + 0.5) / 1000);
    for (const sql of migrations()) this.sqlite.exec(sql);
  }

  prepare(sql: string): SimulatedStatement {
    return new SimulatedStatement(this, sql, []);
  }

  async batch(statements: readonly SimulatedStatement[]): Promise<unknown[]> {
    return this.send(() => {
      this.sqlite.exec("begin immediate");
      try {
        const results = statements.map((statement) => this.execute(statement));
        this.sqlite.exec("commit");
        return results;
      } catch (error) {
        this.sqlite.exec("rollback");
        throw error;
      }
    });
  }

  /** Runs one statement at once; as D1 answers it. Rows are objects, or arrays for `raw`. */
  execute(
    { sql, values }: SimulatedStatement,
    rows: "objects" | "arrays" = "objects",
  ): { success: true; results: unknown[]; meta: Record<string, number> } {
    const prepared = this.#prepared.get(`${rows} ${sql}`) ?? this.#prepare(sql, rows);
    if (!prepared.returnsRows) {
      const { changes, lastInsertRowid } = prepared.statement.run(...values);
      return {
        success: true,
        results: [],
        meta: {
          changes: Number(changes),
          last_row_id: Number(lastInsertRowid),
          rows_read: 0,
          rows_written: 0,
          duration: 0,
        },
      };
    }
    const results = prepared.statement.all(...values);
    const writes = !/^\s*(?:select|with)\b/i.test(sql);
    return {
      success: true,
      results,
      meta: { changes: writes ? results.length : 0, rows_read: 0, rows_written: 0, duration: 0 },
    };
  }

  #prepare(sql: string, rows: "objects" | "arrays"): Prepared {
    const statement = this.sqlite.prepare(sql);
    statement.setReturnArrays(rows === "arrays");
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    this.#prepared.set(`${rows} ${sql}`, prepared);
    return prepared;
  }

  /** One round trip: once on its way it is executed even if the caller dies, and only a living caller gets the answer. */
  send<T>(execute: () => T): Promise<T> {
    const world = this.#world;
    const caller = world.current();
    this.batches += 1;
    const { delay, refuse, loseAnswer } = this.#weather();
    return new Promise((resolve, reject) => {
      world.after(delay, () => {
        if (refuse !== undefined) {
          world.after(1, () => reject(new Error(`D1_ERROR: ${refuse}`)), caller);
          return;
        }
        try {
          const result = execute();
          if (loseAnswer === undefined) world.after(2, () => resolve(result), caller);
          else world.after(2, () => reject(new Error(`D1_ERROR: ${loseAnswer}`)), caller);
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error);
          world.after(2, () => reject(new Error(`D1_ERROR: ${message}: SQLITE_ERROR`)), caller);
        }
      });
    });
  }
}

export class SimulatedStatement {
  readonly sql: string;
  readonly values: Value[];
  readonly #d1: SimulatedD1;

  constructor(d1: SimulatedD1, sql: string, values: Value[]) {
    this.#d1 = d1;
    this.sql = sql;
    this.values = values;
  }

  bind(...values: unknown[]): SimulatedStatement {
    if (values.length > 100) throw new Error("D1_ERROR: too many SQL variables");
    return new SimulatedStatement(
      this.#d1,
      this.sql,
      values.map((value) => {
        if (value === undefined) throw new Error("D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'");
        return typeof value === "boolean" ? Number(value) : (value as Value);
      }),
    );
  }

  async run(): Promise<unknown> {
    return this.#d1.send(() => this.#d1.execute(this));
  }

  async all(): Promise<unknown> {
    return this.run();
  }

  async raw(): Promise<unknown[]> {
    return this.#d1.send(() => this.#d1.execute(this, "arrays").results);
  }

  async first(column?: string): Promise<unknown> {
    const row = await this.#d1.send(() => this.#d1.execute(this).results[0] as Record<string, unknown> | undefined);
    return row === undefined ? null : column === undefined ? row : row[column];
  }
}

let migrationFiles: string[] | null = null;

function migrations(): string[] {
  const folder = join(import.meta.dirname, "../../migrations");
  migrationFiles ??= readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .toSorted()
    .map((name) => readFileSync(join(folder, name), "utf8"));
  return migrationFiles;
}
