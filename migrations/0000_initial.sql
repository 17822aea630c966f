CREATE TABLE `analytics_outbox` (
	`uuid` text PRIMARY KEY NOT NULL,
	`audit_id` text NOT NULL,
	`attempt` integer NOT NULL,
	`event` text NOT NULL,
	`at` integer NOT NULL,
	`payload` text NOT NULL,
	`state` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`next_try_at` integer DEFAULT 0 NOT NULL,
	`last_error` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `outbox_once` ON `analytics_outbox` (`audit_id`,`attempt`,`event`);--> statement-breakpoint
CREATE INDEX `outbox_pending` ON `analytics_outbox` (`next_try_at`) WHERE state = 'pending';--> statement-breakpoint
CREATE TABLE `audit_attempts` (
	`audit_id` text NOT NULL,
	`attempt` integer NOT NULL,
	`instance_id` text NOT NULL,
	`began_at` integer NOT NULL,
	`ended_at` integer,
	`ended_by` text,
	`code` text,
	`detail` text,
	`phase` text,
	`evidence` text,
	`detection_ms` integer,
	`verdict_id` text,
	`late_beats` integer DEFAULT 0 NOT NULL,
	`terminate_pending` integer DEFAULT 0 NOT NULL,
	`terminate_tries` integer DEFAULT 0 NOT NULL,
	`terminate_next_at` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`audit_id`, `attempt`)
);
--> statement-breakpoint
CREATE INDEX `attempts_to_terminate` ON `audit_attempts` (`terminate_next_at`) WHERE terminate_pending = 1;--> statement-breakpoint
CREATE INDEX `attempts_by_end` ON `audit_attempts` (`ended_at`) WHERE ended_at is not null;--> statement-breakpoint
CREATE TABLE `audit_beats` (
	`audit_id` text NOT NULL,
	`attempt` integer NOT NULL,
	`minute` integer NOT NULL,
	`at` integer NOT NULL,
	`seq` integer NOT NULL,
	`pages_crawled` integer NOT NULL,
	PRIMARY KEY(`audit_id`, `attempt`, `minute`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `audit_discoveries` (
	`audit_id` text PRIMARY KEY NOT NULL,
	`robots_text` text,
	`facts` text NOT NULL,
	`traps` text,
	`cut_by` text
);
--> statement-breakpoint
CREATE TABLE `audit_inlinks` (
	`audit_id` text NOT NULL,
	`url_id` integer NOT NULL,
	`uses` integer NOT NULL,
	`inlinks` integer NOT NULL,
	`follow_inlinks` integer NOT NULL,
	`sample` text NOT NULL,
	PRIMARY KEY(`audit_id`, `url_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `audit_issues` (
	`audit_id` text NOT NULL,
	`check_id` text NOT NULL,
	`url_id` integer NOT NULL,
	`severity` text NOT NULL,
	`evidence` text NOT NULL,
	`sources` text,
	`source_count` integer,
	PRIMARY KEY(`audit_id`, `check_id`, `url_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `audit_pages` (
	`audit_id` text NOT NULL,
	`url_id` integer NOT NULL,
	`fetched_at` integer NOT NULL,
	`status` integer,
	`final_status` integer,
	`failure` text,
	`failure_detail` text,
	`hops` text,
	`target_id` integer,
	`content_type` text,
	`charset` text,
	`bytes` integer,
	`truncated` integer DEFAULT 0 NOT NULL,
	`ttfb_ms` integer,
	`total_ms` integer,
	`indexability` text NOT NULL,
	`indexability_detail` text,
	`noindex` integer DEFAULT 0 NOT NULL,
	`nofollow` integer DEFAULT 0 NOT NULL,
	`title` text,
	`title_key` text,
	`description` text,
	`description_key` text,
	`h1` text,
	`lang` text,
	`canonical` text,
	`canonical_id` integer,
	`word_count` integer,
	`text_key` text,
	`minhash` text,
	`links` text,
	`resources` text,
	`hreflang` text,
	`extras` text,
	`depth` integer,
	`inlinks` integer,
	`follow_inlinks` integer,
	`inlink_sample` text,
	PRIMARY KEY(`audit_id`, `url_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `audit_phases` (
	`audit_id` text NOT NULL,
	`attempt` integer NOT NULL,
	`phase` text NOT NULL,
	`began_at` integer NOT NULL,
	`ended_at` integer,
	`counts` text,
	PRIMARY KEY(`audit_id`, `attempt`, `phase`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `audit_targets` (
	`audit_id` text NOT NULL,
	`url_id` integer NOT NULL,
	`checked_at` integer NOT NULL,
	`outcome` text NOT NULL,
	`status` integer,
	`failure` text,
	`bytes` integer,
	`content_type` text,
	`detail` text,
	PRIMARY KEY(`audit_id`, `url_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `audit_urls` (
	`audit_id` text NOT NULL,
	`id` integer NOT NULL,
	`url` text NOT NULL,
	`key` text NOT NULL,
	`queue` integer NOT NULL,
	`depth` integer NOT NULL,
	`state` integer DEFAULT 0 NOT NULL,
	`source` integer NOT NULL,
	`refusal` text,
	PRIMARY KEY(`audit_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `urls_by_key` ON `audit_urls` (`audit_id`,`key`);--> statement-breakpoint
CREATE INDEX `urls_waiting` ON `audit_urls` (`audit_id`,`queue`,`id`) WHERE state = 0;--> statement-breakpoint
CREATE TABLE `audits` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`started_by` text NOT NULL,
	`url` text NOT NULL,
	`site_origin` text,
	`options` text NOT NULL,
	`status` text NOT NULL,
	`attempt` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL,
	`attempt_started_at` integer NOT NULL,
	`ended_at` integer,
	`phase` text NOT NULL,
	`heartbeat_at` integer NOT NULL,
	`heartbeat_seq` integer DEFAULT 0 NOT NULL,
	`heartbeat_due_at` integer NOT NULL,
	`step_run` text,
	`step_order` integer DEFAULT 0 NOT NULL,
	`seen_seq` integer,
	`seen_since` integer,
	`last_look_at` integer,
	`queued_at` integer,
	`held_at` integer,
	`next_look_at` integer DEFAULT 0 NOT NULL,
	`look_delay_ms` integer DEFAULT 0 NOT NULL,
	`probed_at` integer,
	`last_evidence` text,
	`last_verdict` text,
	`error_code` text,
	`error_detail` text,
	`failed_phase` text,
	`ended_by` text,
	`verdict_id` text,
	`pages_crawled` integer DEFAULT 0 NOT NULL,
	`pages_total` integer DEFAULT 0 NOT NULL,
	`summary` text,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX `audits_overdue` ON `audits` (`heartbeat_due_at`,`id`) WHERE status = 'running';--> statement-breakpoint
CREATE INDEX `audits_running` ON `audits` (`organization_id`) WHERE status = 'running';--> statement-breakpoint
CREATE INDEX `audits_by_organization` ON `audits` (`organization_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audits_deleted` ON `audits` (`deleted_at`) WHERE deleted_at is not null;--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`organization_id` text NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`audit_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `key`)
);
--> statement-breakpoint
CREATE TABLE `organizations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `supervisor_decisions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`audit_id` text NOT NULL,
	`attempt` integer NOT NULL,
	`at` integer NOT NULL,
	`by` text NOT NULL,
	`run_id` text,
	`verdict` text NOT NULL,
	`code` text,
	`reason` text NOT NULL,
	`evidence` text NOT NULL,
	`acted` text NOT NULL,
	`detection_ms` integer
);
--> statement-breakpoint
CREATE INDEX `decisions_by_audit` ON `supervisor_decisions` (`audit_id`,`id`);--> statement-breakpoint
CREATE INDEX `decisions_by_time` ON `supervisor_decisions` (`at`);--> statement-breakpoint
CREATE TABLE `supervisor_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`started_by` text NOT NULL,
	`slot_at` integer NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`outcome` text,
	`checked` integer DEFAULT 0 NOT NULL,
	`failed` integer DEFAULT 0 NOT NULL,
	`status_calls` integer DEFAULT 0 NOT NULL,
	`report` text
);
--> statement-breakpoint
CREATE INDEX `supervisor_runs_by_start` ON `supervisor_runs` (`started_at`);--> statement-breakpoint
CREATE TABLE `supervisor_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`cursor_due_at` integer,
	`cursor_id` text,
	`lease_owner` text,
	`lease_until` integer DEFAULT 0 NOT NULL,
	`held_sweeps` integer DEFAULT 0 NOT NULL,
	`held_since` integer,
	`held_count` integer,
	`last_finished_at` integer,
	`last_cron_at` integer
);
