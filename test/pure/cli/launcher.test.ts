import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { UsageError } from "../../../src/cli/arguments.ts";
import { hostsToAllow } from "../../../src/cli/own-runtime.ts";
import { scheduledUrl, slotOf, startTicker } from "../../../src/cli/runtime/cron-ticker.ts";
import { announce, releaseState, takeState } from "../../../src/cli/runtime/state-lock.ts";
import { readServeOptions } from "../../../src/cli/serve.ts";

const folder = (): string => mkdtempSync(join(tmpdir(), "pulse-state-"));
/** A process that looks like the runtime, and does nothing. */
const runtimeLookalike = () => spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)", "runtime/child.ts"]);

describe("what an audit of one's own site is allowed to reach", () => {
  test.each([
    ["http://localhost:3000/shop", ["localhost:3000"]],
    ["http://127.0.0.1/", ["127.0.0.1:80"]],
    ["https://192.168.1.7/", ["192.168.1.7:443"]],
    ["http://[::1]:8080/", ["[::1]:8080"]],
    ["http://0x7f.1:81/", ["127.0.0.1:81"]],
    ["http://shop.test:8000/", ["shop.test:8000"]],
    ["https://93.184.216.34/", []],
  ])("for %s besides public addresses: %j", async (url, allowed) => {
    expect(await hostsToAllow(new URL(url))).toEqual(allowed);
  });
});

describe("the options of npm start", () => {
  test("are read, repeated ones too", () => {
    const args = "--port 9000 --var A:b:c --var URL:http://x --allow-host localhost:3000 --allow-host [::1] --state s";
    const options = readServeOptions(args.split(" "));
    expect(options).toMatchObject({
      port: 9_000,
      vars: { A: "b:c", URL: "http://x" },
      allowedHosts: ["localhost:3000", "[::1]"],
    });
    expect(options?.stateDir).toBe(join(process.cwd(), "s"));
  });

  test("have the documented defaults", () => {
    const options = readServeOptions([]);
    expect(options).toMatchObject({ port: 8787, vars: {}, allowedHosts: [], verbose: false });
    expect(options?.stateDir.endsWith(".wrangler/state")).toBe(true);
  });

  test.each([
    ["--port", "0"],
    ["--port", "65536"],
    ["--port", "x"],
    ["--var", "NOVALUE"],
    ["--var", "LOCAL_MODE:1"],
    ["--var", "ALLOWED_HOSTS:x"],
    ["--allow-host", "http://x"],
    ["--allow-host", "a,b"],
    ["--allow-host", "x:99999"],
    ["--bogus", "1"],
    ["stray", "word"],
  ])("%s %s is wrong use", (name, value) => {
    expect(() => readServeOptions([name, value])).toThrow(UsageError);
  });
});

describe("the cron of the local runtime", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  test("ticks the slot of now at once, then each slot on the clock's boundary, each once", () => {
    vi.setSystemTime(120_000 * 10 + 50_000);
    const slots: number[] = [];
    const ticker = startTicker(
      120_000,
      async (slot) => void slots.push(slot),
      () => {},
    );
    expect(slots).toEqual([1_200_000]);
    vi.advanceTimersByTime(69_999);
    expect(slots).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(slots).toEqual([1_200_000, 1_320_000]);
    vi.advanceTimersByTime(240_000);
    expect(slots).toEqual([1_200_000, 1_320_000, 1_440_000, 1_560_000]);
    ticker.stop();
    vi.advanceTimersByTime(600_000);
    expect(slots).toHaveLength(4);
  });

  test("leaves out what it slept through and goes on", () => {
    vi.setSystemTime(0);
    const slots: number[] = [];
    const ticker = startTicker(
      1_000,
      async (slot) => void slots.push(slot),
      () => {},
    );
    vi.setSystemTime(3_600_500);
    vi.advanceTimersByTime(1_000);
    vi.advanceTimersByTime(500);
    expect(slots[0]).toBe(0);
    expect(slots[1]).toBeGreaterThanOrEqual(3_600_000);
    expect(new Set(slots).size).toBe(slots.length);
    ticker.stop();
  });

  test("reports a tick that fails and ticks on", async () => {
    vi.setSystemTime(0);
    const failures: string[] = [];
    const ticker = startTicker(
      1_000,
      () => Promise.reject(new Error("no answer")),
      (error) => failures.push(error.message),
    );
    await vi.advanceTimersByTimeAsync(2_000);
    expect(failures).toEqual(["no answer", "no answer", "no answer"]);
    ticker.stop();
  });

  test("calls the address that the local runtime takes for a cron, with the slot as its time", () => {
    expect(slotOf(1_250_000, 120_000)).toBe(1_200_000);
    expect(scheduledUrl("http://127.0.0.1:8787", "*/2 * * * *", 1_200_000)).toBe(
      "http://127.0.0.1:8787/cdn-cgi/handler/scheduled?cron=*%2F2+*+*+*+*&time=1200000",
    );
  });
});

describe("the lock on a state folder", () => {
  test("is taken once, told who has it, and free again when released", () => {
    const dir = folder();
    expect(takeState(dir, { pid: process.pid })).toBeNull();
    releaseState(dir, process.pid);
    expect(takeState(dir, { pid: process.pid })).toBeNull();
  });

  test("stands while its runtime lives, with its address, and falls with it", async () => {
    const dir = folder();
    const holder = runtimeLookalike();
    const pid = holder.pid ?? 0;
    expect(takeState(dir, { pid })).toBeNull();
    announce(dir, { pid, url: "http://127.0.0.1:1234" });
    expect(takeState(dir, { pid: process.pid })).toEqual({ pid, url: "http://127.0.0.1:1234" });
    holder.kill("SIGKILL");
    await once(holder, "exit");
    expect(takeState(dir, { pid: process.pid })).toBeNull();
  });

  test("of a process that is no runtime, or that cannot be read, counts for nothing", () => {
    const dir = folder();
    writeFileSync(join(dir, "pulse-runtime.json"), JSON.stringify({ pid: process.pid }));
    expect(takeState(dir, { pid: process.pid + 1 })).toBeNull();
    writeFileSync(join(dir, "pulse-runtime.json"), "{half");
    expect(takeState(dir, { pid: process.pid })).toBeNull();
  });
});
