/** Puts the parts of supervision together over the Worker's bindings. */
import { type Config, readConfig } from "../config.ts";
import type { Env } from "../env.ts";
import { AuditRepository } from "../storage/audit-repository.ts";
import { type Database, openDatabase } from "../storage/database.ts";
import { LookRepository } from "../storage/look-repository.ts";
import { SupervisorRepository } from "../storage/supervisor-repository.ts";
import { analyticsOn } from "../telemetry/analytics.ts";
import { workflowInstances } from "./instances.ts";
import type { Supervision } from "./reconcile.ts";

export interface Watch extends Supervision {
  db: Database;
  supervisor: SupervisorRepository;
}

export function openWatch(env: Env, config: Config = readConfig(env as unknown as Record<string, unknown>)): Watch {
  const db = openDatabase(env.DB);
  return {
    db,
    config,
    audits: new AuditRepository(db, analyticsOn(env)),
    looks: new LookRepository(db),
    supervisor: new SupervisorRepository(db),
    instances: workflowInstances(env.SITE_AUDIT, config.STATUS_TIMEOUT_MS),
  };
}
