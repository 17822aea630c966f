/// <reference types="@cloudflare/vitest-pool-workers/types" />
import type { D1Migration } from "cloudflare:test";
import type * as worker from "../../../src/index.ts";
import type { Env as WorkerEnv } from "../../../src/env.ts";

declare global {
  namespace Cloudflare {
    /** The Worker itself, for `exports` of cloudflare:workers. */
    interface GlobalProps {
      mainModule: typeof worker;
    }
    /** What tests inside workerd see: the Worker's own bindings, and the migrations from vitest.config.ts. */
    interface Env extends WorkerEnv {
      TEST_MIGRATIONS: D1Migration[];
    }
  }
}
