/**
 * Every table of the product, as docs/data-model.md explains it.
 *
 * Times are integer milliseconds since the epoch, set by the database's clock. Migrations only ever add.
 * The tables with a row a page or a link are WITHOUT ROWID (written by hand in the migration, since drizzle has no
 * word for it): their primary key is the row, so that an insert costs one row written instead of two.
 */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const AUDIT_STATUSES = ["running", "completed", "failed", "canceled"] as const;
export type AuditStatus = (typeof AUDIT_STATUSES)[number];

export const PHASES = ["discovering", "crawling", "checking_links", "analyzing", "finishing"] as const;
export type Phase = (typeof PHASES)[number];

/** Who ended an attempt: its own Workflow, the supervisor, somebody's look at the status, or a person. */
export const ENDED_BY = ["workflow", "watchdog", "status_check", "manual"] as const;
export type EndedBy = (typeof ENDED_BY)[number];

export const SEVERITIES = ["error", "warning", "notice"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const organizations = sqliteTable("organizations", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  createdAt: integer("created_at").notNull(),
});

export const projects = sqliteTable("projects", {
  id: text("id").primaryKey(),
  organizationId: text("organization_id").notNull(),
  name: text("name").notNull(),
  createdAt: integer("created_at").notNull(),
});

/** One row an audit: one site, one request. Everything about being alive belongs to the current attempt. */
export const audits = sqliteTable(
  "audits",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    projectId: text("project_id").notNull(),
    startedBy: text("started_by").notNull(),
    /** The address as it was asked for. */
    url: text("url").notNull(),
    /** The origin that is audited: where the start address leads in the end. Null until discovering has asked. */
    siteOrigin: text("site_origin"),
    /** JSON of AuditOptions. Secrets (basic auth, headers) are encrypted in it. */
    options: text("options").notNull(),
    status: text("status", { enum: AUDIT_STATUSES }).notNull(),
    attempt: integer("attempt").notNull().default(1),
    createdAt: integer("created_at").notNull(),
    attemptStartedAt: integer("attempt_started_at").notNull(),
    endedAt: integer("ended_at"),

    phase: text("phase", { enum: PHASES }).notNull(),
    heartbeatAt: integer("heartbeat_at").notNull(),
    heartbeatSeq: integer("heartbeat_seq").notNull().default(0),
    heartbeatDueAt: integer("heartbeat_due_at").notNull(),
    /** The fence: the execution of a step that may write. See storage/fence.ts. */
    stepRun: text("step_run"),
    /** Orders the executions of an attempt's steps, so that an older one can never take the fence back. */
    stepOrder: integer("step_order").notNull().default(0),

    /** The chain of looks that all saw the same heartbeat. */
    seenSeq: integer("seen_seq"),
    seenSince: integer("seen_since"),
    lastLookAt: integer("last_look_at"),
    /** The last look at this heartbeat that found the instance queued, or held (paused, rolling back). See liveness.ts. */
    queuedAt: integer("queued_at"),
    heldAt: integer("held_at"),
    /** Until then the supervisor leaves the audit alone: nothing can be done about it. */
    nextLookAt: integer("next_look_at").notNull().default(0),
    /** The supervisor's last pause before `nextLookAt`; doubles while nothing can be done. Milliseconds. */
    lookDelayMs: integer("look_delay_ms").notNull().default(0),
    /** When the platform was last asked on behalf of a poll, whoever polled. */
    probedAt: integer("probed_at"),
    /** JSON of the last Evidence and Verdict, for whoever reads the row. */
    lastEvidence: text("last_evidence"),
    lastVerdict: text("last_verdict"),

    errorCode: text("error_code"),
    errorDetail: text("error_detail"),
    failedPhase: text("failed_phase", { enum: PHASES }),
    endedBy: text("ended_by", { enum: ENDED_BY }),
    /** Identifies the ending that won, so that a lost response can be read back. */
    verdictId: text("verdict_id"),

    /** Derived from rows whenever a step saves, never incremented. */
    pagesCrawled: integer("pages_crawled").notNull().default(0),
    pagesTotal: integer("pages_total").notNull().default(0),
    /** JSON of AuditSummary, written by the analyzing phase. */
    summary: text("summary"),
    /** Set when somebody asked to delete the audit: hidden at once, removed in batches. */
    deletedAt: integer("deleted_at"),
  },
  (t) => [
    index("audits_overdue")
      .on(t.heartbeatDueAt, t.id)
      .where(sql`status = 'running'`),
    index("audits_running")
      .on(t.organizationId)
      .where(sql`status = 'running'`),
    index("audits_by_organization").on(t.organizationId, t.createdAt, t.id),
    index("audits_deleted")
      .on(t.deletedAt)
      .where(sql`deleted_at is not null`),
  ],
);

/** One row for each Workflow instance that was ever allowed to write for an audit. */
export const auditAttempts = sqliteTable(
  "audit_attempts",
  {
    auditId: text("audit_id").notNull(),
    attempt: integer("attempt").notNull(),
    instanceId: text("instance_id").notNull(),
    beganAt: integer("began_at").notNull(),
    endedAt: integer("ended_at"),
    endedBy: text("ended_by", { enum: ENDED_BY }),
    code: text("code"),
    detail: text("detail"),
    phase: text("phase", { enum: PHASES }),
    /** JSON of the evidence and verdict that ended it. */
    evidence: text("evidence"),
    /** From the last heartbeat to the verdict, when somebody other than the Workflow ended it. */
    detectionMs: integer("detection_ms"),
    verdictId: text("verdict_id"),
    lateBeats: integer("late_beats").notNull().default(0),
    /** 1 while the platform's instance may still exist although the attempt has ended. */
    terminatePending: integer("terminate_pending").notNull().default(0),
    terminateTries: integer("terminate_tries").notNull().default(0),
    terminateNextAt: integer("terminate_next_at").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.auditId, t.attempt] }),
    index("attempts_to_terminate")
      .on(t.terminateNextAt)
      .where(sql`terminate_pending = 1`),
    index("attempts_by_end")
      .on(t.endedAt)
      .where(sql`ended_at is not null`),
  ],
);

/** Phase markers: when a phase of an attempt began and ended, with its counts. */
export const auditPhases = sqliteTable(
  "audit_phases",
  {
    auditId: text("audit_id").notNull(),
    attempt: integer("attempt").notNull(),
    phase: text("phase", { enum: PHASES }).notNull(),
    beganAt: integer("began_at").notNull(),
    endedAt: integer("ended_at"),
    /** JSON object of numbers. */
    counts: text("counts"),
  },
  (t) => [primaryKey({ columns: [t.auditId, t.attempt, t.phase] })],
);

/** The pulse: at most one heartbeat a minute and attempt is kept. */
export const auditBeats = sqliteTable(
  "audit_beats",
  {
    auditId: text("audit_id").notNull(),
    attempt: integer("attempt").notNull(),
    /** Minutes since the epoch. */
    minute: integer("minute").notNull(),
    at: integer("at").notNull(),
    seq: integer("seq").notNull(),
    pagesCrawled: integer("pages_crawled").notNull(),
  },
  (t) => [primaryKey({ columns: [t.auditId, t.attempt, t.minute] })],
);

/** What the discovering phase learnt; every later step reads it. One row an audit. */
export const auditDiscoveries = sqliteTable("audit_discoveries", {
  auditId: text("audit_id").primaryKey(),
  /** The rules that the crawl keeps to, as received: at most 500 KiB. Null: no file, everything is allowed. */
  robotsText: text("robots_text"),
  /** JSON of DiscoveryFacts. */
  facts: text("facts").notNull(),
  /** JSON of TrapGuardState: what the guard against infinite spaces has learnt. */
  traps: text("traps"),
  /** Why the crawl stopped before its frontier was empty: pages, time, blocked. Null: it did not. */
  cutBy: text("cut_by"),
});

/** What waits in a queue, lowest first: linked pages, then pages known from a sitemap only, then link targets to verify. */
export const QUEUE = { linked: 0, sitemap: 1, external: 2, resource: 3 } as const;

/** Where an address is known from; bits, added up. */
export const SOURCE = {
  start: 1,
  link: 2,
  sitemap: 4,
  canonical: 8,
  hreflang: 16,
  redirect: 32,
  resource: 64,
  list: 128,
} as const;

/** 0 waits, 1 has its row in audit_pages or audit_targets, 2 was refused without a request (its reason is in `refusal`). */
export const URL_STATE = { waiting: 0, done: 1, refused: 2 } as const;

/** The frontier, and every other address that the audit has heard of. WITHOUT ROWID. */
export const auditUrls = sqliteTable(
  "audit_urls",
  {
    auditId: text("audit_id").notNull(),
    /** Dense from 1 within the audit; assigned by the one execution that holds the fence. */
    id: integer("id").notNull(),
    /** The exact address to request, as the URL standard serialises it, without fragment. */
    url: text("url").notNull(),
    /** What makes two addresses the same: see audit/crawl/url.ts. */
    key: text("key").notNull(),
    queue: integer("queue").notNull(),
    depth: integer("depth").notNull(),
    state: integer("state").notNull().default(0),
    source: integer("source").notNull(),
    /** Why it was not requested: robots, trap, scope, depth, budget. */
    refusal: text("refusal"),
  },
  (t) => [
    primaryKey({ columns: [t.auditId, t.id] }),
    uniqueIndex("urls_by_key").on(t.auditId, t.key),
    index("urls_waiting")
      .on(t.auditId, t.queue, t.id)
      .where(sql`state = 0`),
  ],
);

/** One row for each page address that was requested, with all that was learnt. WITHOUT ROWID. */
export const auditPages = sqliteTable(
  "audit_pages",
  {
    auditId: text("audit_id").notNull(),
    urlId: integer("url_id").notNull(),
    fetchedAt: integer("fetched_at").notNull(),

    /** The status of the address itself (the first response); null: none came. */
    status: integer("status"),
    /** The status at the end of its redirects; equals `status` without one. */
    finalStatus: integer("final_status"),
    /** A FetchFailure code when no usable response came. */
    failure: text("failure"),
    failureDetail: text("failure_detail"),
    /** JSON array of [url, status, location] when it redirects. */
    hops: text("hops"),
    /** audit_urls.id at the end of its redirects. */
    targetId: integer("target_id"),
    contentType: text("content_type"),
    charset: text("charset"),
    /** Decoded bytes of the body that were read. */
    bytes: integer("bytes"),
    truncated: integer("truncated").notNull().default(0),
    ttfbMs: integer("ttfb_ms"),
    totalMs: integer("total_ms"),

    /** One of the catalogue's reasons; `indexable` is the only good one. */
    indexability: text("indexability").notNull(),
    indexabilityDetail: text("indexability_detail"),
    noindex: integer("noindex").notNull().default(0),
    nofollow: integer("nofollow").notNull().default(0),
    title: text("title"),
    /** Hash of the normalised title and language, for duplicates. */
    titleKey: text("title_key"),
    description: text("description"),
    descriptionKey: text("description_key"),
    h1: text("h1"),
    lang: text("lang"),
    /** The one canonical address that counts, absolute. */
    canonical: text("canonical"),
    canonicalId: integer("canonical_id"),
    wordCount: integer("word_count"),
    /** Hash of the normalised main text. */
    textKey: text("text_key"),
    /** MinHash signature of the main text, base64. */
    minhash: text("minhash"),
    /** JSON array of [url id, flags, anchor text]: see audit/crawl/link-flags.ts. */
    links: text("links"),
    /** JSON array of [url id, flags]: images, scripts, styles, media. */
    resources: text("resources"),
    /** JSON array of [language, url id]. */
    hreflang: text("hreflang"),
    /** JSON of PageExtras: what few checks read. */
    extras: text("extras"),

    /** Filled by the analyzing phase. */
    depth: integer("depth"),
    /** Pages that link to this very address. */
    inlinks: integer("inlinks"),
    /** Pages that lead here by a link without nofollow, whether directly or through redirects. */
    followInlinks: integer("follow_inlinks"),
    /** JSON array of up to 20 [url id, anchor text] of pages that link here. */
    inlinkSample: text("inlink_sample"),
  },
  (t) => [
    primaryKey({ columns: [t.auditId, t.urlId] }),
    // For lists of pages by reason. Only pages that are not indexable pay for it; the others are found by their order.
    index("pages_by_reason")
      .on(t.auditId, t.indexability)
      .where(sql`indexability <> 'indexable'`),
  ],
);

/** What a link target that is no page of the site answered: other hosts, images, scripts, styles. WITHOUT ROWID. */
export const auditTargets = sqliteTable(
  "audit_targets",
  {
    auditId: text("audit_id").notNull(),
    urlId: integer("url_id").notNull(),
    checkedAt: integer("checked_at").notNull(),
    /** ok, broken, blocked ("could not verify"), failed. */
    outcome: text("outcome").notNull(),
    status: integer("status"),
    failure: text("failure"),
    bytes: integer("bytes"),
    contentType: text("content_type"),
    detail: text("detail"),
  },
  (t) => [primaryKey({ columns: [t.auditId, t.urlId] })],
);

/**
 * What leads to an address that is no page: kept by the analyzing phase only where a check needs it (broken, blocked or
 * heavy targets, addresses that robots.txt refuses). WITHOUT ROWID.
 */
export const auditInlinks = sqliteTable(
  "audit_inlinks",
  {
    auditId: text("audit_id").notNull(),
    urlId: integer("url_id").notNull(),
    /** 1: some page links to it. Others: RESOURCE bits of how pages load it, shifted left by one. */
    uses: integer("uses").notNull(),
    inlinks: integer("inlinks").notNull(),
    followInlinks: integer("follow_inlinks").notNull(),
    /** JSON array of up to 20 [url id, anchor text]. */
    sample: text("sample").notNull(),
  },
  (t) => [primaryKey({ columns: [t.auditId, t.urlId] })],
);

/** One row a finding: a check, the address that it is about, and the evidence. WITHOUT ROWID. */
export const auditIssues = sqliteTable(
  "audit_issues",
  {
    auditId: text("audit_id").notNull(),
    checkId: text("check_id").notNull(),
    /** 0: the site as a whole. */
    urlId: integer("url_id").notNull(),
    severity: text("severity", { enum: SEVERITIES }).notNull(),
    /** JSON of Evidence fields: measured value, limit, tag or header, members of a cluster. */
    evidence: text("evidence").notNull(),
    /** JSON array of up to 20 [url id, anchor text] that lead there, when the check knows them itself. */
    sources: text("sources"),
    sourceCount: integer("source_count"),
  },
  (t) => [primaryKey({ columns: [t.auditId, t.checkId, t.urlId] })],
);

export const supervisorRuns = sqliteTable(
  "supervisor_runs",
  {
    id: text("id").primaryKey(),
    /** cron, scheduled (without the Workflow), manual. */
    startedBy: text("started_by").notNull(),
    slotAt: integer("slot_at").notNull(),
    startedAt: integer("started_at").notNull(),
    endedAt: integer("ended_at"),
    /** done, held, lease_taken, out_of_budget, failed. */
    outcome: text("outcome"),
    checked: integer("checked").notNull().default(0),
    failed: integer("failed").notNull().default(0),
    statusCalls: integer("status_calls").notNull().default(0),
    /** JSON of SweepReport. */
    report: text("report"),
  },
  (t) => [index("supervisor_runs_by_start").on(t.startedAt)],
);

/** Written when a verdict changes. */
export const supervisorDecisions = sqliteTable(
  "supervisor_decisions",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    auditId: text("audit_id").notNull(),
    attempt: integer("attempt").notNull(),
    at: integer("at").notNull(),
    /** watchdog, status_check, manual. */
    by: text("by").notNull(),
    runId: text("run_id"),
    verdict: text("verdict").notNull(),
    code: text("code"),
    reason: text("reason").notNull(),
    evidence: text("evidence").notNull(),
    /** won, lost, none. */
    acted: text("acted").notNull(),
    detectionMs: integer("detection_ms"),
  },
  (t) => [index("decisions_by_audit").on(t.auditId, t.id), index("decisions_by_time").on(t.at)],
);

/** One row: where the supervisor stands. */
export const supervisorState = sqliteTable("supervisor_state", {
  id: integer("id").primaryKey(),
  cursorDueAt: integer("cursor_due_at"),
  cursorId: text("cursor_id"),
  leaseOwner: text("lease_owner"),
  leaseUntil: integer("lease_until").notNull().default(0),
  /** Finished sweeps in a row that would have exceeded the breaker's limit. 0: no hold. */
  heldSweeps: integer("held_sweeps").notNull().default(0),
  heldSince: integer("held_since"),
  heldCount: integer("held_count"),
  lastFinishedAt: integer("last_finished_at"),
  lastCronAt: integer("last_cron_at"),
});

export const analyticsOutbox = sqliteTable(
  "analytics_outbox",
  {
    /** Stable: a resend is the same event. */
    uuid: text("uuid").primaryKey(),
    auditId: text("audit_id").notNull(),
    attempt: integer("attempt").notNull(),
    event: text("event").notNull(),
    at: integer("at").notNull(),
    /** JSON: distinctId, groups, properties. */
    payload: text("payload").notNull(),
    /** pending, delivered, skipped (no key), given_up. */
    state: text("state").notNull(),
    tries: integer("tries").notNull().default(0),
    nextTryAt: integer("next_try_at").notNull().default(0),
    lastError: text("last_error"),
  },
  (t) => [
    uniqueIndex("outbox_once").on(t.auditId, t.attempt, t.event),
    index("outbox_pending")
      .on(t.nextTryAt)
      .where(sql`state = 'pending'`),
  ],
);

export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    organizationId: text("organization_id").notNull(),
    key: text("key").notNull(),
    /** Hash of the request, so that one key cannot mean two requests. */
    requestHash: text("request_hash").notNull(),
    auditId: text("audit_id").notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.key] })],
);

export const TOKEN_ROLES = ["read", "write"] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];

/** API tokens made in the product. The token itself is shown once; only its hash is kept. */
export const apiTokens = sqliteTable(
  "api_tokens",
  {
    id: text("id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    projectId: text("project_id").notNull(),
    name: text("name").notNull(),
    /** SHA-256 of the token, hex: 256 random bits need no slow hash. */
    hash: text("hash").notNull(),
    /** The first characters of the token, by which people tell theirs. */
    prefix: text("prefix").notNull(),
    role: text("role", { enum: TOKEN_ROLES }).notNull(),
    createdBy: text("created_by").notNull(),
    createdAt: integer("created_at").notNull(),
    /** Written at most once an hour. */
    lastUsedAt: integer("last_used_at"),
    revokedAt: integer("revoked_at"),
  },
  (t) => [uniqueIndex("tokens_by_hash").on(t.hash), index("tokens_by_time").on(t.createdAt, t.id)],
);
