/** `npm run audit` and `npm run demo` as a person or a script calls them, on the real runtime. */
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { auditResponse, checksResponse, issueResponse, pageResponse } from "../../src/http/api/schemas.ts";
import { serveDemo, type DemoServer } from "../demo/server.ts";
import { CONSEQUENCES, KNOWN_FAULTS } from "../demo/faults.ts";
import { run, temporaryFolder, type Running } from "./support/command.ts";

const reportSchema = z.strictObject({
  audit: auditResponse,
  pages: z.array(pageResponse),
  issues: z.array(issueResponse),
  checks: checksResponse,
});

let shop: DemoServer;
const state = temporaryFolder();

beforeAll(async () => {
  shop = await serveDemo();
});
afterAll(async () => {
  await shop.close();
});

async function expectNothingLeft(running: Running): Promise<void> {
  await expect.poll(running.leftovers, { timeout: 10_000 }).toEqual([]);
}

describe("an audit of the demo shop", () => {
  const dir = temporaryFolder();
  const json = join(dir, "audit.json");
  const csv = join(dir, "audit.csv");
  let first: Running;
  let report: z.infer<typeof reportSchema>;

  beforeAll(async () => {
    first = run("audit", [shop.origin, "--state", state, "--json", json, "--csv", csv, "--fail-on", "error"], {
      npm: true,
    });
    await first.ended;
    report = reportSchema.parse(JSON.parse(readFileSync(json, "utf8")));
  });

  test("exits with 1 since errors were found, and leaves no process behind", async () => {
    expect(first.err()).toContain("Auditing");
    expect(await first.ended).toBe(1);
    await expectNothingLeft(first);
  });

  test("prints the report", () => {
    expect(first.out()).toMatch(/Pulse Audit {3}http:\/\/localhost:\d+ {3}completed in \d+/);
    expect(first.out()).toContain("Fix first");
    expect(first.out()).toMatch(/Passed: \d+ of \d+ checks/);
  });

  test.each(KNOWN_FAULTS.map((fault) => [fault.check, fault] as const))("finds %s", (check, { paths, cluster }) => {
    const found = report.issues.filter((issue) => issue.check === check).map((issue) => new URL(issue.url).pathname);
    if (cluster) expect(paths.some((path) => found.includes(path))).toBe(true);
    else expect(found).toEqual(expect.arrayContaining(paths));
  });

  test("raises no false alarm: every error and warning is one of the known faults or follows from one", () => {
    const known = [...KNOWN_FAULTS, ...CONSEQUENCES];
    const strangers = report.issues
      .filter((issue) => issue.severity !== "notice")
      .map((issue) => ({ check: issue.check, path: new URL(issue.url).pathname }))
      .filter(({ check, path }) => !known.some((fault) => fault.check === check && fault.paths.includes(path)));
    expect(strangers).toEqual([]);
  });

  test("writes each page once, and words for every check that found something", () => {
    const urls = report.pages.map((page) => page.url);
    expect(new Set(urls).size).toBe(urls.length);
    expect(urls).toContain(`${shop.origin}/spades/border-fork`);
    expect(urls).not.toContain(`${shop.origin}/basket`);
    for (const issue of report.issues) expect(report.checks[issue.check]).toBeDefined();
  });

  test("writes one line an issue as CSV", () => {
    const text = readFileSync(csv, "utf8");
    expect(text.startsWith("\ufeffseverity,check,title,url,")).toBe(true);
    // Only a cell with quotes around it may hold a line break, and those are no CR LF.
    expect(text.trimEnd().split("\r\n")).toHaveLength(report.issues.length + 1);
  });

  test("again uses the same state without migrating it anew, stops at the limit, and is fine without --fail-on", async () => {
    const marker = join(state, "pulse-migrations.sha256");
    const migrated = statSync(marker).mtimeMs;
    const second = run("audit", [shop.origin, "--state", state, "--max-pages", "5", "--json", json]);
    expect(await second.ended).toBe(0);
    expect(statSync(marker).mtimeMs).toBe(migrated);
    const { audit } = reportSchema.parse(JSON.parse(readFileSync(json, "utf8")));
    expect(audit.pagesCrawled).toBe(5);
    expect(audit.id).not.toBe(report.audit.id);
    await expectNothingLeft(second);
  });
});

describe("an audit that cannot succeed", () => {
  test("of a site where nobody answers exits with 3 and says why and what to do", async () => {
    const gone = createServer();
    gone.listen(0, "127.0.0.1");
    await once(gone, "listening");
    const address = gone.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    gone.close();
    const running = run("audit", [`http://localhost:${port}`, "--state", state]);
    expect(await running.ended).toBe(3);
    expect(running.out()).toContain("site_unreachable");
    expect(running.out()).toContain("What to do:");
    await expectNothingLeft(running);
  });

  test("of something that is no address never starts a runtime", async () => {
    const running = run("audit", ["not a url", "--state", state]);
    expect(await running.ended).toBe(2);
    expect(running.err()).not.toContain("runtime");
  });
});

describe("an audit that is interrupted", () => {
  let slow: Server;
  let url: string;

  beforeAll(async () => {
    // Answers its start page, and then takes its time for ever.
    slow = createServer((request, response) => {
      if (/^\/\d+$/.test(request.url ?? "")) return;
      response.writeHead(request.url === "/" ? 200 : 404, { "content-type": "text/html" });
      const links = Array.from({ length: 40 }, (_, at) => `<a href="/${at}">${at}</a>`);
      response.end(`<!doctype html><title>Slow</title><p>${links.join(" ")}`);
    });
    slow.listen(0, "127.0.0.1");
    await once(slow, "listening");
    const address = slow.address();
    url = `http://localhost:${typeof address === "object" && address !== null ? address.port : 0}`;
  });
  afterAll(() => {
    slow.closeAllConnections();
    slow.close();
  });

  test("by Ctrl-C says so, exits with 130, writes no half report, and leaves no process behind", async () => {
    const file = join(temporaryFolder(), "a.json");
    const running = run("audit", [url, "--state", state, "--json", file]);
    await expect.poll(running.err, { timeout: 60_000 }).toContain("Crawling");
    running.child.kill("SIGINT");
    expect(await running.ended).toBe(130);
    expect(running.err()).toContain("Interrupted");
    expect(existsSync(file)).toBe(false);
    await expectNothingLeft(running);
  });

  test("while the runtime still starts leaves no process behind either", async () => {
    const running = run("audit", [url, "--state", temporaryFolder()]);
    await expect
      .poll(running.leftovers, { timeout: 30_000 })
      .toContainEqual(expect.stringContaining("runtime/child.ts"));
    running.child.kill("SIGINT");
    expect(await running.ended).toBe(130);
    await expectNothingLeft(running);
  });

  test("by kill -9 takes its runtime with it, and the next audit can use the state", async () => {
    const running = run("audit", [url, "--state", state]);
    await expect.poll(running.err, { timeout: 60_000 }).toContain("Crawling");
    running.child.kill("SIGKILL");
    await running.ended;
    await expectNothingLeft(running);
    const next = run("audit", [shop.origin, "--state", state, "--max-pages", "3"]);
    expect(await next.ended).toBe(0);
  });

  test("by kill -9 of launcher and runtime at once leaves only what the next audit on that state ends", async () => {
    const running = run("audit", [url, "--state", state]);
    await expect.poll(running.err, { timeout: 60_000 }).toContain("Auditing");
    const own = running.processes().filter(({ args }) => !args.includes("workerd"));
    for (const { pid } of own) process.kill(pid, "SIGKILL");
    await running.ended;
    await expect
      .poll(running.leftovers)
      .toEqual([expect.stringContaining("workerd"), expect.stringContaining("workerd")]);
    const next = run("audit", [shop.origin, "--state", state, "--max-pages", "3"]);
    expect(await next.ended, next.err()).toBe(0);
    expect(running.leftovers()).toEqual([]);
  });

  test("by a SIGTERM to npm, which ends npm's shell only, leaves no process behind", async () => {
    const running = run("audit", [url, "--state", state], { npm: true });
    await expect.poll(running.err, { timeout: 60_000 }).toContain("Auditing");
    running.child.kill("SIGTERM");
    await running.ended;
    await expectNothingLeft(running);
  });

  test("by SIGTERM exits with 143 and leaves no process behind", async () => {
    const running = run("audit", [url, "--state", state]);
    await expect.poll(running.err, { timeout: 60_000 }).toContain("Auditing");
    running.child.kill("SIGTERM");
    expect(await running.ended).toBe(143);
    await expectNothingLeft(running);
  });
});

test("the demo serves its shop, audits it and prints the report", async () => {
  const running = run("demo", [], { npm: true });
  expect(await running.ended).toBe(0);
  expect(running.out()).toContain("Fix first");
  await expectNothingLeft(running);
});
