import type { SQL } from "drizzle-orm";
import type { Database } from "../../storage/database.ts";
import type { SiteContext } from "../checks/check.ts";

/** What the analysis works with. */
export interface AnalysisInput {
  db: Database;
  site: SiteContext;
  /** The text of robots.txt; null: there is none that counts. */
  robotsText: string | null;
}

/** How the analysis writes: the condition that every statement carries, and the way to run them with a heartbeat. */
export interface AnalysisWriter {
  /** True while this execution may write (storage/fence.ts). */
  holds: SQL;
  /** Runs the statements as one transaction. Throws when this execution may not write any more. */
  save: (statements: SQL[]) => Promise<void>;
}
