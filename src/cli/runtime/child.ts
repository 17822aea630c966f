/**
 * The local runtime: a process of its own, leader of its own process group, so that Ctrl-C in a terminal reaches the
 * launcher only and everything that belongs to the runtime can be ended together. It ends by itself as soon as the
 * launcher is gone, however that came about.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { ConfigError, readConfig } from "../../config.ts";
import { scheduledUrl, startTicker, type Ticker } from "./cron-ticker.ts";
import type { FailedMessage, FromChild, StartMessage } from "./messages.ts";
import { applyMigrations } from "./migrations.ts";
import { ROOT, WRANGLER_CONFIG } from "./paths.ts";
import { killGroup } from "./process-group.ts";
import { withSecretKey } from "./secret-key.ts";
import { announce, releaseState, takeState } from "./state-lock.ts";

// Compiling the Worker takes a second; a busy machine may need far longer.
const HEALTHY_WITHIN_MS = 90_000;
const DISPOSE_WITHIN_MS = 3_000;
const CRON = "*/2 * * * *";

let stateDir: string | undefined;
let ticker: Ticker | undefined;
let dispose: (() => Promise<void>) | undefined;
let stopping = false;

const tell = (message: FromChild): void => {
  if (process.connected) process.send?.(message);
};

async function stop(exitCode: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  ticker?.stop();
  try {
    await Promise.race([dispose?.(), sleep(DISPOSE_WITHIN_MS)]);
  } catch {
    // What could not be stopped politely is ended below.
  }
  if (stateDir) releaseState(stateDir, process.pid);
  process.exitCode = exitCode;
  // Ends this process too, and with it whatever workerd did not hear.
  killGroup(process.pid);
  process.exit();
}

class StartFailure extends Error {
  readonly reason: FailedMessage["reason"];
  constructor(reason: FailedMessage["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

function takeFirstFree(dirs: string[]): string {
  let holder;
  for (const dir of dirs) {
    holder = takeState(dir, { pid: process.pid });
    if (!holder) return dir;
  }
  throw new StartFailure(
    "state_in_use",
    `The state in ${dirs.at(-1)} is in use by process ${holder?.pid}${holder?.url ? `, which serves ${holder.url}` : ""}. Stop it, or choose another folder with --state DIR.`,
  );
}

/** esbuild's and wrangler's errors hide what matters in their causes. */
function words(error: unknown): string {
  const parts: string[] = [];
  for (let at = error; at instanceof Error && parts.length < 4; at = at.cause) parts.push(at.message);
  return parts.length > 0 ? parts.join("\n") : String(error);
}

/** A supervisor that is late, since nothing ran here for a while, is no reason to wait: the first tick mends that. */
const healthSchema = z.looseObject({ database: z.string(), reason: z.string().optional() });

async function waitUntilHealthy(origin: string): Promise<void> {
  const until = Date.now() + HEALTHY_WITHIN_MS;
  let last = "no answer";
  while (Date.now() < until) {
    try {
      const response = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(20_000) });
      const body = await response.text();
      const health = healthSchema.safeParse(body.startsWith("{") ? JSON.parse(body) : null).data;
      if (health?.database === "ok") return;
      last = health?.reason ?? `${response.status} ${body.slice(0, 500)}`;
    } catch (error) {
      last = words(error);
    }
    await sleep(50);
  }
  throw new StartFailure("start", `The Worker did not become healthy within ${HEALTHY_WITHIN_MS / 1000} s: ${last}`);
}

/** Such a var is hidden in the list of bindings that --verbose shows. */
const isSecret = (name: string): boolean => /TOKEN|KEY|SECRET|PASSWORD/i.test(name);

async function startWorker(message: StartMessage, persist: string) {
  const { unstable_startWorker } = await import("wrangler");
  const bindings = Object.fromEntries(
    Object.entries(withSecretKey(message.vars, persist)).map(([name, value]) => [
      name,
      { type: isSecret(name) ? "secret_text" : "plain_text", value } as const,
    ]),
  );
  const worker = await unstable_startWorker({
    config: WRANGLER_CONFIG,
    bindings,
    dev: {
      // A reload would end the code of every running Workflow instance without telling anybody.
      watch: false,
      server: { hostname: "127.0.0.1", port: message.port },
      inspector: false,
      inferOriginFromRoutes: false,
      persist,
    },
  });
  dispose = () => worker.dispose();
  await worker.ready;
  return worker;
}

type Started = Awaited<ReturnType<typeof startWorker>>;

/** The vars that the Worker really has: those of wrangler.toml, .dev.vars and --var together. */
function varsOf(worker: Started): Record<string, unknown> {
  const bindings = z
    .record(z.string(), z.looseObject({ value: z.unknown().optional() }))
    .parse(worker.config.bindings ?? {});
  return Object.fromEntries(Object.entries(bindings).map(([name, binding]) => [name, binding.value]));
}

function cronOf(worker: Started): string {
  const triggers = z.array(z.looseObject({ cron: z.string().optional() })).parse(worker.config.triggers ?? []);
  return triggers.find((trigger) => trigger.cron !== undefined)?.cron ?? CRON;
}

async function tick(origin: string, cron: string, slot: number): Promise<void> {
  const response = await fetch(scheduledUrl(origin, cron, slot), { signal: AbortSignal.timeout(120_000) });
  const body = await response.text();
  if (!response.ok) {
    throw new Error(
      `the cron tick of ${new Date(slot).toISOString()} was answered ${response.status}: ${body.slice(0, 300)}`,
    );
  }
}

async function start(message: StartMessage): Promise<void> {
  // wrangler reads these when it is loaded. No telemetry, no request to the network, no noise, plain text.
  process.env.WRANGLER_SEND_METRICS = "false";
  process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
  // wrangler would keep a trace of every request that a crawl makes: a fifth of the audit's time.
  process.env.X_LOCAL_OBSERVABILITY ??= "false";
  process.env.WRANGLER_LOG = message.verbose ? "log" : "error";
  process.chdir(ROOT);
  stateDir = takeFirstFree(message.stateDirs);
  await applyMigrations(stateDir, process.env);
  const worker = await startWorker(message, stateDir);
  let config;
  try {
    config = readConfig(varsOf(worker));
  } catch (error) {
    throw error instanceof ConfigError ? new StartFailure("config", error.message) : error;
  }
  const origin = (await worker.url).origin;
  await waitUntilHealthy(origin);
  announce(stateDir, { pid: process.pid, url: origin });
  if (message.cron) {
    const cron = cronOf(worker);
    ticker = startTicker(
      config.CRON_INTERVAL_MS,
      (slot) => tick(origin, cron, slot),
      (error) => process.stderr.write(`${words(error)}\n`),
    );
  }
  tell({
    kind: "ready",
    url: origin,
    stateDir,
    cronIntervalMs: config.CRON_INTERVAL_MS,
    warnings: [...config.warnings],
  });
}

async function fail(error: unknown): Promise<void> {
  const message = words(error);
  const inUse = /EADDRINUSE|Address already in use/i.test(message);
  const reason = error instanceof StartFailure ? error.reason : inUse ? "port_taken" : "start";
  tell({ kind: "failed", reason, message });
  await stop(1);
}

const endBy = (exitCode: number) => () => void stop(exitCode);
process.once("disconnect", endBy(0));
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, endBy(0));
process.on("uncaughtException", (error) => void fail(error));
process.on("unhandledRejection", (error) => void fail(error));
process.once("message", (message: StartMessage) => {
  start(message).catch(fail);
});
