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
  /** Secret: whoever knows it may do everything, making tokens for others included. */
  ADMIN_TOKEN?: string;
  /** Secret: seals custom headers and signs sessions; ADMIN_TOKEN stands in for it. */
  SECRET_KEY?: string;
  /** "team.cloudflareaccess.com" and the audience tag (or several, comma-separated) of the Access application before us. */
  ACCESS_TEAM_DOMAIN?: string;
  ACCESS_AUD?: string;
  /** E-mail addresses, comma-separated, whose owners may do everything when Access says that it is them. */
  ACCESS_ADMINS?: string;
  /** Hosts of this very product, comma-separated, which no audit may reach; the host of a start is always one. */
  PUBLIC_HOST?: string;
  /** "1" or "0": whether a site's name is looked up over HTTPS before it is crawled. Unset: yes, unless local. */
  DNS_CHECK?: string;
  /** The resolver that is asked: an address that speaks the JSON form of DNS over HTTPS. Unset: Cloudflare's. */
  DNS_RESOLVER?: string;
  READ_LIMIT?: RateLimit;
  WRITE_LIMIT?: RateLimit;
  DOOR_LIMIT?: RateLimit;
  POSTHOG_API_KEY?: string;
  POSTHOG_HOST?: string;
  UNSAFE_LIMITS?: string;
  /** "1": steps return what they cost the database. For the benchmark. */
  MEASURE_DB?: string;
}
