/** `npm run bench`: how fast an audit is, beside a link checker and beside the least that a crawl can cost. */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type Figures, measureCrawl, measureGrowth, measureSlow } from "./parts.ts";
import { measurePages } from "./pages.ts";
import { targetOf } from "./targets.ts";

const PARTS = {
  crawl: { title: "2,000 pages of 14 KB with 51 links each", measure: measureCrawl },
  slow: { title: "the same site, every page answered after 50 ms", measure: measureSlow },
  pages: {
    title: "the product's own pages for 100 pages against 10,000 pages with 100,000 findings",
    measure: measurePages,
  },
  growth: { title: "500 pages against 5,000 pages", measure: measureGrowth },
};
type Part = keyof typeof PARTS;
const NAMES: readonly Part[] = ["crawl", "slow", "growth", "pages"];

const HELP = `npm run bench [-- --json FILE] [--only ${NAMES.join("|")}]  (--only may be repeated)`;

function readArguments(): { json: string | undefined; parts: readonly Part[] } {
  const { values } = parseArgs({ options: { json: { type: "string" }, only: { type: "string", multiple: true } } });
  const only = values.only;
  const parts = only === undefined ? NAMES : NAMES.filter((name) => only.includes(name));
  if (only?.some((name) => !NAMES.some((known) => known === name))) throw new Error("there is no such part");
  return { json: values.json, parts };
}

function table(figures: Figures): string {
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  return Object.entries(figures)
    .map(([name, value]) => `  ${name.padEnd(width)}  ${String(value).padStart(9)}  ${targetOf(name, value)}`.trimEnd())
    .join("\n");
}

async function bench(parts: readonly Part[], say: (line: string) => void): Promise<Figures> {
  const figures: Figures = {};
  for (const part of parts) {
    say(`\n${PARTS[part].title}`);
    Object.assign(figures, await PARTS[part].measure(say));
  }
  return figures;
}

async function main(): Promise<void> {
  let options;
  try {
    options = readArguments();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${HELP}`);
    process.exitCode = 2;
    return;
  }
  const began = performance.now();
  // As the launcher sets them for the audit's runtime: no telemetry, no look-ups, no trace of every request.
  process.env.X_LOCAL_OBSERVABILITY = "false";
  process.env.WRANGLER_SEND_METRICS = "false";
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
  const figures = await bench(options.parts, (line) => console.log(line));
  console.log(
    `\n${table(figures)}\n\n${((performance.now() - began) / 1000).toFixed(0)} s. docs/benchmarks.md tells how to read this.`,
  );
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(figures, null, 2)}\n`);
}

await main();
