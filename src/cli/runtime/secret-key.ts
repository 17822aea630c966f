/**
 * The key that seals secret headers on this machine: made once for each state folder, readable by its owner only. It
 * travels to the runtime inside of a process, so that no list of processes and no log shows it.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../errors.ts";
import { ROOT } from "./paths.ts";

const FILE = "pulse-secret.key";

function keyIn(stateDir: string): string {
  const file = join(stateDir, FILE);
  try {
    writeFileSync(file, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8").trim();
}

/** Somebody's own key, in .dev.vars, counts more than ours. */
function isInDevVars(): boolean {
  const file = join(ROOT, ".dev.vars");
  return existsSync(file) && /^\s*(export\s+)?SECRET_KEY\s*=\s*\S/m.test(readFileSync(file, "utf8"));
}

/** The vars, with a SECRET_KEY where none is given. */
export function withSecretKey(vars: Readonly<Record<string, string>>, stateDir: string): Record<string, string> {
  if (vars.SECRET_KEY !== undefined || isInDevVars()) return { ...vars };
  return { ...vars, SECRET_KEY: keyIn(stateDir) };
}
