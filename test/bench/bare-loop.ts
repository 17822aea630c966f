import { join } from "node:path";
import { unstable_startWorker } from "wrangler";
import type { BareLoopAnswer, BareLoopRequest } from "./bare-loop-worker.ts";
import type { BenchSite } from "./bench-site.ts";
import { secondsSince } from "./measures.ts";

export interface BareLoop {
  /** Fetches every page of the site once; seconds it took. */
  run(site: BenchSite): Promise<number>;
  close(): Promise<void>;
}

/** Starts the minimal Worker in the runtime that the audit runs in (workerd through wrangler). */
export async function startBareLoop(): Promise<BareLoop> {
  const worker = await unstable_startWorker({
    config: join(import.meta.dirname, "bare-loop.wrangler.toml"),
    dev: {
      logLevel: "error",
      server: { hostname: "127.0.0.1", port: 0 },
      inspector: false,
      watch: false,
      persist: false,
    },
  });
  await worker.ready;
  const url = await worker.url;
  return {
    run: async (site) => {
      const request: BareLoopRequest = { addresses: site.addresses, atOnce: 6 };
      const began = performance.now();
      const response = await fetch(url, {
        method: "POST",
        body: JSON.stringify(request),
        signal: AbortSignal.timeout(120_000),
      });
      const answer: BareLoopAnswer = JSON.parse(await response.text());
      if (answer.pages !== site.pages) throw new Error(`the bare loop got ${answer.pages} of ${site.pages} pages`);
      return secondsSince(began);
    },
    close: () => worker.dispose(),
  };
}
