import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

/**
 * Four kinds of tests. `pure`: code without bindings, in Node. `worker`: inside workerd with the real D1 and the real
 * Workflow engine. `runtime`: from outside, against the runtime that `npm start` and `npm run audit` start. `browser`:
 * the pages of that runtime in Debian's chromium.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: { name: "pure", include: ["test/pure/**/*.test.{ts,tsx}"] },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: { TEST_MIGRATIONS: await readD1Migrations("./migrations") } },
          })),
        ],
        test: {
          name: "worker",
          include: ["test/worker/**/*.test.ts"],
          setupFiles: ["./test/worker/support/migrate.ts"],
          globalSetup: ["./test/support/sites-server.ts", "./test/support/collector.ts"],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "runtime",
          include: ["test/runtime/**/*.test.ts"],
          globalSetup: ["./test/support/sites-server.ts"],
          testTimeout: 240_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: ["./test/support/sites-server.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // They mostly wait: for pages that watch, for silence to become death.
          maxWorkers: 2,
        },
      },
    ],
  },
});
