import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createSite } from "../support/sites.ts";

test("inside workerd, the database is migrated", async () => {
  const { results } = await env.DB.prepare("select name from sqlite_master where type = 'table'").all<{
    name: string;
  }>();
  expect(results.map((row) => row.name)).toEqual(expect.arrayContaining(["audits", "audit_pages", "analytics_outbox"]));
});

test("inside workerd, a site on loopback can be opened, gated and asked", async () => {
  const site = await createSite({
    routes: {
      "/": { body: "<a href='{{origin}}/next'>next</a>", headers: { "x-robots-tag": ["noindex", "nofollow"] } },
      "/gated": { gate: "later", body: "open" },
    },
  });
  const start = await fetch(`${site.origin}/`);
  expect(await start.text()).toBe(`<a href='${site.origin}/next'>next</a>`);
  expect(start.headers.get("x-robots-tag")).toBe("noindex, nofollow");

  const gated = fetch(`${site.origin}/gated`).then((response) => response.text());
  await expect.poll(async () => (await site.requests()).map((request) => request.path)).toEqual(["/", "/gated"]);
  await site.open("later");
  expect(await gated).toBe("open");
  await site.close();
});
