/** `npm run deploy`: the database is brought up to date, then the Worker goes into the account. */
import { spawn } from "node:child_process";
import { readArguments } from "./arguments.ts";
import { EXIT } from "./command.ts";
import type { Io } from "./io.ts";
import { ROOT, WRANGLER_CONFIG, wranglerCommand } from "./runtime/paths.ts";

const HELP = `Puts Pulse Audit into your Cloudflare account, or brings it up to date there.

  npm run deploy [-- --dry-run]

  --dry-run   build and check only; nothing is sent

Applies the migrations to the database that is bound as DB, then deploys the Worker with its Workflows and its cron.
docs/deploy.md leads from a clone to a running account.

Exit codes: 0 deployed, 2 not set up yet or wrong use, 3 wrangler could not do it.`;

/** What wrangler.toml comes with: no database has this id. */
const PLACEHOLDER = /^[0-]*$/;

export interface DeployTools {
  /** The id of the database bound as DB, as wrangler.toml has it; null: none is bound. */
  databaseId: () => Promise<string | null>;
  /** Runs wrangler in the open; resolves to its exit code. */
  wrangler: (args: readonly string[]) => Promise<number>;
}

const notSetUp = (why: string): string[] => [
  `${why} Make a database in your account first:`,
  "",
  "  npx wrangler login",
  "  npx wrangler d1 create pulse-audit",
  "",
  'and write the database_id that it prints into wrangler.toml, under the binding "DB". Then again: npm run deploy',
];

const AFTERWARDS = [
  "",
  "Deployed. Nobody gets in before you say who may; once, if you have not yet:",
  "",
  "  npx wrangler secret put ADMIN_TOKEN     whoever knows it may do everything",
  "  npx wrangler secret put SECRET_KEY      seals secret headers, signs sign-ins",
  "",
  "or put Cloudflare Access before it: docs/deploy.md. Then open the address above, and /setup there checks the rest.",
];

/** Throws UsageError. Resolves to the exit code. */
export async function deploy(args: readonly string[], io: Io, tools: DeployTools): Promise<number> {
  const { values } = readArguments(
    args,
    { "dry-run": { type: "boolean" }, help: { type: "boolean", short: "h" } },
    { names: [] },
  );
  if (values.help) {
    io.out.write(`${HELP}\n`);
    return EXIT.fine;
  }
  if (values["dry-run"]) return asExit(await tools.wrangler(["deploy", "--dry-run"]));
  const id = await tools.databaseId();
  if (id === null || PLACEHOLDER.test(id)) {
    const why =
      id === null ? 'wrangler.toml binds no database as "DB".' : "wrangler.toml does not name your database yet.";
    io.err.write(`${notSetUp(why).join("\n")}\n`);
    return EXIT.usage;
  }
  // By the binding's name, not the database's: that one is yours to choose.
  const steps = [["d1", "migrations", "apply", "DB", "--remote"], ["deploy"]];
  for (const step of steps) {
    io.err.write(`> wrangler ${step.join(" ")}\n`);
    const code = await tools.wrangler(step);
    if (code !== 0) {
      io.err.write(`wrangler ended with ${code}; nothing after this step was done.\n`);
      return EXIT.failed;
    }
  }
  io.out.write(`${AFTERWARDS.join("\n")}\n`);
  return EXIT.fine;
}

const asExit = (code: number): number => (code === 0 ? EXIT.fine : EXIT.failed);

export const realTools: DeployTools = {
  databaseId: async () => {
    const { unstable_readConfig: readConfig } = await import("wrangler");
    const config: { d1_databases: { binding: string; database_id?: string }[] } = readConfig({
      config: WRANGLER_CONFIG,
    });
    return config.d1_databases.find(({ binding }) => binding === "DB")?.database_id ?? null;
  },
  wrangler: (args) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [wranglerCommand(), ...args, "--config", WRANGLER_CONFIG], {
        cwd: ROOT,
        stdio: "inherit",
      });
      child.once("error", reject);
      child.once("close", (code) => resolve(code ?? 1));
    }),
};
