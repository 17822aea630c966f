/** Wiring only: HTTP, cron, and the two Workflows. */
import type { Env } from "./env.ts";
import { createApp } from "./http/app.ts";
import { onCron } from "./supervision/schedule.ts";

export { SiteAuditWorkflow } from "./audit/site-audit-workflow.ts";
export { AuditSupervisorWorkflow } from "./supervision/audit-supervisor-workflow.ts";

const app = createApp();

export default {
  fetch: (request, env, context) => app.fetch(request, env, context),
  scheduled: (controller, env) => onCron(env, controller.scheduledTime),
} satisfies ExportedHandler<Env>;
