/** Brings the local database up to date. A marker beside it spares the three seconds of asking when nothing is new. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MIGRATIONS, ROOT, WRANGLER_CONFIG, wranglerCommand } from "./paths.ts";

const MARKER = "pulse-migrations.sha256";

/** Changes whenever a migration, or the database that they belong to, changes. */
function fingerprint(): string {
  const hash = createHash("sha256").update(readFileSync(WRANGLER_CONFIG));
  const names = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));
  for (const name of names.toSorted()) hash.update(`${name}\0`).update(readFileSync(join(MIGRATIONS, name)));
  return hash.digest("hex");
}

/** The marker alone proves nothing: somebody may have emptied the folder around it. */
function databaseExists(stateDir: string): boolean {
  const dir = join(stateDir, "v3/d1/miniflare-D1DatabaseObject");
  return existsSync(dir) && readdirSync(dir).some((name) => name.endsWith(".sqlite"));
}

function isUpToDate(stateDir: string, wanted: string): boolean {
  const marker = join(stateDir, MARKER);
  return existsSync(marker) && readFileSync(marker, "utf8") === wanted && databaseExists(stateDir);
}

/** Applies what is new. Throws with wrangler's own words when it cannot. */
export async function applyMigrations(stateDir: string, env: NodeJS.ProcessEnv): Promise<"applied" | "up to date"> {
  const wanted = fingerprint();
  if (isUpToDate(stateDir, wanted)) return "up to date";
  const args = ["d1", "migrations", "apply", "DB", "--local", "--persist-to", stateDir, "--config", WRANGLER_CONFIG];
  const child = spawn(process.execPath, [wranglerCommand(), ...args], {
    cwd: ROOT,
    // CI: nobody is there to be asked "continue?".
    env: { ...env, CI: "true", WRANGLER_LOG: "log" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`The migrations could not be applied to ${stateDir}.\n${said.trim()}`);
  writeFileSync(join(stateDir, MARKER), wanted);
  return "applied";
}
