import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/** Inside workerd, as the project `worker`; apart from it, since it takes a minute. */
export default defineConfig({
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: { bindings: { TEST_MIGRATIONS: await readD1Migrations("./migrations") } },
    })),
  ],
  test: {
    include: ["test/scale/*.test.ts"],
    setupFiles: ["./test/worker/support/migrate.ts"],
    testTimeout: 600_000,
  },
});
