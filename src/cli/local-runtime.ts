/**
 * Starts the deployed product on this machine: local database migrated, Worker and Workflows in wrangler's runtime,
 * cron ticking. Whoever starts it gets everything that belongs to it stopped with one call.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { FailedMessage, FromChild, StartMessage } from "./runtime/messages.ts";
import { killGroup } from "./runtime/process-group.ts";

const STOP_WITHIN_MS = 6_000;
const KEEP_LINES = 40;

export interface RuntimeOptions {
  /** Folders for the state; the first that no other runtime uses is taken. Absolute. */
  stateDirs: string[];
  /** 0: any free port. */
  port: number;
  /** wrangler vars, over those of wrangler.toml and .dev.vars. */
  vars?: Record<string, string>;
  /** HOST or HOST:PORT of loopback and private hosts that audits may reach. */
  allowedHosts?: string[];
  /** Whether `scheduled()` is called at every slot of CRON_INTERVAL_MS. True unless said. */
  cron?: boolean;
  /** Show everything that wrangler and the Worker log, not only errors. */
  verbose?: boolean;
  /** Gets each line that the runtime prints. */
  onLine?: (line: string) => void;
  /** Gives the start up, and ends what had been started. */
  signal?: AbortSignal;
}

export interface LocalRuntime {
  /** Origin of the server, on loopback. */
  url: string;
  stateDir: string;
  cronIntervalMs: number;
  warnings: string[];
  /** The process group of all that was started. */
  pid: number;
  /** The last lines that the runtime printed. */
  lastLines: () => string[];
  /** Resolves when the runtime has ended, whoever ended it. */
  ended: Promise<void>;
  /** Stops all that was started and waits until it is gone. */
  stop: () => Promise<void>;
  /** Ends all that was started at once, as a power cut would. */
  kill: () => void;
}

/** The runtime did not start. `reason` tells whether the user can mend it by other flags. */
export class RuntimeStartError extends Error {
  override name = "RuntimeStartError";
  readonly reason: FailedMessage["reason"];
  constructor(reason: FailedMessage["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Whether nobody listens on that port of this machine's loopback address. */
export async function portIsFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function launch(options: RuntimeOptions): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, "runtime/child.ts")], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" },
  });
  const vars: Record<string, string> = { ...options.vars, LOCAL_MODE: "1" };
  if (options.allowedHosts && options.allowedHosts.length > 0) vars.ALLOWED_HOSTS = options.allowedHosts.join(",");
  const message: StartMessage = {
    kind: "start",
    stateDirs: options.stateDirs,
    port: options.port,
    vars,
    cron: options.cron ?? true,
    verbose: options.verbose ?? false,
  };
  child.send(message, () => {
    // If it is gone already, its end says so.
  });
  return child;
}

/** Hands on what the runtime prints, and remembers the end of it. */
function listen(child: ChildProcess, onLine: ((line: string) => void) | undefined): string[] {
  const kept: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on("line", (line) => {
      if (line.trim() === "") return;
      kept.push(line);
      if (kept.length > KEEP_LINES) kept.shift();
      onLine?.(line);
    });
  }
  return kept;
}

/** Throws RuntimeStartError, or the signal's reason; nothing that was started is left then. */
export async function startLocalRuntime(options: RuntimeOptions): Promise<LocalRuntime> {
  options.signal?.throwIfAborted();
  const child = launch(options);
  const pid = child.pid;
  if (pid === undefined) throw new RuntimeStartError("start", "The runtime's process could not be started.");
  const lines = listen(child, options.onLine);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      killGroup(pid);
      resolve();
    });
  });
  const kill = (): void => killGroup(pid);
  // Should this process end in a hurry, then not without its runtime.
  process.once("exit", kill);
  void ended.then(() => process.off("exit", kill));
  const stop = async (): Promise<void> => {
    // The runtime ends when its launcher is gone. (A signal would set off wrangler's own, hastier exit.)
    if (child.connected) child.disconnect();
    const force = setTimeout(kill, STOP_WITHIN_MS);
    await ended;
    clearTimeout(force);
  };

  const abort = (): void => void stop();
  options.signal?.addEventListener("abort", abort, { once: true });
  try {
    const ready = await new Promise<Extract<FromChild, { kind: "ready" }>>((resolve, reject) => {
      child.once("message", (message: FromChild) => {
        if (message.kind === "ready") resolve(message);
        else reject(new RuntimeStartError(message.reason, message.message));
      });
      const gaveUp = (): void => {
        reject(new RuntimeStartError("start", `The runtime ended while starting.\n${lines.join("\n")}`.trim()));
      };
      void ended.then(gaveUp);
    });
    options.signal?.throwIfAborted();
    const { url, stateDir, cronIntervalMs, warnings } = ready;
    return { url, stateDir, cronIntervalMs, warnings, pid, lastLines: () => [...lines], ended, stop, kill };
  } catch (error) {
    await stop();
    options.signal?.throwIfAborted();
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", abort);
  }
}
