import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { Interrupted } from "../../../src/cli/interrupt.ts";
import {
  auditAnswer,
  COMPLETED,
  FAILED,
  fakeServer,
  ISSUES,
  SUMMARY,
  type FakeServer,
} from "../../support/fake-server.ts";
import { audit } from "./support.ts";

const SITE = "https://shop.example/";
const servers: FakeServer[] = [];

async function serve(...story: Parameters<typeof fakeServer>): Promise<FakeServer> {
  const server = await fakeServer(...story);
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const folder = (): string => mkdtempSync(join(tmpdir(), "pulse-cli-"));

describe("an audit on a server", () => {
  test("is started with the address and the limit, followed to its end, and reported", async () => {
    const crawling = auditAnswer({ pagesCrawled: 412, pagesTotal: 1_300, maxPages: 2_000 });
    const server = await serve({ polls: [crawling, COMPLETED] });
    const seen = await audit([SITE, "--server", server.url, "--max-pages", "2000"]);
    expect(seen.exitCode).toBe(0);
    expect(server.bodies[0]).toEqual({ url: SITE, maxPages: 2_000 });
    expect(seen.err).toContain("Crawling: 412 of about 1,300 pages, last heartbeat 4 s ago");
    expect(seen.out).toContain("completed in 41 s   1,284 pages   0 blocked");
    expect(seen.out).toContain("Health 82");
    expect(seen.out).toContain("12 pages link to /spring-sale, which answers 404");
    expect(seen.out).toContain("/  /garden  /tools  ... (12)");
  });

  test("sends the token from the environment and never shows it", async () => {
    const server = await serve({ token: "secret-token" });
    const seen = await audit([SITE, "--server", server.url], { env: { PULSE_AUDIT_TOKEN: "secret-token" } });
    expect(seen.exitCode).toBe(0);
    expect(server.tokens[0]).toBe("Bearer secret-token");
    expect(seen.out + seen.err).not.toContain("secret-token");
  });

  test("without a token where one is needed says where to put it, and exits with 2", async () => {
    const server = await serve({ token: "secret-token" });
    const seen = await audit([SITE, "--server", server.url]);
    expect(seen.exitCode).toBe(2);
    expect(seen.err).toContain("needs a token");
    expect(seen.err).toContain("PULSE_AUDIT_TOKEN");
  });

  test("with a wrong token says so without showing it", async () => {
    const server = await serve({ token: "secret-token" });
    const seen = await audit([SITE, "--server", server.url], { env: { PULSE_AUDIT_TOKEN: "guessed" } });
    expect(seen.exitCode).toBe(2);
    expect(seen.err).toContain("does not accept the token");
    expect(seen.err).not.toContain("guessed");
  });

  test("never carries the token along a redirect", async () => {
    const other = await serve();
    const server = await serve({
      override: () => ({ status: 307, body: "", headers: { location: `${other.url}/api/v1/audits` } }),
    });
    const seen = await audit([SITE, "--server", server.url], { env: { PULSE_AUDIT_TOKEN: "secret-token" } });
    expect(seen.exitCode).toBe(3);
    expect(other.requests).toEqual([]);
    expect(seen.err).toContain("redirects to");
  });

  test("that answers something else than Pulse Audit is told apart from a failure of the audit", async () => {
    const server = await serve({
      override: (method) => (method === "GET" ? { status: 200, body: { hello: 1 } } : null),
    });
    const seen = await audit([SITE, "--server", server.url]);
    expect(seen.exitCode).toBe(3);
    expect(seen.err).toContain("in another form than this version expects");
  });

  test("whose server is gone for a moment is followed on", async () => {
    let answers = 0;
    const server = await serve({
      override: (method, path) =>
        method === "GET" && path.endsWith("/fake-1") && ++answers <= 2 ? { status: 503, body: "starting" } : null,
    });
    const seen = await audit([SITE, "--server", server.url]);
    expect(seen.exitCode).toBe(0);
    expect(seen.err).toContain("asking again");
  }, 20_000);

  test("that the server refuses shows its words and hint", async () => {
    const refusal = {
      error: { code: "audit_capacity_reached", message: "3 audits are running.", hint: "Wait for one." },
    };
    const server = await serve({ override: (method) => (method === "POST" ? { status: 409, body: refusal } : null) });
    const seen = await audit([SITE, "--server", server.url]);
    expect(seen.exitCode).toBe(3);
    expect(seen.err).toContain("3 audits are running.\nWait for one.\n(audit_capacity_reached)");
  });

  test("interrupted says that it goes on, and how to follow and to end it", async () => {
    const server = await serve({ polls: [auditAnswer({ pagesCrawled: 7 })] });
    const controller = new AbortController();
    const running = audit([SITE, "--server", server.url], { signal: controller.signal });
    await expect.poll(() => server.requests).toContain("GET /api/v1/audits/fake-1");
    controller.abort(new Interrupted(130));
    const seen = await running;
    expect(seen.exitCode).toBe(130);
    expect(seen.err).toContain("goes on");
    expect(seen.err).toContain("cancel fake-1");
  });
});

describe("exit codes", () => {
  test.each([
    ["never", 0],
    ["error", 1],
    ["warning", 1],
  ])("with an error found and --fail-on %s it is %i", async (level, code) => {
    const server = await serve();
    expect((await audit([SITE, "--server", server.url, "--fail-on", level])).exitCode).toBe(code);
  });

  test.each([
    ["error", 0],
    ["warning", 1],
  ])("with only warnings found and --fail-on %s it is %i", async (level, code) => {
    const summary = { ...SUMMARY, issues: { error: 0, warning: 2, notice: 0 } };
    const server = await serve({ polls: [{ ...COMPLETED, summary }] });
    expect((await audit([SITE, "--server", server.url, "--fail-on", level])).exitCode).toBe(code);
  });

  test("a failed audit exits with 3, says code, phase and advice, and still writes what was found", async () => {
    const dir = folder();
    const server = await serve({ polls: [FAILED] });
    const seen = await audit([
      SITE,
      "--server",
      server.url,
      "--json",
      join(dir, "a.json"),
      "--csv",
      join(dir, "a.csv"),
    ]);
    expect(seen.exitCode).toBe(3);
    for (const word of ["heartbeat_lost", "phase crawling", "after 812 pages", "Resume goes on from here."]) {
      expect(seen.out).toContain(word);
    }
    expect(readdirSync(dir).toSorted()).toEqual(["a.csv", "a.json"]);
  });

  test.each<[string, string[]]>([
    ["no address", []],
    ["something that is no address", ["foo"]],
    ["an address without a scheme", ["example.com"]],
    ["a scheme that is not http", ["ftp://example.com"]],
    ["a password in the address", ["https://me:pw@example.com"]],
    ["an unknown option", [SITE, "--bogus"]],
    ["an option without its value", [SITE, "--json"]],
    ["two arguments, as npm leaves them without --", [SITE, "50"]],
    ["a limit of nothing", [SITE, "--max-pages", "0"]],
    ["a limit that is no number", [SITE, "--max-pages", "1e3"]],
    ["an unknown level", [SITE, "--fail-on", "notice"]],
    ["one file for two formats", [SITE, "--json", "/tmp/x", "--csv", "/tmp/x"]],
    ["a file in a folder that is not there", [SITE, "--json", "/nowhere/at/all.json"]],
    ["a folder instead of a file", [SITE, "--csv", tmpdir()]],
  ])("%s is wrong use: 2, before anything is asked of the server", async (_what, args) => {
    const server = await serve();
    const seen = await audit([
      ...args,
      ...(args.includes(SITE) && args.at(-1) !== "--json" ? ["--server", server.url] : []),
    ]);
    expect(seen.exitCode).toBe(2);
    expect(seen.err).toContain("--help");
    expect(server.requests).toEqual([]);
  });

  test("asking for help is fine, for each command too", async () => {
    expect(await audit(["--help"])).toMatchObject({ exitCode: 0, err: "" });
    const sweep = await audit(["sweep", "--help"]);
    expect(sweep.exitCode).toBe(0);
    expect(sweep.out).toContain("--dry-run");
  });
});

describe("report files", () => {
  test("hold every page and issue, however many cursors it takes", async () => {
    const dir = folder();
    const server = await serve({ pages: 7 });
    await audit([SITE, "--server", server.url, "--json", join(dir, "a.json"), "--csv", join(dir, "a.csv")]);
    const report: unknown = JSON.parse(readFileSync(join(dir, "a.json"), "utf8"));
    expect(report).toHaveProperty("pages.length", 7);
    expect(report).toHaveProperty("issues", ISSUES);
    expect(report).toMatchObject({
      audit: { id: "fake-1", status: "completed" },
      checks: {
        "title.duplicate": { title: "Duplicate title", why: "w", fix: "f", source: null },
      },
    });
    expect(readFileSync(join(dir, "a.csv"), "utf8").split("\r\n")).toHaveLength(4);
  });

  test("are not left half written when the audit cannot be started, and an older one stays", async () => {
    const dir = folder();
    const server = await serve({ token: "secret-token" });
    await audit([SITE, "--server", server.url, "--json", join(dir, "a.json")]);
    expect(existsSync(join(dir, "a.json"))).toBe(false);
    expect(readdirSync(dir)).toEqual([]);
  });
});
