/** What every error code means to a person: what happened, what to do, and whether trying again makes sense. */

export const AUDIT_ERROR_CODES = [
  "oom",
  "cpu_limit",
  "step_timeout",
  "step_output_too_large",
  "subrequest_limit",
  "steps_limit",
  "workflow_internal",
  "deploy_reset",
  "db_error",
  "db_overloaded",
  "storage_full",
  "network_error",
  "workflow_terminated",
  "instance_lost",
  "heartbeat_lost",
  "completion_lost",
  "start_failed",
  "site_unreachable",
  "site_blocked",
  "site_not_html",
  "robots_disallowed",
  "canceled",
  "unknown",
] as const;
export type AuditErrorCode = (typeof AUDIT_ERROR_CODES)[number];

export interface AuditErrorWords {
  title: string;
  /** What happened, in plain words. */
  explanation: string;
  /** What to do. */
  advice: string;
  /** Whether trying again without a change makes sense. */
  retryable: boolean;
}

export const AUDIT_ERRORS: Readonly<Record<AuditErrorCode, AuditErrorWords>> = {
  oom: {
    title: "Ran out of memory",
    explanation: "The platform stopped the audit because it used more than the 128 MB that a Worker may use.",
    advice:
      "Resume goes on from the last saved page. If it happens again, lower CRAWL_STEP_PAGES or audit fewer pages.",
    retryable: true,
  },
  cpu_limit: {
    title: "Ran out of CPU time",
    explanation: "One step of the audit computed for longer than the account's plan allows (10 ms free, 30 s paid).",
    advice: "Lower CRAWL_STEP_PAGES, or raise limits.cpu_ms on a paid plan, then resume.",
    retryable: false,
  },
  step_timeout: {
    title: "A step took too long",
    explanation: "A step of the audit did not end within its time limit, and neither did its retries.",
    advice: "The site or the database may have been very slow. Resume goes on from the last saved page.",
    retryable: true,
  },
  step_output_too_large: {
    title: "A step returned too much",
    explanation: "A step of the audit returned more than the platform keeps: 1 MiB for a step, 1 GiB for an instance.",
    advice:
      "This is a fault of the auditor, not of the site. Report it with the audit's id; fewer pages may get through.",
    retryable: false,
  },
  subrequest_limit: {
    title: "Used up its requests",
    explanation:
      "The audit made as many requests as the account's plan allows one Workflow instance (50 free, 10,000 paid).",
    advice:
      "Resume starts a new instance with a new allowance and goes on from the last saved page. On a free plan, audit fewer pages.",
    retryable: true,
  },
  steps_limit: {
    title: "Used up its steps",
    explanation: "The audit took as many steps as the platform allows one Workflow instance (1,024 free, 10,000 paid).",
    advice:
      "Resume starts a new instance with a new allowance and goes on from the last saved page. CRAWL_STEP_PAGES makes steps larger.",
    retryable: true,
  },
  workflow_internal: {
    title: "The platform failed",
    explanation: "Cloudflare Workflows reported an internal error while running the audit.",
    advice:
      "Nothing is wrong with the site. Resume goes on from the last saved page; cloudflarestatus.com shows known trouble.",
    retryable: true,
  },
  deploy_reset: {
    title: "Interrupted by a deploy",
    explanation:
      "The platform restarted the audit's compute because new code was deployed, and its retries did not get through.",
    advice: "Resume goes on from the last saved page.",
    retryable: true,
  },
  db_error: {
    title: "The database refused",
    explanation: "The database answered with an error that retries did not mend.",
    advice: "Check that all migrations are applied (the set-up page shows it), then resume.",
    retryable: true,
  },
  db_overloaded: {
    title: "The database was overloaded",
    explanation:
      "The database did not take the audit's writes in time: too much was queued, or a query was too heavy for it.",
    advice: "Run fewer audits at once and resume in a few minutes. What was saved before is kept.",
    retryable: true,
  },
  storage_full: {
    title: "The database is full",
    explanation: "The database has reached its largest size (500 MB free, 10 GB paid) and takes no more rows.",
    advice: "Delete old audits, then resume.",
    retryable: false,
  },
  network_error: {
    title: "Lost the connection",
    explanation: "A connection inside the platform broke, and retries did not bring it back.",
    advice: "Resume goes on from the last saved page.",
    retryable: true,
  },
  workflow_terminated: {
    title: "Terminated from outside",
    explanation:
      "Somebody or something terminated the Workflow instance: the dashboard, wrangler, or an administrator.",
    advice: "If it was not on purpose, resume goes on from the last saved page.",
    retryable: true,
  },
  instance_lost: {
    title: "The instance is gone",
    explanation: "The platform no longer knows the Workflow instance of this audit, although the audit had not ended.",
    advice:
      "Resume starts a new instance and goes on from the last saved page. If all audits are lost, check the Workflow's name and binding.",
    retryable: true,
  },
  heartbeat_lost: {
    title: "Stopped sending heartbeats",
    explanation:
      "The run stopped sending heartbeats for longer than it ever may, although the platform did not report its end.",
    advice: "Its compute is almost certainly dead. Resume goes on from the last saved page.",
    retryable: true,
  },
  completion_lost: {
    title: "Ended without a result",
    explanation: "The platform says that the Workflow is complete, but its result was never recorded.",
    advice: "Resume repeats only the last phase; every page is kept.",
    retryable: true,
  },
  start_failed: {
    title: "Never started",
    explanation:
      "The platform did not start the Workflow instance: it refused to create it, or kept it in its queue for a day.",
    advice: "The account may be at its limit of running instances. Start again when other audits have ended.",
    retryable: true,
  },
  site_unreachable: {
    title: "The site did not answer",
    explanation:
      "Not one page of the site could be fetched: no address, no connection, no answer in time, or only server errors.",
    advice: "Open the address in a browser. If it works there, the site may refuse requests from Cloudflare's network.",
    retryable: true,
  },
  site_blocked: {
    title: "The site blocked the crawler",
    explanation:
      "Every answer was a refusal or a bot check (401, 403, 429 or a challenge), so no page could be judged.",
    advice: "Allow the crawler's User-Agent in the site's firewall or bot settings, then start again.",
    retryable: false,
  },
  site_not_html: {
    title: "The start address is not a web page",
    explanation: "The site answered, but with something other than HTML, so there was nothing to audit.",
    advice: "Give the address of a page that a browser shows as a page, such as the site's home page.",
    retryable: false,
  },
  robots_disallowed: {
    title: "robots.txt forbids the audit",
    explanation:
      "The site's robots.txt forbids crawling its start page, or could not be read, which counts as forbidding all.",
    advice: "Allow the crawler in robots.txt, or start from an address that it allows.",
    retryable: false,
  },
  canceled: {
    title: "Canceled",
    explanation: "Somebody canceled the audit. What was found before is kept.",
    advice: "Resume goes on from the last saved page.",
    retryable: true,
  },
  unknown: {
    title: "Failed for an unknown reason",
    explanation: "The run ended with an error that is none of the known ones; the detail shows what was said.",
    advice: "Resume goes on from the last saved page. If it fails again, report it with the audit's id and the detail.",
    retryable: true,
  },
};

const isCode = (code: string): code is AuditErrorCode => Object.hasOwn(AUDIT_ERRORS, code);

/** The words of a code from the database, which an older or newer version may have written. */
export const wordsOf = (code: string): AuditErrorWords => AUDIT_ERRORS[isCode(code) ? code : "unknown"];
