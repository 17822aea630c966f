import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { notAdditive } from "../support/additive.ts";

const folder = join(import.meta.dirname, "../../migrations");
const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));

test.each(files)("migration %s only adds", (name) => {
  expect(notAdditive(readFileSync(join(folder, name), "utf8"))).toEqual([]);
});

test("migrations are numbered without a gap", () => {
  expect(files.toSorted().map((name) => Number(name.slice(0, 4)))).toEqual(files.map((_, index) => index));
});

test.each([
  "DROP TABLE `audits`;",
  "drop index `audits_overdue`;",
  "CREATE TABLE `__new_audits` (`id` text);",
  "ALTER TABLE `audits` RENAME COLUMN `url` TO `address`;",
  "ALTER TABLE audits DROP COLUMN url;",
  "UPDATE audits SET status = 'failed';",
  "PRAGMA foreign_keys=OFF;",
])("a migration that says %s is refused", (sql) => {
  expect(notAdditive(sql)).not.toEqual([]);
});

test("a migration that adds a table, a column and an index is taken", () => {
  const sql =
    "CREATE TABLE `a` (`id` text);--> statement-breakpoint\nALTER TABLE `a` ADD `b` integer;\nCREATE INDEX `c` ON `a` (`b`); -- drop table in words";
  expect(notAdditive(sql)).toEqual([]);
});
