import type { Context, Hono } from "hono";
import type { AuditService, Caller } from "../audit/audit-service.ts";
import type { Env } from "../env.ts";
import type { Watch } from "../supervision/supervision.ts";

/** What every handler finds in its context. */
export interface AppEnv {
  Bindings: Env;
  Variables: { caller: Caller; watch: Watch; service: AuditService };
}
export type App = Hono<AppEnv>;
export type AppContext = Context<AppEnv>;
