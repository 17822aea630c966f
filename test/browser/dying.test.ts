/** The runtime is killed with -9 under a page that watches: it says so, then what became of the audit, and goes on. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { temporaryFolder } from "../runtime/support/command.ts";
import { type Server, startServer } from "../runtime/support/server.ts";
import { startSitesControl, type SitesControl } from "../support/sites-server.ts";
import { expectAnswer, openBrowser, openPage, picture, violations } from "./support/browser.ts";

const VARS = {
  UNSAFE_LIMITS: "1",
  HEARTBEAT_EVERY_MS: "1000",
  CRAWL_STEP_PAGES: "4",
  SAVE_EVERY_PAGES: "1",
  CRAWL_CONCURRENCY: "1",
  STALE_RUNNING_AFTER_MS: "8000",
  SUSPECT_CONFIRM_MS: "2000",
  INSTANCE_LOST_CONFIRM_MS: "1000",
  PROBE_EVERY_MS: "500",
  CRON_INTERVAL_MS: "3000",
  SWEEP_BUDGET_MS: "2500",
};

let browser: Browser;
let server: Server | null = null;
let sites: SitesControl;

beforeAll(async () => {
  [browser, sites] = await Promise.all([openBrowser(), startSitesControl()]);
});
afterAll(async () => {
  await Promise.all([browser?.close(), server?.stop(), sites?.close()]);
});

test("the page says that it is stale, then overdue, then dead and why; resume finishes it; the supervisor tells of it", async () => {
  const site = await sites.createSite({ generate: { pages: 29, links: 4, bytes: 2_000, delayMs: 400 } });
  const state = temporaryFolder();
  server = await startServer(state, [site.host], VARS);
  const { id } = await server.call<{ id: string }>("POST", "audits", { url: site.origin });
  const { page } = await openPage(browser);
  await page.goto(`${server.url}/audits/${id}`);
  await expectAnswer(page, /^Crawling: ([4-9]|1\d) of about/);

  await server.kill9();
  const { port } = server;
  const note = page.locator("[data-live-note]");
  await expect
    .poll(() => note.innerText(), { timeout: 20_000 })
    .toMatch(/^Stale: the server has not answered since .+; trying again\.$/);
  expect(await page.locator(".live.is-stale").count()).toBe(1);
  expect(await page.locator(".answer").innerText()).toMatch(/^Crawling/);

  server = await startServer(state, [site.host], VARS, port);
  await expectAnswer(page, /^(Overdue: the last heartbeat was .* ago, the next was promised .* ago\.|Failed)/, 30_000);
  await expect.poll(() => note.count().then((there) => (there === 0 ? "" : note.innerText()))).toBe("");
  expect(await violations(page)).toEqual([]);
  await expectAnswer(
    page,
    /^Failed while crawling, after \d+ pages?: stopped sending heartbeats\..*Resume goes on from here\.$/,
    60_000,
  );
  await page.getByText("What to do").waitFor();
  expect(await page.locator(".failure").innerText()).toContain("The platform was asked and said: running.");
  expect(await page.locator(".pulse-gap").count()).toBeGreaterThan(0);
  expect(await violations(page)).toEqual([]);
  await picture(page, "failed");

  await page.getByRole("button", { name: "Resume" }).click();
  await expectAnswer(page, /^(Starting|Discovering|Crawling)/);
  await expectAnswer(page, /^Completed in .* 30 pages/, 60_000);

  await page.getByRole("link", { name: "Attempts" }).click();
  expect(await page.locator(".attempt").count()).toBe(2);
  expect(await page.locator(".attempts").innerText()).toContain(`audit-${id}-1`);
  expect(await violations(page)).toEqual([]);

  await page.getByRole("link", { name: "Supervisor" }).click();
  await expectAnswer(page, /^The supervisor is on time: it finished a run \d+ s ago, and no audit is overdue\.$/);
  const decisions = page.locator(".decisions");
  expect(await decisions.innerText()).toMatch(/Dead[\s\S]*Ended as “Stopped sending heartbeats”/);
  expect(await page.locator(".slot-done").count()).toBeGreaterThan(1);
  expect(await page.locator(".plot-dot").count()).toBe(1);
  await page.getByText("None. No audit that was ended for its silence").waitFor();
  expect(await violations(page)).toEqual([]);
  await picture(page, "supervisor");

  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByText(/The supervisor has finished a run\.|Another run is going on\./).waitFor();
});
