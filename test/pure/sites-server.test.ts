import { afterAll, beforeAll, expect, test } from "vitest";
import { startSitesControl } from "../support/sites-server.ts";
import type { SitesControl } from "../support/sites-server.ts";

let control: SitesControl;
beforeAll(async () => {
  control = await startSitesControl();
});
afterAll(() => control.close());

const statusOf = async (url: string): Promise<number> => (await fetch(url, { redirect: "manual" })).status;

test("a path with its query string is matched first, then the path, then the fallback, then nothing", async () => {
  const site = await control.createSite({ routes: { "/a?b=1": { status: 201 }, "/a": { status: 202 } } });
  expect(await statusOf(`${site.origin}/a?b=1`)).toBe(201);
  expect(await statusOf(`${site.origin}/a?b=2`)).toBe(202);
  expect(await statusOf(`${site.origin}/c`)).toBe(404);
  await site.patch({ fallback: { status: 203 }, routes: { "/a": { status: 204 } } });
  expect(await statusOf(`${site.origin}/c`)).toBe(203);
  expect(await statusOf(`${site.origin}/a`)).toBe(204);
  await site.close();
  await expect(statusOf(`${site.origin}/a`)).rejects.toThrow();
});

test("a list of answers is served one after the other, and its last one repeats", async () => {
  const site = await control.createSite({ routes: { "/": [{ status: 503 }, { status: 429 }, { status: 200 }] } });
  const seen = [];
  for (let n = 0; n < 4; n += 1) seen.push(await statusOf(`${site.origin}/`));
  expect(seen).toEqual([503, 429, 200, 200]);
});

test("bad endings are really bad: cut connections, half bodies, endless redirects and bodies", async () => {
  const site = await control.createSite({
    routes: {
      "/cut": { destroy: "before-headers" },
      "/half": { body: "x".repeat(1000), destroy: "mid-body" },
      "/round": { endlessRedirect: true },
      "/long": { endless: "body" },
      "/big": { body: "x".repeat(1000), repeat: 100, gzip: true },
      "/head": { body: "fine", headStatus: 405 },
    },
  });
  await expect(fetch(`${site.origin}/cut`)).rejects.toThrow();
  await expect(fetch(`${site.origin}/half`).then((response) => response.text())).rejects.toThrow();
  const round = await fetch(`${site.origin}/round?n=41`, { redirect: "manual" });
  expect([round.status, round.headers.get("location")]).toEqual([302, "/round?n=42"]);
  let read = 0;
  for await (const chunk of (await fetch(`${site.origin}/long`)).body ?? [])
    if ((read += chunk.length) > 1_000_000) break;
  expect(read).toBeGreaterThan(1_000_000);
  expect((await (await fetch(`${site.origin}/big`)).text()).length).toBe(100_000);
  expect((await fetch(`${site.origin}/head`, { method: "HEAD" })).status).toBe(405);
  expect(await statusOf(`${site.origin}/head`)).toBe(200);
});

test("the log tells every request and how many waited for their headers at once", async () => {
  const site = await control.createSite({ fallback: { gate: "all", body: "x" } });
  const answers = [1, 2, 3].map((n) => fetch(`${site.origin}/${n}`, { headers: { "user-agent": "me" } }));
  await expect.poll(async () => (await site.requests()).length).toBe(3);
  await site.open("all");
  await Promise.all(answers);
  await statusOf(`${site.origin}/4`);
  const log = await site.log();
  expect(log.peakWaiting).toBe(3);
  expect(log.requests.map((request) => request.path).toSorted()).toEqual(["/1", "/2", "/3", "/4"]);
  expect(log.requests[0]).toMatchObject({ method: "GET", status: 200, headers: { "user-agent": "me" } });
});

test("a generated site has pages of the size asked for, all different and all within three clicks", async () => {
  const site = await control.createSite({ generate: { pages: 300, links: 51, bytes: 14_000, sitemap: true } });
  const titles = new Set<string>();
  const depths = new Map([["/", 0]]);
  for (const [path, depth] of depths) {
    const html = await (await fetch(site.origin + path)).text();
    expect(html.length).toBeGreaterThan(13_900);
    expect(html.length).toBeLessThanOrEqual(14_100);
    titles.add(/<title>(.*?)<\/title>/.exec(html)?.[1] ?? "");
    const links = [...html.matchAll(/<a href="([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(new Set(links).size).toBe(51);
    for (const link of links) if (!depths.has(link)) depths.set(link, depth + 1);
  }
  expect(depths.size).toBe(301);
  expect(titles.size).toBe(301);
  expect(Math.max(...depths.values())).toBeLessThanOrEqual(3);
  expect(await (await fetch(`${site.origin}/sitemap.xml`)).text()).toContain(`<loc>${site.origin}/p/299</loc>`);
  expect(await (await fetch(`${site.origin}/robots.txt`)).text()).toContain("Sitemap:");
});
