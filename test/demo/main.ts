/** `npm run demo`: serves a small shop with known faults, audits it, prints the report. Works offline. */
import { guarded } from "../../src/cli/cli.ts";
import { runAsCommand } from "../../src/cli/process-io.ts";
import { runAudit } from "../../src/cli/run-audit.ts";
import { serveDemo } from "./server.ts";

await runAsCommand((io) =>
  guarded(io, async () => {
    const shop = await serveDemo();
    io.err.write(`A shop with known faults (test/demo/faults.ts) is open at ${shop.origin}\n`);
    try {
      return await runAudit({ url: new URL(shop.origin), failOn: "never", verbose: false }, io);
    } finally {
      await shop.close();
    }
  }),
);
