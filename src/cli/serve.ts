/** Serves the Worker with its Workflows and its cron until it is told to stop. */
import { join, resolve } from "node:path";
import { formatDuration } from "../words.ts";
import { readArguments, readWholeNumber, UsageError } from "./arguments.ts";
import { hasColour, type Io } from "./io.ts";
import { portIsFree, RuntimeStartError, startLocalRuntime, type LocalRuntime } from "./local-runtime.ts";
import { ROOT } from "./runtime/paths.ts";
import { painter, safe } from "./text.ts";

const DEFAULT_PORT = 8787;

const HELP = `Serves Pulse Audit on http://localhost:${DEFAULT_PORT} until Ctrl-C: Worker, Workflows, database and cron,
as they are when deployed. Only this machine can reach it.

  npm start -- [options]

  --port N                  another port
  --state DIR               where the database and the Workflows' state live (.wrangler/state)
  --var NAME:VALUE          a wrangler var, repeatable
  --allow-host HOST[:PORT]  a loopback or private host that audits may reach, repeatable
  --verbose                 show everything that is logged, not only errors

Exit codes: 0 stopped by Ctrl-C, 2 wrong use or port taken, 3 it did not start or ended by itself.`;

const OPTIONS = {
  port: { type: "string" },
  state: { type: "string" },
  var: { type: "string", multiple: true },
  "allow-host": { type: "string", multiple: true },
  verbose: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

export interface ServeOptions {
  port: number;
  stateDir: string;
  vars: Record<string, string>;
  allowedHosts: string[];
  verbose: boolean;
}

function readVar(text: string): [string, string] {
  const match = /^([A-Za-z_][A-Za-z0-9_]*):(.*)$/s.exec(text);
  if (!match) throw new UsageError(`--var takes NAME:VALUE, not "${text}".`);
  const [, name = "", value = ""] = match;
  if (name === "LOCAL_MODE" || name === "ALLOWED_HOSTS") {
    throw new UsageError(
      `--var ${name} is set by the launcher${name === "ALLOWED_HOSTS" ? "; use --allow-host" : ""}.`,
    );
  }
  return [name, value];
}

/** HOST, HOST:PORT or [IPv6]:PORT, as the URL standard spells them. */
function readHost(text: string): string {
  const url = /[/?#@\\\s,]/.test(text) ? null : URL.parse(`http://${text}`);
  const port = /:(\d+)$/.exec(text.replace(/^\[[^\]]*\]/, "host"))?.[1];
  if (url === null || url.hostname === "") throw new UsageError(`--allow-host takes HOST or HOST:PORT, not "${text}".`);
  return port === undefined ? url.hostname : `${url.hostname}:${Number(port)}`;
}

/** Throws UsageError. Null: only help was asked for. */
export function readServeOptions(args: readonly string[]): ServeOptions | null {
  const { values } = readArguments(args, OPTIONS, { names: [] });
  if (values.help) return null;
  return {
    port: values.port === undefined ? DEFAULT_PORT : readWholeNumber("--port", values.port, 1, 65_535),
    stateDir: values.state === undefined ? join(ROOT, ".wrangler/state") : resolve(values.state),
    vars: Object.fromEntries((values.var ?? []).map(readVar)),
    allowedHosts: (values["allow-host"] ?? []).map(readHost),
    verbose: values.verbose ?? false,
  };
}

export async function serve(args: readonly string[], io: Io): Promise<number> {
  const options = readServeOptions(args);
  if (options === null) {
    io.out.write(`${HELP}\n`);
    return 0;
  }
  const { port, stateDir, vars, allowedHosts, verbose } = options;
  if (!(await portIsFree(port))) throw portTaken(port);
  io.err.write("Starting the local runtime ...\n");
  const onLine = (line: string): void => void io.err.write(`${safe(line)}\n`);
  const runtime = await startLocalRuntime({
    stateDirs: [stateDir],
    port,
    vars,
    allowedHosts,
    verbose,
    onLine,
    signal: io.signal,
  }).catch((error: unknown) => {
    throw error instanceof RuntimeStartError && error.reason === "port_taken" ? portTaken(port) : error;
  });
  try {
    io.out.write(`${greeting(runtime, options, io).join("\n")}\n`);
    return await untilEnd(runtime, io);
  } finally {
    await runtime.stop();
  }
}

function portTaken(port: number): UsageError {
  return new UsageError(
    `Port ${port} is taken. Stop what uses it, or choose another: npm start -- --port ${port === 65_535 ? 8788 : port + 1}`,
  );
}

function greeting(runtime: LocalRuntime, { port, allowedHosts }: ServeOptions, io: Io): string[] {
  const paint = painter(hasColour(io.out, io.env));
  const address = `http://localhost:${port}`;
  const server = port === DEFAULT_PORT ? "" : ` --server ${address}`;
  const reach =
    allowedHosts.length > 0
      ? `public sites, and ${allowedHosts.join(", ")}`
      : "public sites only (--allow-host HOST:PORT for a local one)";
  return [
    `Pulse Audit serves ${paint("bold", address)} to this machine. Ctrl-C stops it.`,
    "",
    `  audits may reach   ${reach}`,
    `  start an audit     npm run audit -- https://example.com --server ${address}`,
    `  the supervisor     every ${formatDuration(runtime.cronIntervalMs)}; its history: npm run audit -- runs${server}`,
    `  look inside        ${address}/cdn-cgi/local/explorer/`,
    `  state              ${runtime.stateDir}`,
    ...runtime.warnings.map((warning) => `  ${paint("yellow", "unsafe limits")}      ${warning}`),
  ];
}

/** Ctrl-C is how it is meant to end; anything else is worth words. */
async function untilEnd(runtime: LocalRuntime, io: Io): Promise<number> {
  const told = new Promise<void>((done) => {
    if (io.signal.aborted) done();
    io.signal.addEventListener("abort", () => done(), { once: true });
  });
  await Promise.race([told, runtime.ended]);
  if (!io.signal.aborted) {
    throw new RuntimeStartError("start", ["The runtime ended by itself.", ...runtime.lastLines()].join("\n"));
  }
  await runtime.stop();
  io.err.write("Stopped.\n");
  return 0;
}
