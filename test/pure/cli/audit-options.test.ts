import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startAuditRequest } from "../../../src/http/api/start-request.ts";
import { AUDIT_OPTIONS, FILE_OPTIONS, optionsHelp } from "../../../src/cli/audit-options.ts";
import { withSecretKey } from "../../../src/cli/runtime/secret-key.ts";
import { COMPLETED, fakeServer, type FakeServer, SUMMARY } from "../../support/fake-server.ts";
import { audit, type Seen, type Setting } from "./support.ts";

const SITE = "https://shop.example/";
const folder = (): string => mkdtempSync(join(tmpdir(), "pulse-options-"));

let server: FakeServer;
beforeEach(async () => {
  server = await fakeServer();
});
afterEach(() => server.close());

const run = (args: string[], setting: Setting = {}): Promise<Seen> =>
  audit([SITE, "--server", server.url, ...args], setting);

async function sentBy(args: string[], setting: Setting = {}): Promise<unknown> {
  const seen = await run(args, setting);
  expect(seen.exitCode, seen.err).toBe(0);
  return server.bodies[0];
}

describe("each option of the start request", () => {
  test.each<[string[], Record<string, unknown>]>([
    [["--max-pages", "20"], { maxPages: 20 }],
    [["--max-depth", "0"], { maxDepth: 0 }],
    [["--include", "/blog/*", "--include", "/shop"], { include: ["/blog/*", "/shop"] }],
    [["--exclude", "*.pdf"], { exclude: ["*.pdf"] }],
    [["--subdomains"], { subdomains: true }],
    [["--sitemap-only"], { sitemapOnly: true }],
    [["--ignore-param", "ref", "--ignore-param", "sid"], { ignoreParameters: ["ref", "sid"] }],
    [["--user-agent", "12"], { userAgent: "12" }],
    [["--delay", "250"], { requestDelayMs: 250 }],
    [
      ["--header", "X-Staging: open: sesame", "--header", "X-Two:2"],
      { headers: { "X-Staging": "open: sesame", "X-Two": "2" } },
    ],
  ])("%j is sent as %j", async (args, expected) => {
    expect(await sentBy(args)).toEqual({ url: SITE, ...expected });
  });

  test("--list sends the addresses of a file, without blank lines and comments", async () => {
    const file = join(folder(), "list.txt");
    writeFileSync(file, "https://shop.example/a\r\n\n# later: /c\n  https://shop.example/b  \n");
    expect(await sentBy(["--list", file])).toEqual({
      url: SITE,
      list: ["https://shop.example/a", "https://shop.example/b"],
    });
  });

  test("--basic-auth sends what the environment holds, and shows it nowhere", async () => {
    const env = { PULSE_AUDIT_BASIC_AUTH: "ann:se:cret" };
    expect(await sentBy(["--basic-auth"], { env })).toEqual({
      url: SITE,
      basicAuth: { username: "ann", password: "se:cret" },
    });
    const seen = await run(["--basic-auth", "--max-pages", "0"], { env });
    expect(seen.out + seen.err).not.toContain("cret");
  });

  test("has its option, and every option of the table is in --help", async () => {
    const fields = new Set(
      Object.values(AUDIT_OPTIONS).flatMap((row) => ("field" in row ? [row.field as string] : [])),
    );
    expect([...fields, "url"].toSorted()).toEqual(Object.keys(startAuditRequest.shape).toSorted());
    const help = (await audit(["--help"])).out;
    for (const name of Object.keys(AUDIT_OPTIONS)) expect(help).toContain(`--${name}`);
    for (const line of optionsHelp().split("\n")) expect(line.length).toBeLessThanOrEqual(96);
  });
});

describe("wrong use is 2, names the option, and repeats no secret", () => {
  test.each<[string, string[], string]>([
    ["a depth that is no number", ["--max-depth", "deep"], "--max-depth"],
    ["a delay that is too long", ["--delay", "99999999"], "--delay"],
    ["a header without a colon", ["--header", "secret-value"], "--header"],
    ["a header that the crawler sets itself", ["--header", "Host: secret-value"], "--header"],
    ["a header with a line break in it", ["--header", "X: a\nsecret-value: b"], "--header"],
    ["a password on the command line", ["--basic-auth", "ann:secret-value"], "PULSE_AUDIT_BASIC_AUTH"],
    ["a password on the command line, with =", ["--basic-auth=ann:secret-value"], "PULSE_AUDIT_BASIC_AUTH"],
    ["--basic-auth with an empty environment", ["--basic-auth"], "PULSE_AUDIT_BASIC_AUTH"],
    ["a list that is not there", ["--list", "/nowhere/list.txt"], "--list"],
    ["two reports in one file", ["--sarif", "/tmp/x", "--html", "/tmp/../tmp/x"], "--html"],
    ["an export into a folder that is not there", ["--sitemap", "/nowhere/at/all.xml"], "--sitemap"],
  ])("%s", async (_what, args, named) => {
    const seen = await run(args);
    expect(seen.exitCode, seen.err).toBe(2);
    expect(seen.err).toContain(named);
    expect(seen.err).not.toContain("secret-value");
    expect(server.requests).toEqual([]);
  });

  test("a list and only the sitemaps exclude each other", async () => {
    const file = join(folder(), "list.txt");
    writeFileSync(file, "https://shop.example/a\n");
    const seen = await run(["--list", file, "--sitemap-only"]);
    expect([seen.exitCode, seen.err]).toEqual([2, expect.stringContaining("exclude each other")]);
  });
});

describe("reports", () => {
  const exported = FILE_OPTIONS.filter(({ exports }) => exports !== null);

  test.each(exported)("--$name downloads $exports", async ({ name, exports }) => {
    await server.close();
    server = await fakeServer({
      override: (_method, path) =>
        path.includes("/export/")
          ? { status: 200, body: `made of ${path.split("/").at(-1)}`, headers: { "content-type": "text/plain" } }
          : null,
    });
    const file = join(folder(), "report");
    const seen = await run([`--${name}`, file]);
    expect(seen.exitCode, seen.err).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(`made of ${exports}`);
    expect(seen.out).toContain("report");
  });

  test("an export that the server cannot make leaves no file behind", async () => {
    const file = join(folder(), "report");
    const seen = await run(["--html", file]);
    expect(seen.exitCode).not.toBe(0);
    expect(() => statSync(file)).toThrow();
  });
});

describe("--compare", () => {
  const comparison = {
    previousAuditId: "fake-0",
    issues: { new: 25, fixed: 1, still: 7, not_seen: 0 },
    bySeverity: [],
    pages: { new: 0, gone: 1, still: 3 },
  };
  const issue = {
    change: "new",
    check: "title.missing",
    severity: "error",
    url: "https://shop.example/a\u001b[2J",
    evidence: { message: "has no title" },
  };

  const page = { change: "gone", url: "https://shop.example/old", status: 200, title: null };
  const answers = [[issue], [], [], [page]];
  const changed = (at: number) => ({
    status: 200,
    body: { previousAuditId: "fake-0", items: answers[at] ?? [], nextCursor: null },
  });

  test("lists what is new, fixed and gone, in text that no terminal is fooled by", async () => {
    await server.close();
    let asked = 0;
    server = await fakeServer({
      polls: [{ ...COMPLETED, summary: { ...SUMMARY, comparison } }],
      // Asked for in this order: new issues, fixed issues, new pages, pages that are gone.
      override: (_method, path) => (path.endsWith("/changes") ? changed(asked++) : null),
    });
    const seen = await run(["--compare"]);
    expect(seen.exitCode, seen.err).toBe(0);
    expect(server.requests.filter((line) => line.endsWith("/changes"))).toHaveLength(4);
    expect(seen.out).toContain("Compared with audit fake-0:");
    expect(seen.out).toContain("New (25)");
    expect(seen.out).toContain("... and 24 more");
    expect(seen.out).toContain("E  title.missing  /a%1B[2J  has no title");
    expect(seen.out).toContain("Pages that are gone (1)");
    expect(seen.out).toContain("/old");
    expect(seen.out).not.toContain("\u001b");
  });

  test("says so when there is nothing to compare with", async () => {
    expect((await run(["--compare"])).out).toContain("no earlier completed audit");
  });

  test("without it nothing is asked", async () => {
    await run([]);
    expect(server.requests.filter((line) => line.endsWith("/changes"))).toEqual([]);
  });
});

describe("the key of a local runtime", () => {
  test("is made once for each state folder, and only its owner can read it", () => {
    const [one, other] = [folder(), folder()];
    const { SECRET_KEY } = withSecretKey({ A: "1" }, one);
    expect(SECRET_KEY).toMatch(/^[\w-]{43}$/);
    expect(withSecretKey({}, one).SECRET_KEY).toBe(SECRET_KEY);
    expect(withSecretKey({}, other).SECRET_KEY).not.toBe(SECRET_KEY);
    expect(statSync(join(one, "pulse-secret.key")).mode & 0o777).toBe(0o600);
  });

  test("gives way to a key of one's own", () => {
    expect(withSecretKey({ SECRET_KEY: "mine" }, folder())).toEqual({ SECRET_KEY: "mine" });
  });
});
