import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchSite } from "./bench-site.ts";
import { secondsSince } from "./measures.ts";

const execute = promisify(execFile);
const CLI = fileURLToPath(import.meta.resolve("linkinator")).replace(/index\.js$/, "cli.js");

async function run(args: string[]): Promise<{ seconds: number; output: string }> {
  const began = performance.now();
  const { stdout, stderr } = await execute(process.execPath, [CLI, ...args], { maxBuffer: 256 * 1024 * 1024 });
  return { seconds: secondsSince(began), output: stdout + stderr };
}

/** Seconds that linkinator takes to start and to do nothing. */
export const linkinatorStart = async (): Promise<number> => (await run(["--version"])).seconds;

/** Seconds for the whole site. Throws when it did not see every page. */
export async function runLinkinator(site: BenchSite): Promise<number> {
  const { seconds, output } = await run([`${site.origin}/`, "--recurse", "--concurrency", "50"]);
  const scanned = Number(/scanned (\d+) links/i.exec(output)?.[1]);
  if (!(scanned >= site.pages))
    throw new Error(`linkinator saw ${scanned} of ${site.pages} pages: ${output.slice(-500)}`);
  return seconds;
}
