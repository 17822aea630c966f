/** Serves the demo shop on this machine. */
import { createServer } from "node:http";
import { answer } from "./site.ts";

export interface DemoServer {
  /** http://localhost:PORT */
  origin: string;
  close: () => Promise<void>;
}

/** Port 0: any free one. */
export async function serveDemo(port = 0): Promise<DemoServer> {
  let origin = "";
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const { status, headers, body } = answer(origin, pathname);
    response.writeHead(status, headers);
    response.end(request.method === "HEAD" ? "" : body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The demo shop has no port.");
  origin = `http://localhost:${address.port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { origin, close };
}
