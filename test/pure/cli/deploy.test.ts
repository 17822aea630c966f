import { describe, expect, test } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deploy, realTools, type DeployTools } from "../../../src/cli/deploy.ts";
import { readConfig, TUNABLES } from "../../../src/config.ts";
import type { Io } from "../../../src/cli/io.ts";
import { ROOT } from "../../../src/cli/runtime/paths.ts";

interface Deployed {
  exitCode: number;
  said: string;
  ran: string[];
}

async function run(args: string[], id: string | null, fails?: string): Promise<Deployed> {
  const seen: Deployed = { exitCode: -1, said: "", ran: [] };
  const write = (text: string): void => void (seen.said += text);
  const io: Io = { out: { write }, err: { write }, env: {}, signal: new AbortController().signal };
  const tools: DeployTools = {
    databaseId: () => Promise.resolve(id),
    wrangler: (words) => {
      seen.ran.push(words.join(" "));
      return Promise.resolve(words[0] === fails ? 1 : 0);
    },
  };
  seen.exitCode = await deploy(args, io, tools);
  return seen;
}

const ID = "5f0c1f2e-7b0a-4b59-9a55-1d1e0f2a3b4c";

describe("npm run deploy", () => {
  test("migrates the database by the binding's name, then deploys, and says what is left to do", async () => {
    const seen = await run([], ID);
    expect(seen.ran).toEqual(["d1 migrations apply DB --remote", "deploy"]);
    expect([seen.exitCode, seen.said]).toEqual([0, expect.stringContaining("wrangler secret put ADMIN_TOKEN")]);
  });

  test.each([["00000000-0000-0000-0000-000000000000"], [""], [null]])(
    "refuses a wrangler.toml whose database is %j, and says how to make one",
    async (id) => {
      const seen = await run([], id);
      expect([seen.exitCode, seen.ran]).toEqual([2, []]);
      expect(seen.said).toContain("npx wrangler d1 create pulse-audit");
    },
  );

  test("deploys nothing when the migrations could not be applied", async () => {
    const seen = await run([], ID, "d1");
    expect([seen.exitCode, seen.ran]).toEqual([3, ["d1 migrations apply DB --remote"]]);
  });

  test("--dry-run needs no database and sends nothing", async () => {
    expect((await run(["--dry-run"], null)).ran).toEqual(["deploy --dry-run"]);
  });

  test("reads the id from wrangler.toml", async () => {
    expect(readFileSync(join(ROOT, "wrangler.toml"), "utf8")).toContain(
      `database_id = "${await realTools.databaseId()}"`,
    );
  }, 60_000);
});

test(".dev.vars.example explains every var and secret of the Worker, and sets none", () => {
  const text = readFileSync(join(ROOT, ".dev.vars.example"), "utf8");
  const env = readFileSync(join(ROOT, "src/env.ts"), "utf8");
  for (const [, name = ""] of env.matchAll(/^ {2}([A-Z_]+)\?: string;/gm)) expect(text, name).toContain(name);
  for (const [, name = ""] of text.matchAll(/^# ([A-Z_]+)=\d/gm)) expect(Object.keys(TUNABLES)).toContain(name);
  expect(text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))).toEqual([]);
});

test("the free plan's profile in docs/deploy.md is one that the Worker takes, and its arithmetic adds up", () => {
  const text = readFileSync(join(ROOT, "docs/deploy.md"), "utf8");
  const profile = Object.fromEntries(
    [...text.slice(text.indexOf("On the free plan")).matchAll(/^ {4}([A-Z_]+) = "(\d+)"$/gm)].map(
      ([, name = "", value = ""]) => [name, value],
    ),
  );
  const config = readConfig(profile);
  expect(Object.keys(profile).every((name) => name in TUNABLES)).toBe(true);
  const steps = 3 + config.MAX_PAGES / config.CRAWL_STEP_PAGES + config.MAX_TARGETS / config.TARGETS_STEP;
  const requests = 6 + config.MAX_PAGES + config.MAX_TARGETS;
  const rows = 8 * config.MAX_PAGES + 4 * config.MAX_TARGETS + 100;
  const perDay = Math.floor((3_000 - 720) / steps);
  for (const figure of [steps, requests, rows, perDay]) expect(text).toMatch(new RegExp(`\\| ${figure}\\b`));
  expect(requests).toBeLessThanOrEqual(50);
});
