/** The list of audits, and starting one from it. */
import { beforeEach, describe, expect, test } from "vitest";
import { rows, setVars } from "../support/audits.ts";
import type { Browser } from "../http/support.ts";
import { emptyDatabase, NOW, putAudit, read, signedIn, summaryWith, textOf } from "./support.ts";

let browser: Browser;
beforeEach(async () => {
  await emptyDatabase();
  browser = await signedIn();
});

const hosts = (html: string): string[] =>
  [...html.matchAll(/class="audit-host"><bdi>([^<]*)/g)].map(([, host = ""]) => host);
const start = async (fields: Record<string, string>): Promise<Response> =>
  browser.submit("/audits", { csrf: await browser.csrf("/"), once: crypto.randomUUID(), ...fields });
const started = (): Promise<{ url: string; options: string }[]> => rows("select url, options from audits");

describe("the list", () => {
  test("teaches where there is no audit yet", async () => {
    const text = textOf(await read(browser, "/"));
    expect(text).toContain("No audit yet");
    expect(text).toContain("npm run audit -- https://example.com");
    expect(text).toContain("Everything is all right");
  });

  test("says of each audit what it is, in words", async () => {
    await putAudit({
      url: "https://one.example/",
      columns: { site_origin: "https://one.example", summary: summaryWith() },
    });
    await putAudit({ status: "running", columns: { heartbeat_at: NOW - 4_000 } });
    await putAudit({ status: "running", columns: { heartbeat_at: NOW - 90_000, heartbeat_due_at: NOW - 60_000 } });
    await putAudit({ status: "failed", columns: { error_code: "heartbeat_lost" } });
    await putAudit({ status: "canceled" });
    const text = textOf(await read(browser, "/"));
    expect(text).toMatch(/one\.example .* Completed in 41 s.* 3 errors 11 warnings 40 notices 12 pages 82 health/);
    expect(text).toMatch(/Running crawling, last heartbeat \d+ s ago 12 of about 40 pages/);
    expect(text).toContain("Overdue crawling, last heartbeat");
    expect(text).toContain("Failed stopped sending heartbeats");
    expect(text).toContain("Canceled");
  });

  test("gives its alarms in their order: the supervisor, overdue audits, failed ones", async () => {
    await putAudit({ status: "failed", columns: { error_code: "oom" } });
    expect(textOf(await read(browser, "/"))).toContain("1 audit failed since yesterday");
    await putAudit({ status: "running", columns: { heartbeat_due_at: NOW - 60_000 } });
    await rows("insert into supervisor_state (id, last_finished_at) values (1, ?)", NOW);
    expect(textOf(await read(browser, "/"))).toContain("1 audit of 1 running is overdue");
    await rows("update supervisor_state set last_finished_at = ?", NOW - 3_600_000);
    expect(textOf(await read(browser, "/"))).toContain("The supervisor has not finished a run for");
  });

  test("filters by status and address, and keeps both in the address of the next page", async () => {
    for (let n = 0; n < 30; n += 1) {
      const status = n % 3 === 0 ? "failed" : "completed";
      const origin = `https://shop${n}.example`;
      await putAudit({ url: `${origin}/`, status, createdAt: NOW - n * 1_000, columns: { site_origin: origin } });
    }
    expect(hosts(await read(browser, "/?status=failed"))).toEqual(
      [0, 3, 6, 9, 12, 15, 18, 21, 24, 27].map((n) => `shop${n}.example`),
    );
    expect(hosts(await read(browser, "/?q=SHOP2&status=completed"))).toEqual(
      [2, 20, 22, 23, 25, 26, 28, 29].map((n) => `shop${n}.example`),
    );

    const first = await read(browser, "/?q=shop");
    expect(hosts(first)).toHaveLength(25);
    const next = /rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(next).toContain("q=shop");
    expect(hosts(await read(browser, next))).toEqual([25, 26, 27, 28, 29].map((n) => `shop${n}.example`));
  });

  test("shows nothing of other organizations", async () => {
    await putAudit({
      url: "https://secret.example/",
      columns: { site_origin: "https://secret.example", organization_id: "other" },
    });
    expect(await read(browser, "/")).not.toContain("secret.example");
  });

  test("sends its rows again only when they have changed", async () => {
    const id = await putAudit({ status: "running" });
    const first = await browser.open("/audits/live");
    const etag = first.headers.get("etag") ?? "";
    expect(await first.text()).toContain(`/audits/${id}`);
    const same = await browser.open("/audits/live", { headers: { "if-none-match": etag } });
    expect([same.status, await same.text()]).toEqual([304, ""]);
    expect(Number(same.headers.get("x-now"))).toBeGreaterThan(NOW - 60_000);
    await rows("update audits set heartbeat_seq = 8, pages_crawled = 20 where id = ?", id);
    expect((await browser.open("/audits/live", { headers: { "if-none-match": etag } })).status).toBe(200);
  });
});

describe("the start form", () => {
  test("starts an audit with the common options, and leads to it", async () => {
    const response = await start({ url: "shop.example", maxPages: "20" });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toMatch(/^\/audits\/[0-9a-z]+\?notice=started$/);
    const [audit] = await started();
    expect(audit?.url).toBe("https://shop.example/");
    expect(JSON.parse(audit?.options ?? "{}")).toMatchObject({ maxPages: 20, include: [], sitemapOnly: false });
    expect(textOf(await read(browser, response.headers.get("location") ?? ""))).toContain(
      "The audit has been started.",
    );
  });

  test("takes every option", async () => {
    const fields = {
      url: "https://shop.example",
      include: "/blog/*\r\n/shop",
      exclude: "cart",
      maxDepth: "3",
      subdomains: "1",
      ignoreParameters: "sort, ref",
      userAgent: "Other/1.0",
      requestDelayMs: "250",
      headers: "X-Key: a:b\r\nX-Other: c",
      username: "me",
      password: "hidden",
    };
    expect((await start(fields)).status).toBe(303);
    const [audit] = await started();
    const options = JSON.parse(audit?.options ?? "{}") as Record<string, unknown>;
    expect(options).toMatchObject({
      include: ["/blog/*", "/shop"],
      exclude: ["/cart"],
      maxDepth: 3,
      subdomains: true,
      ignoreParameters: ["sort", "ref"],
      userAgent: "Other/1.0",
      requestDelayMs: 250,
    });
    expect(options.secrets).toEqual(expect.any(String));
    expect(audit?.options).not.toContain("hidden");
  });

  test("comes back as it was filled, secrets left out, with what is wrong", async () => {
    const response = await start({
      url: "ftp://shop.example",
      exclude: "/cart",
      headers: "X-Key: k3y",
      password: "pa55word",
    });
    expect(response.status).toBe(400);
    const html = await response.text();
    expect(html).toContain('value="ftp://shop.example"');
    expect(html).toContain("/cart</textarea>");
    expect(html).toMatch(/role="alert"/);
    expect(html).not.toMatch(/k3y|pa55word/);
    const many = await start({ url: "https://shop.example", maxPages: "0" });
    expect([many.status, textOf(await many.text()).includes("Pages at most:")]).toEqual([400, true]);
    const private_ = await start({ url: "http://127.0.0.1/" });
    expect([private_.status, textOf(await private_.text()).includes("not allowed")]).toEqual([400, true]);
    expect(await started()).toEqual([]);
  });

  test("starts one audit however often the same form is sent", async () => {
    const fields = { csrf: await browser.csrf("/"), once: crypto.randomUUID(), url: "https://shop.example" };
    const one = await browser.submit("/audits", fields);
    const two = await browser.submit("/audits", fields);
    expect(two.headers.get("location")?.split("?")[0]).toBe(one.headers.get("location")?.split("?")[0]);
    expect(await started()).toHaveLength(1);
    // Going back and asking for something else is another request.
    await browser.submit("/audits", { ...fields, url: "https://other.example" });
    expect(await started()).toHaveLength(2);
  });

  test("says what runs when no more may run", async () => {
    setVars({ CAPACITY_PER_ORGANIZATION: "1" });
    await start({ url: "https://first.example" });
    const response = await start({ url: "https://second.example" });
    expect(response.status).toBe(429);
    expect(textOf(await response.text())).toContain("1 of 1 audits are running: https://first.example/");
  });

  test("is not there for whoever may only read, who is refused, too", async () => {
    const reader = await signedIn("read");
    const html = await read(reader, "/");
    expect(html).not.toContain('action="/audits"');
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? "";
    const refused = await reader.submit("/audits", { csrf, url: "https://shop.example" });
    expect(refused.status).toBe(403);
    expect(await started()).toEqual([]);
  });

  test("takes nothing from another site, or without its token", async () => {
    const csrf = await browser.csrf("/");
    const foreign = await browser.submit(
      "/audits",
      { csrf, url: "https://shop.example" },
      { origin: "https://evil.example" },
    );
    const cross = await browser.submit(
      "/audits",
      { csrf, url: "https://shop.example" },
      { "sec-fetch-site": "cross-site" },
    );
    const without = await browser.submit("/audits", { url: "https://shop.example" });
    expect([foreign.status, cross.status, without.status]).toEqual([403, 403, 403]);
    expect(textOf(await foreign.text())).toContain("did not come from a page of this server");
    expect(await started()).toEqual([]);
  });
});
