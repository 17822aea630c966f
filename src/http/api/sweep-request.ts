import { z } from "zod";

/** The body of POST /api/v1/supervisor/sweep; it may be absent. */
export const sweepRequest = z.strictObject({
  dryRun: z.boolean().optional().describe("ask and judge, record and end nothing"),
  force: z.boolean().optional().describe("act although the breaker would hold; takes an administrator"),
});
