/** Who asks, how that is known, and what they may do. */
import type { Caller } from "../../audit/audit-service.ts";

/** Each role may do what the ones before it may. */
export const ROLES = ["read", "write", "admin"] as const;
export type Role = (typeof ROLES)[number];

/**
 * How somebody was recognised. `local`: the launcher's own machine. `admin`: ADMIN_TOKEN as a bearer token. `token`: an
 * API token. `session`: a cookie that one of those two was traded for. `access`: a person whom Cloudflare Access let in.
 * `service`: a service token of Cloudflare Access.
 */
export type Via = "local" | "admin" | "token" | "session" | "access" | "service";

export interface Identity extends Caller {
  role: Role;
  via: Via;
  /** How they are called on the pages. */
  name: string;
  /** Distinguishes this sign-in from the next one of the same person; form tokens are bound to it. */
  session: string;
}

export const mayDo = (role: Role, need: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(need);

/** Where whoever is no token of a certain organization belongs. Each comes into being with its first use. */
export const DEFAULT_OWNER = { organizationId: "default", projectId: "default" } as const;
