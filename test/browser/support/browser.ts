/** Debian's chromium, and what every page must keep to in it. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const IMAGES = resolve(import.meta.dirname, "../../../docs/images");
/** A name that is not the local machine's, so that the door is shut to it. */
export const STRANGE_HOST = "pulse.test";

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--host-resolver-rules=MAP ${STRANGE_HOST} 127.0.0.1`,
    ],
  });

export interface Watched {
  page: Page;
  /** What the browser complained about: refused scripts and styles, failed loads, thrown errors. */
  complaints: string[];
  close: () => Promise<void>;
}

/** A page in a context of its own. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, complaints, close: () => context.close() };
}

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** Violations of WCAG 2.2 A and AA on the page as it stands, as axe-core finds them. */
export async function violations(page: Page): Promise<string[]> {
  // Sent by the debugger, which the page's Content-Security-Policy does not bind.
  await page.evaluate(AXE);
  const found = await page.evaluate<Violation[]>(
    `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }).then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
  );
}

/** How far the page is wider than its window. Pixels. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");

/** Waits until the page's first line says so. */
export const expectAnswer = (page: Page, words: RegExp, timeout = 30_000): Promise<void> =>
  expect.poll(() => page.locator(".answer").innerText(), { timeout, interval: 100 }).toMatch(words);

/** Pictures for README are taken anew with PULSE_PICTURES=1; without it nothing in the project changes. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env.PULSE_PICTURES !== "1") return;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.screenshot({ path: join(IMAGES, `${name}-${colorScheme}.png`), animations: "disabled" });
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}
