/** Where the project lies, wherever the command is called from. */
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../../..");
export const WRANGLER_CONFIG = join(ROOT, "wrangler.toml");
export const MIGRATIONS = join(ROOT, "migrations");

/** wrangler's command, to be run by this Node. */
export const wranglerCommand = (): string =>
  join(dirname(createRequire(import.meta.url).resolve("wrangler/package.json")), "bin/wrangler.js");
