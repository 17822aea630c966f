/** The bindings and vars of the Worker, as wrangler.toml and the launcher give them. */
import type { AuditParams } from "./audit/site-audit-workflow.ts";
import type { SupervisorParams } from "./supervision/audit-supervisor-workflow.ts";

export interface Env {
  DB: D1Database;
  SITE_AUDIT: Workflow<AuditParams>;
  AUDIT_SUPERVISOR: Workflow<SupervisorParams>;
  /** "1" only from the launcher: requests to a loopback host need no token. */
  LOCAL_MODE?: string;
  /** Loopback and private hosts that audits may reach, HOST or HOST:PORT, comma-separated; heeded in local mode only. */
  ALLOWED_HOSTS?: string;
  /** Secret: whoever knows it may use the API. */
  ADMIN_TOKEN?: string;
  /** Secret: seals custom headers and signs sessions; ADMIN_TOKEN stands in for it. */
  SECRET_KEY?: string;
  POSTHOG_API_KEY?: string;
  POSTHOG_HOST?: string;
  UNSAFE_LIMITS?: string;
  /** "1": steps return what they cost the database. For the benchmark. */
  MEASURE_DB?: string;
}
