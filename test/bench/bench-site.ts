import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { SiteSpec } from "../support/site-spec.ts";

/** What every measured site is made of; only the number of pages and the delay differ. */
const LINKS = 51;
const BYTES = 14_000;

export interface BenchSite {
  origin: string;
  /** Every page, the start page included. */
  pages: number;
  /** The address of every page. */
  addresses: string[];
  close(): void;
}

/** Serves `pages` pages of 14 KB with 51 links each from a second process, each answered after `delayMs`. */
export async function serveBenchSite(pages: number, delayMs = 0): Promise<BenchSite> {
  const spec: SiteSpec = { generate: { pages: pages - 1, links: LINKS, bytes: BYTES, delayMs } };
  const child = fork(join(import.meta.dirname, "site-process.ts"));
  child.send(spec);
  const [origin] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(() => {
      throw new Error("the process that serves the benchmark's site has ended before it could serve");
    }),
  ]);
  const addresses = [`${origin}/`, ...Array.from({ length: pages - 1 }, (_, page) => `${origin}/p/${page}`)];
  return { origin: String(origin), pages, addresses, close: () => child.disconnect() };
}
