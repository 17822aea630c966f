import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

// Storage is isolated by file: each file begins with an empty, migrated database.
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
