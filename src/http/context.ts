import type { Context, Hono } from "hono";
import type { AuditService } from "../audit/audit-service.ts";
import type { Env } from "../env.ts";
import type { Identity } from "./auth/identity.ts";
import type { Watch } from "../supervision/supervision.ts";

/** What every handler finds in its context. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    /** Measures what it is asked; absent: the binding itself. */
    database?: D1Database;
    caller: Identity;
    watch: Watch;
    service: AuditService;
    /** What forms of this answer carry: see auth/forgery.ts. */
    csrf: string;
  };
}
export type App = Hono<AppEnv>;
export type AppContext = Context<AppEnv>;
