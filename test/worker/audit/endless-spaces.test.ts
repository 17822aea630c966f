import { expect, test } from "vitest";
import { auditSite, linkPage } from "../support/audits.ts";

const days = Array.from({ length: 400 }, (_, n) => n);
const day = (n: number): string => `/calendar?day=${n}&view=month`;

test("an endless calendar is cut and reported, and what is real is crawled", async () => {
  const routes = Object.fromEntries(
    days.map((n) => [day(n), linkPage("Calendar: nothing happens on this day", day(n + 1), "/", "/real")]),
  );
  const { audit, findings, pages } = await auditSite({
    routes: { "/": linkPage("Start", day(0), "/real"), "/real": linkPage("Real", "/"), ...routes },
  });
  expect(audit.status).toBe("completed");
  expect(findings.some((finding) => finding.startsWith("crawl.trap"))).toBe(true);
  expect(pages.length).toBeLessThan(260);
  expect(pages.some(({ url }) => url.endsWith("/real"))).toBe(true);
  expect(audit.summary).toMatchObject({ crawlCompleted: true });
});

test("paths that repeat themselves are not followed for ever", async () => {
  const { audit, pages, findings } = await auditSite({
    routes: { "/": linkPage("Start", "www.shop.example/") },
    fallback: linkPage("The same everywhere", "www.shop.example/"),
  });
  expect(audit.status).toBe("completed");
  expect(pages.length).toBeLessThan(6);
  expect(findings.some((finding) => finding.startsWith("crawl.trap"))).toBe(true);
});
