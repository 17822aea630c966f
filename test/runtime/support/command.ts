/** Commands run from outside, with everything that they start marked, so that what they leave behind can be found. */
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");
const MARK = "PULSE_TEST_MARK";

export interface Running {
  child: ChildProcess;
  /** All that it printed so far. */
  out: () => string;
  err: () => string;
  /** Its exit code; null when a signal ended it. */
  ended: Promise<number | null>;
  /** The living ones of it and all that it started. */
  processes: () => { pid: number; args: string }[];
  /** The same as their arguments only. */
  leftovers: () => string[];
}

interface RunOptions {
  env?: Record<string, string>;
  /** Through npm, as people call it; else the script itself, so that signals reach just that process. */
  npm?: boolean;
}

const SCRIPTS = { audit: "src/cli/main.ts", start: "src/cli/start.ts", demo: "test/demo/main.ts" } as const;

/** /proc tells the environment that each process was started with. */
function marked(mark: string): { pid: number; args: string }[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${MARK}=${mark}`)) return [];
      const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      return args === "" ? [] : [{ pid: Number(pid), args }];
    } catch {
      return [];
    }
  });
}

export function run(script: keyof typeof SCRIPTS, args: string[], { env = {}, npm = false }: RunOptions = {}): Running {
  const mark = randomUUID();
  const [command, ...words] = npm
    ? ["npm", "run", "-s", script, "--", ...args]
    : [process.execPath, SCRIPTS[script], ...args];
  const child = spawn(command ?? "", words, {
    cwd: ROOT,
    env: { ...process.env, NO_COLOR: "1", ...env, [MARK]: mark },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  const processes = (): { pid: number; args: string }[] => marked(mark);
  const leftovers = (): string[] => processes().map(({ args: words_ }) => words_);
  return { child, out: () => out, err: () => err, ended, processes, leftovers };
}

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), "pulse-runtime-"));
