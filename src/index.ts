/** Wiring only: HTTP, cron, and the two Workflows. */
import type { Env } from "./env.ts";
import { createApp } from "./http/app.ts";

export { SiteAuditWorkflow } from "./audit/site-audit-workflow.ts";

const app = createApp();

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
} satisfies ExportedHandler<Env>;
