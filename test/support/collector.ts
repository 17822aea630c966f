/**
 * An analytics collector on loopback: a vitest globalSetup, since tests inside workerd cannot open servers. A test gets a
 * collector of its own by its project key, which is part of every event that it receives.
 *
 *     PUT /behaviour/KEY   { "mode": "answers" | "refuses" | "hangs" | "hangs in the answer" | "dies", "times"?: N }
 *     GET /received/KEY    what arrived under that key, refused or not
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the collector. */
    collector: string;
  }
}

export type CollectorMode = "answers" | "refuses" | "hangs" | "hangs in the answer" | "dies";

export interface ReceivedEvent {
  uuid: string;
  event: string;
  distinct_id: string;
  timestamp: string;
  properties: Record<string, unknown>;
}

interface Batch {
  api_key: string;
  batch: ReceivedEvent[];
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const bytes = Buffer.concat(await request.toArray());
  const zipped = request.headers["content-encoding"] === "gzip" || (request.url ?? "").includes("compression=gzip");
  return (zipped ? gunzipSync(bytes) : bytes).toString("utf8");
}

const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

export async function startCollector(): Promise<{ url: string; close: () => Promise<void> }> {
  const behaviours = new Map<string, { mode: CollectorMode; times?: number }>();
  const received = new Map<string, ReceivedEvent[]>();

  async function collect(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { api_key: key, batch }: Batch = JSON.parse(await bodyOf(request));
    received.set(key, [...(received.get(key) ?? []), ...batch]);
    const behaviour = behaviours.get(key);
    const mode = behaviour === undefined || behaviour.times === 0 ? "answers" : behaviour.mode;
    if (behaviour?.times !== undefined && behaviour.times > 0) behaviour.times -= 1;
    if (mode === "answers") json(response, 200, { status: 1 });
    else if (mode === "refuses") json(response, 503, { type: "server_error", code: "overloaded" });
    else if (mode === "dies") request.socket.destroy();
    else if (mode === "hangs in the answer") response.writeHead(200, { "content-type": "application/json" }).write("{");
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, part, key = ""] = (request.url ?? "").split("/");
    if (part === "behaviour") {
      behaviours.set(key, JSON.parse(await bodyOf(request)));
      json(response, 200, {});
    } else if (part === "received") json(response, 200, received.get(key) ?? []);
    else await collect(request, response);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => json(response, 500, { error: String(error) }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the collector has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

let collector: Awaited<ReturnType<typeof startCollector>> | null = null;

export async function setup(project: TestProject): Promise<void> {
  collector = await startCollector();
  project.provide("collector", collector.url);
}

export async function teardown(): Promise<void> {
  await collector?.close();
  collector = null;
}
