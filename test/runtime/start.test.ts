/** `npm start`: the deployed product on this machine. */
import { get } from "node:http";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { auditResponse } from "../../src/http/api/schemas.ts";
import { serveDemo } from "../demo/server.ts";
import { run, temporaryFolder, type Running } from "./support/command.ts";
import { freePort } from "./support/server.ts";

const state = temporaryFolder();
const running: Running[] = [];

async function start(args: string[], port: number): Promise<Running> {
  const started = run("start", ["--port", String(port), "--state", state, ...args]);
  running.push(started);
  await expect.poll(started.out, { timeout: 60_000 }).toContain("Ctrl-C stops it");
  return started;
}

afterEach(async () => {
  for (const started of running.splice(0)) {
    started.child.kill("SIGINT");
    await started.ended;
    await expect.poll(started.leftovers, { timeout: 10_000 }).toEqual([]);
  }
});

describe("npm start", () => {
  test("serves, audits what --allow-host names and nothing else private, ticks the cron, and stops on Ctrl-C", async () => {
    const shop = await serveDemo();
    const port = await freePort();
    const allowed = new URL(shop.origin).host;
    const started = await start(
      ["--allow-host", allowed, "--var", "CRON_INTERVAL_MS:1000", "--var", "UNSAFE_LIMITS:1"],
      port,
    );
    const server = `http://localhost:${port}`;
    expect(started.out()).toContain(server);
    expect(started.out()).toContain(allowed);

    const audit = run("audit", [shop.origin, "--server", server, "--max-pages", "3"]);
    expect(await audit.ended, audit.err()).toBe(0);
    const refused = run("audit", [`http://localhost:${port}`, "--server", server]);
    expect(await refused.ended).toBeGreaterThanOrEqual(2);
    expect(refused.out() + refused.err()).toContain("not allowed");

    const id = /audit ([\w-]+)\n/.exec(audit.err())?.[1] ?? "";
    const status = run("audit", ["status", id, "--server", server]);
    expect(await status.ended).toBe(0);
    expect(status.out()).toContain("completed");
    // The supervisor, which only the cron starts, has finished a run.
    const supervisor = async (): Promise<unknown> => {
      const response = await fetch(`${server}/api/v1/audits/${id}`);
      return auditResponse.parse(await response.json()).supervisor.lastFinishedAt;
    };
    await expect.poll(supervisor, { timeout: 30_000 }).not.toBeNull();

    started.child.kill("SIGINT");
    expect(await started.ended).toBe(0);
    await shop.close();
  });

  test("answers on loopback only, and without a token only to a loopback host", async () => {
    const port = await freePort();
    await start([], port);
    const local = await fetch(`http://localhost:${port}/healthz`);
    expect(local.status).toBe(200);
    // A page of another site that points its own name at this machine (DNS rebinding) gets nothing.
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const options = { port, host: "127.0.0.1", path: "/api/v1/checks", headers: { host: "evil.example" } };
      get(options, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).once("error", reject);
    });
    expect(status).toBeGreaterThanOrEqual(400);
  });

  test("refuses a taken port in words", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const started = run("start", ["--port", String(port), "--state", state]);
    expect(await started.ended).toBe(2);
    expect(started.err()).toContain(`Port ${port} is taken`);
    other.close();
  });

  test("refuses a state that another one uses, and says which", async () => {
    const port = await freePort();
    await start([], port);
    const second = run("start", ["--port", String(await freePort()), "--state", state]);
    expect(await second.ended).toBe(2);
    expect(second.err()).toContain(state);
    expect(second.err()).toContain(String(port));
    expect(second.leftovers()).toEqual([]);
  });

  test("refuses vars that could kill healthy audits, in the configuration's words", async () => {
    const started = run("start", [
      "--port",
      String(await freePort()),
      "--state",
      join(state, "other"),
      "--var",
      "STALE_RUNNING_AFTER_MS:1000",
    ]);
    expect(await started.ended).toBe(2);
    expect(started.err()).toContain("STALE_RUNNING_AFTER_MS is 1000");
    expect(started.leftovers()).toEqual([]);
  });

  test("shows its help without starting anything, and wrong flags as wrong use", async () => {
    const help = run("start", ["--help"]);
    expect(await help.ended).toBe(0);
    expect(help.out()).toContain("--allow-host");
    const wrong = run("start", ["--bogus"]);
    expect(await wrong.ended).toBe(2);
    expect(wrong.err()).toContain("--bogus");
  });
});
