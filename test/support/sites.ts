/**
 * Sites on loopback for tests, inside workerd and in Node alike: talks to the control server of sites-server.ts.
 */
import type { LoggedRequest, SiteLog, SiteSpec } from "./site-spec.ts";

export type { Generated, LoggedRequest, Route, SiteLog, SiteSpec } from "./site-spec.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the control server that serves sites for tests. */
    sitesControl: string;
  }
}

export interface Site {
  id: string;
  /** http://127.0.0.1:PORT, without a slash at the end. */
  origin: string;
  /** host:port, as in lists of allowed hosts. */
  host: string;
  /** Every request so far, oldest first. */
  requests(): Promise<LoggedRequest[]>;
  /** The requests and the most that were waiting for headers at once. */
  log(): Promise<SiteLog>;
  /** Lets everything that waits at the gate go on, now and later. */
  open(gate: string): Promise<void>;
  /** Adds or replaces routes (a replaced list starts again at its first answer) and the fallback. */
  patch(change: Pick<SiteSpec, "routes" | "fallback">): Promise<void>;
  /** Stops the site: connections are cut, and its port refuses from then on. */
  close(): Promise<void>;
}

async function call<T>(url: string, method: string, body?: unknown): Promise<T> {
  const response = await fetch(url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text}`);
  const answer: T = JSON.parse(text);
  return answer;
}

/**
 * Opens a site. `control` is the address of a control server; without it, the one that vitest's globalSetup provides.
 * (vitest is loaded only then, since it refuses to be asked outside of a test run.)
 */
export async function createSite(spec: SiteSpec, control?: string): Promise<Site> {
  const base = control ?? (await import("vitest")).inject("sitesControl");
  const { id, origin } = await call<{ id: string; origin: string }>(`${base}/sites`, "POST", spec);
  const site = `${base}/sites/${id}`;
  const log = (): Promise<SiteLog> => call<SiteLog>(`${site}/requests`, "GET");
  return {
    id,
    origin,
    host: new URL(origin).host,
    log,
    requests: async () => (await log()).requests,
    open: async (gate) => void (await call(`${site}/gates/${encodeURIComponent(gate)}`, "POST")),
    patch: async (change) => void (await call(site, "PATCH", change)),
    close: async () => void (await call(site, "DELETE")),
  };
}
