import { applyD1Migrations, env } from "cloudflare:test";
import { inject } from "vitest";

await applyD1Migrations(env.DB, inject("migrations" as never) ?? (env as unknown as { TEST_MIGRATIONS: never }).TEST_MIGRATIONS);
