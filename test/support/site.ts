/**
 * One site on its own port of 127.0.0.1, with every way of answering badly that a test can ask for.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { createGzip, gzipSync } from "node:zlib";
import { generatedSite } from "./generated-site.ts";
import type { GeneratedAnswer } from "./generated-site.ts";
import type { LoggedRequest, Route, SiteLog, SiteSpec } from "./site-spec.ts";

/** A benchmark asks for tens of thousands of pages: no more requests than these are kept. */
const MAX_LOGGED = 20_000;

export interface RunningSite {
  origin: string;
  log(): SiteLog;
  open(gate: string): void;
  patch(change: Pick<SiteSpec, "routes" | "fallback">): void;
  close(): Promise<void>;
}

/** A request with its response, and the one way to begin the response, which the log hears of. */
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  begin: (status: number, headers: OutgoingHttpHeaders) => ServerResponse;
}

function headersOf(route: Route, fill: (text: string) => string): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(route.headers ?? {})) {
    headers[name.toLowerCase()] = Array.isArray(value) ? value.map(fill) : fill(value);
  }
  return headers;
}

function statusOf(route: Route, method: string | undefined): number {
  const usual = route.status ?? (route.redirect === undefined ? 200 : 302);
  return method === "HEAD" ? (route.headStatus ?? usual) : usual;
}

function bodyOf(route: Route, fill: (text: string) => string): Buffer {
  if (route.bodyBase64 !== undefined) return Buffer.from(route.bodyBase64, "base64");
  return Buffer.from(fill(route.body ?? (route.endless ? "<p>on and on and on</p>\n" : "")));
}

function* times(body: Buffer, count: number): Generator<Buffer> {
  for (let sent = 0; sent < count; sent += 1) yield body;
}

/** Sends the body in the way the route says. */
async function sendBody({ begin }: Exchange, route: Route, status: number, headers: OutgoingHttpHeaders, body: Buffer) {
  const count = route.endless === "body" ? Infinity : (route.repeat ?? 1);
  const sent = route.gzip && count === 1 ? gzipSync(body) : body;
  if (route.gzip) headers["content-encoding"] = "gzip";
  if (count === 1) headers["content-length"] ??= sent.length;
  const response = begin(status, headers);
  if (route.bodyDelayMs !== undefined) {
    response.flushHeaders();
    await wait(route.bodyDelayMs);
  }
  if (route.hang === "body" || route.destroy === "mid-body") {
    await new Promise((resolve) => response.write(sent.subarray(0, Math.ceil(sent.length / 2)), resolve));
    if (route.destroy === "mid-body") response.destroy();
  } else if (count === 1) {
    response.end(sent);
  } else {
    const chunks = Readable.from(times(body, count));
    await (route.gzip ? pipeline(chunks, createGzip(), response) : pipeline(chunks, response));
  }
}

/** Opens gates once and for all; whoever waits at one goes on when it opens. */
class Gates {
  readonly #gates = new Map<string, { opened: Promise<void>; open: () => void }>();

  #gate(name: string): { opened: Promise<void>; open: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const gate = this.#gates.get(name) ?? { opened: promise, open: resolve };
    this.#gates.set(name, gate);
    return gate;
  }

  passed(name: string): Promise<void> {
    return this.#gate(name).opened;
  }

  open(name: string): void {
    this.#gate(name).open();
  }

  openAll(): void {
    for (const gate of this.#gates.values()) gate.open();
  }
}

/** The routes of a site, with the turn that each list of answers has reached. */
class Routes {
  readonly #routes: Map<string, Route | Route[]>;
  readonly #served = new Map<string, number>();
  #fallback: Route;

  constructor(spec: SiteSpec) {
    this.#routes = new Map(Object.entries(spec.routes ?? {}));
    this.#fallback = spec.fallback ?? { status: 404, body: "<h1>Not found</h1>" };
  }

  find(...keys: string[]): Route | null {
    const key = keys.find((candidate) => this.#routes.has(candidate));
    const found = key === undefined ? undefined : this.#routes.get(key);
    if (key === undefined || found === undefined) return null;
    if (!Array.isArray(found)) return found;
    const turn = this.#served.get(key) ?? 0;
    this.#served.set(key, turn + 1);
    return found[Math.min(turn, found.length - 1)] ?? null;
  }

  get fallback(): Route {
    return this.#fallback;
  }

  patch(change: Pick<SiteSpec, "routes" | "fallback">): void {
    for (const [key, route] of Object.entries(change.routes ?? {})) {
      this.#routes.set(key, route);
      this.#served.delete(key);
    }
    if (change.fallback) this.#fallback = change.fallback;
  }
}

/** Opens a site on a free port. */
export async function openSite(spec: SiteSpec): Promise<RunningSite> {
  const routes = new Routes(spec);
  const gates = new Gates();
  const requests: LoggedRequest[] = [];
  let waiting = 0;
  let peakWaiting = 0;
  let origin = "";
  let generated: ((path: string) => GeneratedAnswer | null) | null = null;
  const fill = (text: string): string => text.replaceAll("{{origin}}", origin);

  async function sendRoute(exchange: Exchange, route: Route): Promise<void> {
    const { request, begin } = exchange;
    if (route.gate !== undefined) await gates.passed(route.gate);
    if (route.delayMs !== undefined) await wait(route.delayMs);
    if (route.destroy === "before-headers") {
      request.socket.destroy();
      return;
    }
    if (route.hang === "headers") return;
    const headers = headersOf(route, fill);
    if (route.endlessRedirect) {
      const { pathname, searchParams } = new URL(request.url ?? "/", origin);
      begin(route.status ?? 302, {
        ...headers,
        location: `${pathname}?n=${Number(searchParams.get("n") ?? 0) + 1}`,
      }).end();
      return;
    }
    if (route.redirect !== undefined) headers["location"] ??= fill(route.redirect);
    const status = statusOf(route, request.method);
    const body = bodyOf(route, fill);
    if (body.length > 0) headers["content-type"] ??= "text/html; charset=utf-8";
    if (request.method === "HEAD") begin(status, headers).end();
    else await sendBody(exchange, route, status, headers, body);
  }

  async function answer(exchange: Exchange): Promise<void> {
    const pathAndQuery = exchange.request.url ?? "/";
    const route = routes.find(pathAndQuery, pathAndQuery.split("?", 1)[0] ?? "/");
    const page = route === null ? generated?.(pathAndQuery) : null;
    if (!page) return sendRoute(exchange, route ?? routes.fallback);
    if (page.isPage && spec.generate?.delayMs) await wait(spec.generate.delayMs);
    exchange.begin(200, { "content-type": page.contentType, "content-length": page.body.length }).end(page.body);
  }

  const server = createServer((request, response) => {
    const entry: LoggedRequest = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, value ?? ""])),
      time: Date.now(),
      headersAt: null,
      status: null,
    };
    if (requests.length < MAX_LOGGED) requests.push(entry);
    waiting += 1;
    peakWaiting = Math.max(peakWaiting, waiting);
    let counted = true;
    const settled = (): void => {
      if (counted) waiting -= 1;
      counted = false;
    };
    const begin = (status: number, headers: OutgoingHttpHeaders): ServerResponse => {
      settled();
      entry.headersAt = Date.now();
      entry.status = status;
      return response.writeHead(status, headers);
    };
    response.once("close", settled);
    // A reader who goes away in the middle is what many tests are about; only mistakes in a spec are answered.
    answer({ request, response, begin }).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else begin(500, { "content-type": "text/plain" }).end(`the test site failed: ${String(error)}`);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the test site has no port");
  origin = `http://127.0.0.1:${address.port}`;
  if (spec.generate) generated = generatedSite(spec.generate, origin);

  return {
    origin,
    log: () => ({ requests, peakWaiting }),
    open: (name) => gates.open(name),
    patch: (change) => routes.patch(change),
    close: async () => {
      gates.openAll();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
