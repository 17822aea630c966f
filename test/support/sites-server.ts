/**
 * The control server through which tests, which may run inside workerd, open sites in a Node process. It is a vitest
 * globalSetup, and a module for scripts and tests in Node: `startSitesControl()`.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { TestProject } from "vitest/node";
import { openSite } from "./site.ts";
import type { RunningSite } from "./site.ts";
import type { SiteSpec } from "./site-spec.ts";
import { createSite } from "./sites.ts";
import type { Site } from "./sites.ts";

export interface SitesControl {
  /** Address of the control server, for `createSite` in another process or in workerd. */
  url: string;
  createSite(spec: SiteSpec): Promise<Site>;
  /** Stops every site and the control server. */
  close(): Promise<void>;
}

async function bodyOf<T>(request: IncomingMessage): Promise<T> {
  const text = (await request.setEncoding("utf8").toArray()).join("");
  const body: T = JSON.parse(text === "" ? "{}" : text);
  return body;
}

export async function startSitesControl(): Promise<SitesControl> {
  const sites = new Map<string, RunningSite>();
  let lastId = 0;

  /** The answer as data; undefined: there is no such thing. */
  async function handle(request: IncomingMessage): Promise<unknown> {
    const [collection, id = "", part, name = ""] = (request.url ?? "").split("/").slice(1).map(decodeURIComponent);
    if (collection !== "sites") return undefined;
    if (id === "" && request.method === "POST") {
      const site = await openSite(await bodyOf<SiteSpec>(request));
      lastId += 1;
      sites.set(String(lastId), site);
      return { id: String(lastId), origin: site.origin };
    }
    const site = sites.get(id);
    if (site === undefined) return undefined;
    switch (`${request.method} ${part ?? ""}`) {
      case "GET requests":
        return site.log();
      case "POST gates":
        site.open(name);
        return {};
      case "PATCH ":
        site.patch(await bodyOf<SiteSpec>(request));
        return {};
      case "DELETE ":
        sites.delete(id);
        await site.close();
        return {};
      default:
        return undefined;
    }
  }

  const server = createServer((request, response) => {
    const send = (status: number, body: unknown): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    handle(request).then(
      (answer) => (answer === undefined ? send(404, { error: "no such site or action" }) : send(200, answer)),
      (error: unknown) => send(500, { error: String(error) }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the control server has no port");
  const url = `http://127.0.0.1:${address.port}`;
  return {
    url,
    createSite: (spec) => createSite(spec, url),
    close: async () => {
      await Promise.all([...sites.values()].map((site) => site.close()));
      server.close();
      server.closeAllConnections();
    },
  };
}

let control: SitesControl | null = null;

export async function setup(project: TestProject): Promise<void> {
  control = await startSitesControl();
  project.provide("sitesControl", control.url);
}

export async function teardown(): Promise<void> {
  await control?.close();
  control = null;
}
