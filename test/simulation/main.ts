/**
 * `npm run simulate [-- --from SEED --count N --json FILE]`: plays audits, and what can befall them, in virtual time, with
 * the product's own code on an in-memory database. Prints the guarantees that were broken (none, or it exits with 1), and
 * the same figures for the usual design. A seed always plays out the same.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { inWords, report, type SeedSummary, summarize } from "./report.ts";
import { simulate, sizeOf } from "./simulate.ts";

if (isMainThread) await main();
else {
  parentPort?.on("message", (seed: number) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    void simulate(seed).then((result) => parentPort?.postMessage(summarize(result)));
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      from: { type: "string", default: "0" },
      count: { type: "string", default: "1000" },
      json: { type: "string" },
    },
  });
  const from = wholeNumber("--from", values.from);
  const count = wholeNumber("--count", values.count);
  const summaries = count === 1 ? [summarize(await simulate(from))] : await inThreads(from, count);
  const result = report(from, summaries);
  process.stdout.write(`${inWords(result)}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
  process.exitCode = result.violations.length > 0 ? 1 : 0;
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) {
    process.stderr.write(`${name} is ${JSON.stringify(text)}; it must be a whole number\n`);
    process.exit(2);
  }
  return value;
}

/** Seeds are handed out one by one; the large ones first, since they take longest. */
async function inThreads(from: number, count: number): Promise<SeedSummary[]> {
  const seeds = Array.from({ length: count }, (_, i) => from + i).toSorted(
    (a, b) => Number(isLarge(b)) - Number(isLarge(a)) || a - b,
  );
  const summaries: SeedSummary[] = [];
  const show = (line: string) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${line}`);
  };
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(import.meta.filename);
      const next = () => {
        const seed = seeds.shift();
        if (seed !== undefined) {
          // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
          worker.postMessage(seed);
          return;
        }
        void worker.terminate();
        resolve();
      };
      worker.on("message", (summary: SeedSummary) => {
        summaries.push(summary);
        show(`${summaries.length} of ${count} seeds`);
        next();
      });
      worker.on("error", reject);
      next();
    });
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), count) }, work));
  show(" ".repeat(40) + "\r");
  return summaries.toSorted((a, b) => a.seed - b.seed);
}

function isLarge(seed: number): boolean {
  return sizeOf(seed).light;
}
