/** `npm start` in a test: on a port of its own, killed with -9 or stopped, started again on the same state. */
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, vi } from "vitest";
import { auditResponse, type AuditResponse, type PageResponse } from "../../../src/http/api/schemas.ts";
import { run, type Running } from "./command.ts";

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}

export interface Server {
  /** http://localhost:PORT */
  url: string;
  port: number;
  running: Running;
  /** Ends every process of it at once, as a power cut would. */
  kill9: () => Promise<void>;
  stop: () => Promise<void>;
  call: <T>(method: string, path: string, body?: unknown) => Promise<T>;
  audit: (id: string) => Promise<AuditResponse>;
  pages: (id: string) => Promise<PageResponse[]>;
}

export async function startServer(
  state: string,
  hosts: string[],
  vars: Record<string, string>,
  samePort?: number,
): Promise<Server> {
  const port = samePort ?? (await freePort());
  const running = run("start", [
    "--port",
    String(port),
    "--state",
    state,
    ...hosts.flatMap((host) => ["--allow-host", host]),
    ...Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
  ]);
  await vi.waitFor(() => expect(running.out() + running.err()).toContain("Ctrl-C stops it"), { timeout: 90_000 });
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`http://localhost:${port}/api/v1/${path}`, {
      method,
      headers: { "content-type": "application/json" },
      signal: AbortSignal.timeout(15_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  };
  return {
    url: `http://localhost:${port}`,
    port,
    running,
    call,
    audit: async (id) => auditResponse.parse(await call("GET", `audits/${id}`)),
    pages: async (id) => (await call<{ items: PageResponse[] }>("GET", `audits/${id}/pages?limit=200`)).items,
    kill9: async () => {
      // The innermost first, so that none has time to say goodbye.
      for (const { pid } of running.processes().toSorted((one, other) => other.pid - one.pid)) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It has ended by itself.
        }
      }
      await running.ended;
      await vi.waitFor(() => expect(running.leftovers()).toEqual([]), { timeout: 10_000 });
    },
    stop: async () => {
      running.child.kill("SIGINT");
      await running.ended;
      await vi.waitFor(() => expect(running.leftovers()).toEqual([]), { timeout: 10_000 });
    },
  };
}

/** The local database of a state, opened beside the runtime. */
export function openLocalDatabase(state: string): DatabaseSync {
  const folder = join(state, "v3/d1/miniflare-D1DatabaseObject");
  const file = readdirSync(folder).find((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  if (file === undefined) throw new Error(`no database in ${folder}`);
  return new DatabaseSync(join(folder, file), { timeout: 5_000 });
}
