/** The options of an audit on the real runtime: secrets reach the site and nobody else, and every report is written. */
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run, temporaryFolder } from "./support/command.ts";

const HEADER = "open-sesame-7141";
const PASSWORD = "hunter2-7141";
const BASIC = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString("base64")}`;

let site: Server;
let url: string;
let bodies: Record<string, string> = {};
const asked: { path: string; let_in: boolean; agent: string | undefined }[] = [];
const state = temporaryFolder();
const dir = temporaryFolder();

const page = (title: string, ...links: string[]): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1>${links.map((link) => `<a href="${link}">to ${link}</a>`).join(" ")}</body></html>`;

beforeAll(async () => {
  site = createServer(({ url: path = "", headers }, response) => {
    const isIn = headers["x-staging"] === HEADER && headers.authorization === BASIC;
    asked.push({ path, let_in: isIn, agent: headers["user-agent"] });
    const body = bodies[path];
    response.writeHead(isIn ? (body === undefined ? 404 : 200) : 401, { "content-type": "text/html" });
    response.end(isIn ? (body ?? "nothing") : "closed");
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  const address = site.address();
  url = `http://localhost:${typeof address === "object" && address !== null ? address.port : 0}/`;
});
afterAll(() => {
  site.closeAllConnections();
  site.close();
});

const FILES = ["json", "csv", "pages-csv", "links-csv", "sarif", "sitemap", "html"];
const options = [
  "--state",
  state,
  "--header",
  `X-Staging: ${HEADER}`,
  "--basic-auth",
  "--user-agent",
  "staging-check/1",
  "--exclude",
  "/private",
  "--compare",
];
const env = { PULSE_AUDIT_BASIC_AUTH: `ann:${PASSWORD}` };

/** All files below the state folder that hold the text. */
function keepers(text: string): string[] {
  const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, "latin1").includes(text));
}

test("an audit of a closed site gets in, writes every report, and gives its secrets to nobody else", async () => {
  bodies = { "/": page("Home", "/a", "/gone", "/private"), "/a": page("A", "/"), "/private": page("P") };
  const running = run(
    "audit",
    [url, ...options, "--verbose", ...FILES.flatMap((name) => [`--${name}`, join(dir, name)])],
    { env },
  );
  const arguments_ = new Set<string>();
  const watch = setInterval(() => running.leftovers().forEach((one) => arguments_.add(one)), 200);
  expect(await running.ended, running.err()).toBe(0);
  clearInterval(watch);

  expect(asked.length).toBeGreaterThan(2);
  expect(asked.filter((one) => !one.let_in)).toEqual([]);
  expect(asked.map(({ path }) => path)).not.toContain("/private");
  expect(new Set(asked.map(({ agent }) => agent))).toEqual(new Set(["staging-check/1"]));

  for (const name of FILES) expect(statSync(join(dir, name)).size, name).toBeGreaterThan(50);
  expect(JSON.parse(readFileSync(join(dir, "sarif"), "utf8"))).toHaveProperty("version", "2.1.0");
  expect(readFileSync(join(dir, "sitemap"), "utf8")).toContain(`<loc>${url}a</loc>`);
  expect(readFileSync(join(dir, "html"), "utf8")).toContain("<!doctype html>");
  expect(readFileSync(join(dir, "links-csv"), "utf8")).toContain(`${url}gone`);
  expect(running.out()).toContain("no earlier completed audit");

  const key = readFileSync(join(state, "pulse-secret.key"), "utf8");
  const written = FILES.map((name) => readFileSync(join(dir, name), "utf8")).join("");
  for (const secret of [HEADER, PASSWORD, BASIC.slice(6), key]) {
    expect(running.out() + running.err() + written).not.toContain(secret);
  }
  // What was typed on the command line stands there, and only there.
  const others = [...arguments_].filter((one) => !one.includes("src/cli/main.ts"));
  expect(others.length).toBeGreaterThan(0);
  for (const secret of [HEADER, PASSWORD, key]) expect(others.join("\n")).not.toContain(secret);
  expect(keepers(HEADER)).toEqual([]);
  expect(keepers(PASSWORD)).toEqual([]);
  expect(keepers(key)).toEqual([join(state, "pulse-secret.key")]);
});

test("the next audit of the same site lists what was fixed and what is new", async () => {
  bodies = { "/": page("Home", "/a"), "/a": page("A", "/", "/missing") };
  const running = run("audit", [url, ...options], { env });
  expect(await running.ended, running.err()).toBe(0);
  const out = running.out();
  expect(out).toMatch(/Compared with audit [0-9a-z]{16}/);
  const [added = "", fixed = ""] = out.slice(out.indexOf("\nNew (")).split("\nFixed (");
  expect(added).toContain("/missing");
  expect(fixed).toContain("/gone");
});
