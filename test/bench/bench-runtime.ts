import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalRuntime, startLocalRuntime } from "../../src/cli/local-runtime.ts";
import type { BenchSite } from "./bench-site.ts";

/** Starts the real runtime on a new state; audits may reach exactly those sites. Nothing of it is left afterwards. */
export async function withRuntime<T>(
  sites: readonly BenchSite[],
  work: (runtime: LocalRuntime) => Promise<T>,
): Promise<T> {
  const stateDir = await mkdtemp(join(tmpdir(), "pulse-audit-bench-"));
  try {
    const runtime = await startLocalRuntime({
      stateDirs: [stateDir],
      port: 0,
      allowedHosts: sites.map((site) => new URL(site.origin).host),
      vars: { MEASURE_DB: "1" },
      cron: false,
    });
    try {
      return await work(runtime);
    } finally {
      await runtime.stop();
    }
  } finally {
    await rm(stateDir, { recursive: true, force: true });
  }
}
