/** An audit in the browser: started, watched to its end, followed to what was found; paused, hidden, without a script. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { serveDemo, type DemoServer } from "../demo/server.ts";
import { temporaryFolder } from "../runtime/support/command.ts";
import { type Server, startServer } from "../runtime/support/server.ts";
import { startSitesControl, type SitesControl } from "../support/sites-server.ts";
import type { Site } from "../support/sites.ts";
import {
  expectAnswer,
  openBrowser,
  openPage,
  overflow,
  picture,
  STRANGE_HOST,
  violations,
  type Watched,
} from "./support/browser.ts";

const TOKEN = "a-token-for-the-browser";

let browser: Browser;
let server: Server;
let shop: DemoServer;
let sites: SitesControl;
let slow: Site;
let gated: Site;

beforeAll(async () => {
  [browser, shop, sites] = await Promise.all([openBrowser(), serveDemo(), startSitesControl()]);
  slow = await sites.createSite({ generate: { pages: 60, links: 4, bytes: 3_000, delayMs: 1_000 } });
  gated = await sites.createSite({
    routes: {
      "/": { body: '<!doctype html><title>Gate</title><a href="/behind">behind</a>' },
      "/behind": { gate: "behind", body: "<title>Behind</title>" },
    },
  });
  const vars = { UNSAFE_LIMITS: "1", CRON_INTERVAL_MS: "2000", SWEEP_BUDGET_MS: "1500", SUSPECT_CONFIRM_MS: "2000", HEARTBEAT_EVERY_MS: "8000", SAVE_EVERY_PAGES: "2", HEADERS_TIMEOUT_MS: "60000", ADMIN_TOKEN: TOKEN }; // prettier-ignore
  server = await startServer(temporaryFolder(), [new URL(shop.origin).host, slow.host, gated.host], vars);
});
afterAll(async () => {
  await Promise.all([browser?.close(), server?.stop(), shop?.close(), sites?.close()]);
});

async function open(path: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const watched = await openPage(browser, options);
  onTestFinished(watched.close);
  await watched.page.goto(path.startsWith("http") ? path : server.url + path);
  return watched;
}

const start = async (url: string, options: Record<string, unknown> = {}): Promise<string> =>
  (await server.call<{ id: string }>("POST", "audits", { url, ...options })).id;
const ended = (id: string): Promise<void> =>
  vi.waitFor(async () => expect((await server.audit(id)).status).not.toBe("running"), {
    timeout: 60_000,
    interval: 200,
  });

describe("an audit in the browser", () => {
  test("is started from the form, watched to its end without a reload, and its findings followed to a page", async () => {
    const { page, complaints } = await open("/");
    await expectAnswer(page, /Everything is all right/);
    await page.getByLabel("Address of the site").fill(slow.origin);
    await page.getByLabel("Pages at most").fill("36");
    await page.getByRole("button", { name: "Start the audit" }).click();
    await page.waitForURL(/\/audits\/\w+\?notice=started$/);
    await page.evaluate("window.untouched = true");
    const pause = page.getByRole("button", { name: "Pause updates" });
    await pause.focus();
    await expectAnswer(page, /^Crawling: \d+ of about \d+ pages.*last heartbeat \d+ s ago\.$/);
    await expectAnswer(page, /^Crawling: [1-9]\d* of about \d+ pages, [\d.]+ a second/);
    await picture((await open(new URL(page.url()).pathname)).page, "running");
    // What is read while it runs: the focus stays where it was.
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Pause updates");
    await expectAnswer(page, /^Completed in \d+ s: 36 pages/, 60_000);
    expect(await page.evaluate("window.untouched")).toBe(true);
    expect(await page.locator("[data-live]").count()).toBe(0);

    await page.getByRole("heading", { name: "Fix first" }).waitFor();
    await page.locator(".checks summary").first().click();
    await page.locator(".checks details[open] .more").first().click();
    await page.waitForURL(/\/findings\//);
    await page.locator(".places a[href*='/pages/']").first().click();
    await page.waitForURL(/\/pages\/\d+$/);
    await page.getByRole("heading", { name: "Everything known" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("can be paused, and is not asked for while nobody can see it", async () => {
    const id = await start(gated.origin);
    const { page } = await open(`/audits/${id}`);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await expect.poll(() => asked.length, { timeout: 10_000 }).toBeGreaterThan(1);

    await page.getByRole("button", { name: "Pause updates" }).click();
    await page.getByText("Paused: this is how it was when you paused it.").waitFor();
    await page.waitForLoadState("networkidle");
    const before = asked.length;
    await page.getByRole("button", { name: "Go on updating" }).click();
    await expect.poll(() => asked.length, { timeout: 10_000 }).toBeGreaterThan(before);
    expect(await page.getByText("Paused:").count()).toBe(0);

    const hide = (hidden: boolean): Promise<unknown> =>
      page.evaluate(
        `Object.defineProperty(document, "hidden", { configurable: true, get: () => ${hidden} }); document.dispatchEvent(new Event("visibilitychange"))`,
      );
    await hide(true);
    await page.waitForLoadState("networkidle");
    const hidden = asked.length;
    // Longer than two rounds of asking; the clock of the page itself shows that time has passed.
    const seconds = (): Promise<number> => page.evaluate<number>("performance.now()");
    const since = await seconds();
    await expect.poll(async () => (await seconds()) - since, { timeout: 10_000 }).toBeGreaterThan(5_000);
    expect(asked.length).toBe(hidden);
    await hide(false);
    await expect.poll(() => asked.length, { timeout: 10_000 }).toBeGreaterThan(hidden);

    // Answered with 304 while nothing changes.
    const statuses: number[] = [];
    page.on("response", (response) => statuses.push(response.status()));
    await expect.poll(() => statuses, { timeout: 20_000 }).toContain(304);
    await gated.open("behind");
    await expectAnswer(page, /^Completed/, 30_000);
  });

  test("works without a script: started, canceled after one question, resumed, deleted after another", async () => {
    const site = await sites.createSite({ routes: { "/": { gate: "never", body: "<title>Late</title>" } } });
    onTestFinished(() => site.close());
    const { page } = await open("/", { javaScriptEnabled: false });
    await page.getByText("All options").click();
    await page.getByLabel("No pages like").fill("/cart");
    await page.getByLabel("Address of the site").fill(slow.origin);
    await page.getByRole("button", { name: "Start the audit" }).click();
    await expectAnswer(page, /^(Starting|Discovering|Crawling)/);
    await page.getByRole("link", { name: "Reload to see what has changed" }).click();
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByText("Nothing is lost").waitFor();
    await page.getByRole("button", { name: "Cancel it" }).click();
    await expectAnswer(page, /^Canceled while/);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("The audit goes on under a new attempt.").waitFor();
    await page.getByRole("link", { name: "Delete" }).click();
    await page.getByText("Lost for good").waitFor();
    await page.getByRole("button", { name: "Delete it" }).click();
    await page.getByText("The audit and everything that it had found are deleted.").waitFor();
  });

  test("can be started with the keyboard alone", async () => {
    const { page } = await open("/");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent.trim()")).toBe("Skip to the content");
    expect(await page.locator(".skip").evaluate((link) => link.getBoundingClientRect().top)).toBeGreaterThanOrEqual(0);
    await page.keyboard.press("Enter");
    for (let presses = 0; presses < 8; presses += 1) {
      await page.keyboard.press("Tab");
      if ((await page.evaluate("document.activeElement.name")) === "url") break;
    }
    await page.keyboard.type("http://10.0.0.1/");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("not allowed");
    expect(await page.getByLabel("Address of the site").inputValue()).toBe("http://10.0.0.1/");
  });
});

describe("every page", () => {
  let id: string;
  let paths: string[];
  beforeAll(async () => {
    await ended(await start(shop.origin));
    id = await start(shop.origin);
    await ended(id);
    paths = ["", "/findings", "/findings/title.missing", "/findings/link.broken-internal", "/pages", "/pages?status=4xx", "/pages/1", "/compare", "/attempts", "/exports", "/delete"]
      .map((path) => `/audits/${id}${path}`); // prettier-ignore
    paths.push("/", "/?status=failed", "/supervisor", "/setup", "/tokens", "/nowhere");
  });

  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)("can be used by everybody: %s, %i wide", async (colorScheme, width) => {
    const { page, complaints } = await open("/", {
      colorScheme,
      viewport: { width, height: 800 },
      reducedMotion: "reduce",
    });
    const found: string[] = [];
    for (const path of paths) {
      await page.goto(server.url + path);
      for (const violation of await violations(page)) found.push(`${path} ${violation}`);
      const tooWide = await overflow(page);
      if (tooWide > 0) found.push(`${path} is ${tooWide} px wider than its window`);
    }
    expect(found).toEqual([]);
    // A missing page is told as such in the console, too.
    expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
  });

  test("shows the whole of a long address at 360 px, and copies it without what lets it wrap", async () => {
    const { page } = await open(`/audits/${id}/pages`, {
      viewport: { width: 360, height: 800 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.locator(".pages a").first().click();
    await page.getByRole("button", { name: "Copy the address of the page" }).click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^http:\/\/localhost:\d+\/$/);
  });

  test("pictures for README", async () => {
    const { page } = await open("/");
    await picture(page, "audits");
    await page.goto(`${server.url}/audits/${id}`);
    await expectAnswer(page, /^Completed/);
    await picture(page, "completed");
    await page.goto(`${server.url}/audits/${id}/findings/link.broken-internal`);
    await picture(page, "finding");
  });
});

test("the set-up page looks at its own configuration", async () => {
  const { page } = await open("/setup");
  await expectAnswer(page, /1 thing of 7 is not in order/);
  expect(await page.locator("section", { has: page.getByRole("heading", { name: "Limits" }) }).innerText()).toContain(
    "SUSPECT_CONFIRM_MS",
  );
  expect(await page.locator("section", { has: page.getByRole("heading", { name: "Database" }) }).innerText()).toContain(
    "In order",
  );
});

test("the door asks strangers for a token, and leads on to where they wanted to go", async () => {
  const strange = `http://${STRANGE_HOST}:${server.port}`;
  const { page } = await open(`${strange}/supervisor`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await page.getByRole("link", { name: "Supervisor" }).count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.getByLabel("Token").fill("guessed");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.goto(`${strange}/supervisor`);
  await page.getByLabel("Token").fill(TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expectAnswer(page, /supervisor/i);
  expect(new URL(page.url()).pathname).toBe("/supervisor");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});
