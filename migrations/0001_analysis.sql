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
ALTER TABLE `audit_pages` ADD `follow_inlinks` integer;