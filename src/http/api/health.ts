/** /healthz: open to everybody, says nothing but whether all is well. */
import { sql } from "drizzle-orm";
import { supervisorHealth } from "../../supervision/supervisor-health.ts";
import { openWatch } from "../../supervision/supervision.ts";
import { ConfigError } from "../../config.ts";
import type { AppContext } from "../context.ts";

export async function healthz(c: AppContext): Promise<Response> {
  try {
    const watch = openWatch(c.env);
    const { state, now } = await watch.supervisor.state();
    const oldest = await watch.db.get<{ at: number | null }>(
      sql`select min(created_at) as at from audits where status = 'running'`,
    );
    const { late, lastFinishedAt, note } = supervisorHealth(state, oldest?.at ?? null, now, watch.config);
    const { warnings } = watch.config;
    return c.json(
      { ok: !late, database: "ok", supervisor: { late, lastFinishedAt, note }, warnings },
      late ? 503 : 200,
    );
  } catch (error) {
    const reason =
      error instanceof ConfigError
        ? error.message
        : "the database does not answer or is not set up; apply the migrations";
    return c.json({ ok: false, database: error instanceof ConfigError ? "unknown" : "unavailable", reason }, 503);
  }
}
