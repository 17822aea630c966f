/**
 * `npm run mutants`: takes each guard away, one at a time, in a copy of the project, and shows the test that fails for it.
 *
 *     npm run mutants [-- WORDS] [--jobs N]    only guards whose name has these words; so many copies at once (2)
 *
 * Ends with 1 when a guard can be taken away unnoticed, or when a test fails with all guards in place.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { BREAKER_AND_DOORS } from "./breaker-and-lease.ts";
import { FENCE_AND_GATE } from "./fence-and-gate.ts";
import { LOOKS_AND_RULE } from "./looks-and-rule.ts";
import type { Mutant } from "./mutant.ts";
import { SWEEP_GUARDS } from "./sweep.ts";

const MUTANTS = [...FENCE_AND_GATE, ...LOOKS_AND_RULE, ...BREAKER_AND_DOORS, ...SWEEP_GUARDS];

const ROOT = resolve(import.meta.dirname, "../..");
const COPIED = ["src", "test", "migrations", "package.json", "tsconfig.json", "vitest.config.ts", "wrangler.toml"];
/** A test that hangs has noticed, too. */
const LIMIT_MS = 180_000;

const report = z.object({
  numFailedTests: z.number(),
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      message: z.string().optional(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

interface Outcome {
  failed: string[];
  passed: number;
  /** It could not even be run, or did not end. */
  broken: string | null;
  seconds: number;
}

function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), "pulse-mutants-"));
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

const run = (copy: string, args: string[]): Promise<{ ended: boolean; said: string }> =>
  new Promise((done) => {
    const vitest = join(copy, "node_modules/vitest/vitest.mjs");
    const child = spawn(process.execPath, [vitest, "run", ...args], { cwd: copy, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
    child.once("close", (code) => {
      clearTimeout(timer);
      done({ ended: code !== null, said });
    });
  });

async function test(copy: string, project: string, files: string[], name = ""): Promise<Outcome> {
  const output = join(copy, "outcome.json");
  rmSync(output, { force: true });
  const startedAt = Date.now();
  const only = name === "" ? [] : ["-t", name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)];
  const args = ["--project", project, ...files, ...only, "--reporter", "json", "--outputFile", output];
  const { ended, said } = await run(copy, args);
  const seconds = (Date.now() - startedAt) / 1_000;
  try {
    const { testResults, numPassedTests } = report.parse(JSON.parse(readFileSync(output, "utf8")));
    const results = testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = results.filter(({ status }) => status === "failed").map(({ fullName }) => fullName.trim());
    const broken = failed.length === 0 && numPassedTests === 0 ? "no test of that name was run" : null;
    return { failed, passed: numPassedTests, broken, seconds };
  } catch {
    return { failed: [], passed: 0, broken: ended ? said.slice(-600) : "it did not end", seconds };
  }
}

/** With all guards in place every test passes, or nothing would be shown. */
async function checkAll(copy: string, mutants: readonly Mutant[]): Promise<boolean> {
  let sound = true;
  for (const project of ["pure", "worker"]) {
    const files = [...new Set(mutants.filter((one) => one.project === project).map((one) => one.test))];
    if (files.length === 0) continue;
    const { failed, passed, broken, seconds } = await test(copy, project, files);
    console.log(`with all guards: ${passed} tests pass, ${failed.length} fail (${project}, ${seconds.toFixed(0)} s)`);
    for (const name of failed) console.log(`  fails: ${name}`);
    if (broken !== null) console.log(`  ${broken}`);
    sound &&= failed.length === 0 && broken === null;
  }
  return sound;
}

async function without(copy: string, mutant: Mutant): Promise<Outcome> {
  const path = join(copy, mutant.file);
  const source = readFileSync(path, "utf8");
  if (source.split(mutant.text).length !== 2) {
    return { failed: [], passed: 0, broken: `the guard's text is not once in ${mutant.file}`, seconds: 0 };
  }
  writeFileSync(
    path,
    source.replace(mutant.text, () => mutant.without),
  );
  try {
    return await test(copy, mutant.project, [mutant.test], mutant.name);
  } finally {
    writeFileSync(path, source);
  }
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { jobs: { type: "string" } } });
const words = positionals.join(" ").toLowerCase();
const chosen = MUTANTS.filter(({ guard }) => guard.toLowerCase().includes(words));
const copies = Array.from({ length: Number(values.jobs ?? "2") }, copyProject);
const startedAt = Date.now();
let unnoticed = 0;
try {
  if (!(await checkAll(copies[0] ?? "", chosen))) unnoticed += 1;
  console.log(`\n${"guard taken away".padEnd(58)} noticed by`);
  const waiting = [...chosen];
  await Promise.all(
    copies.map(async (copy) => {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const { failed, broken, seconds } = await without(copy, mutant);
        const more = failed.length > 1 ? ` (and ${failed.length - 1} more)` : "";
        const noticed = failed[0] === undefined ? `NOBODY${broken === null ? "" : `: ${broken}`}` : failed[0] + more;
        if (failed.length === 0) unnoticed += 1;
        console.log(`${mutant.guard.padEnd(58)} ${noticed}  ${seconds.toFixed(0)} s`);
      }
    }),
  );
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}
const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1);
console.log(
  `\n${chosen.length} guards, ${unnoticed === 0 ? "each missed when it is gone" : `${unnoticed} unnoticed`}; ${minutes} min`,
);
process.exitCode = unnoticed === 0 ? 0 : 1;
