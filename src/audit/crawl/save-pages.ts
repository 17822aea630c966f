/** The statements that keep a batch of crawled pages: their rows, their findings, and the addresses that they brought. */
import type { SQL } from "drizzle-orm";
import { type Fence, fenceHolds } from "../../storage/fence.ts";
import { insertUrls, markDone, markRefused, type NewUrl, promoteLinked } from "../../storage/frontier-repository.ts";
import { insertRows } from "../../storage/insert-rows.ts";
import type { AddressBook } from "./address-book.ts";
import type { LinkJudge } from "./link-judge.ts";
import { type CrawledPage, ISSUE_COLUMNS, issueRows, PAGE_COLUMNS, pageRow } from "./page-rows.ts";

export interface PageBatch {
  pages: readonly CrawledPage[];
  /** Numbers of addresses that turned out to be forbidden by robots.txt. */
  forbidden: readonly number[];
  created: readonly NewUrl[];
  promoted: readonly { id: number; depth: number; source: number }[];
}

/** Every address of the pages must have its number in `book`. All of them may be repeated. */
export function savePagesStatements(fence: Fence, batch: PageBatch, judge: LinkJudge, book: AddressBook): SQL[] {
  const { pages, forbidden, created, promoted } = batch;
  const { auditId } = fence;
  const holds = fenceHolds(fence);
  const fetchedAt = Date.now();
  const pageRows = pages.map((page) => pageRow(auditId, page, judge, book, fetchedAt));
  const findings = pages.flatMap((page) => issueRows(auditId, page));
  const done = pages.map(({ id }) => id);
  return [
    ...insertUrls(fence, created),
    ...(promoted.length > 0 ? [promoteLinked(fence, promoted)] : []),
    ...insertRows("audit_pages", PAGE_COLUMNS, pageRows, holds),
    ...insertRows("audit_issues", ISSUE_COLUMNS, findings, holds),
    markDone(fence, done),
    ...(forbidden.length > 0 ? [markRefused(fence, forbidden, "robots")] : []),
  ];
}
