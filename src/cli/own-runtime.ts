/** The runtime that `npm run audit` brings along: a free port, a state of its own, and only the audited host allowed. */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAddressAllowed, isPublicIp } from "../audit/crawl/addresses.ts";
import { startLocalRuntime, type LocalRuntime } from "./local-runtime.ts";
import { ROOT } from "./runtime/paths.ts";

const LOOKUP_WITHIN_MS = 3_000;

/** As many audits may run beside each other from one clone; each needs a state of its own. */
const STATE_DIRS = ["audit", "audit-2", "audit-3", "audit-4", "audit-5", "audit-6", "audit-7", "audit-8"].map((name) =>
  join(ROOT, ".wrangler", name),
);

/** A name with a public look may still mean a machine in this network. */
async function resolvesToPrivate(hostname: string): Promise<boolean> {
  if (hostname.startsWith("[") || isIP(hostname) !== 0) return false;
  const answers = lookup(hostname, { all: true }).catch(() => []);
  const found = await Promise.race([answers, sleep(LOOKUP_WITHIN_MS, [], { ref: false })]);
  return found.some(({ address }) => !isPublicIp(address));
}

/** The hosts that an audit of this address must be allowed besides public ones: its own host and port, or none. */
export async function hostsToAllow(url: URL): Promise<string[]> {
  const isPublic = isAddressAllowed(url, []).ok && !(await resolvesToPrivate(url.hostname));
  if (isPublic) return [];
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return [`${url.hostname}:${port}`];
}

interface OwnRuntimeOptions {
  url: URL;
  /** Where its state lives; absent: the first free one of its own folders. */
  stateDir?: string | undefined;
  vars?: Record<string, string> | undefined;
  verbose: boolean;
  onLine?: (line: string) => void;
  signal: AbortSignal;
}

export async function startOwnRuntime({
  url,
  stateDir,
  vars,
  verbose,
  onLine,
  signal,
}: OwnRuntimeOptions): Promise<LocalRuntime> {
  return startLocalRuntime({
    stateDirs: stateDir === undefined ? STATE_DIRS : [stateDir],
    port: 0,
    // What an earlier, killed run left as running in this state must not count against this one.
    vars: { CAPACITY_PER_ORGANIZATION: "1000", ...vars },
    allowedHosts: await hostsToAllow(url),
    verbose,
    ...(onLine ? { onLine } : {}),
    signal,
  });
}
