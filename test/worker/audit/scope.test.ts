import { expect, test } from "vitest";
import { sql } from "drizzle-orm";
import { env } from "cloudflare:workers";
import { openDatabase } from "../../../src/storage/database.ts";
import { linkPage, openSite, outcomeOf, postJson, readAudit, setVars, startAudit } from "../support/audits.ts";

const blog = {
  routes: {
    "/": linkPage("Home", "/blog/1", "/blog/2", "/shop/1", "/print?page=1"),
    "/blog/1": linkPage("One", "/blog/deep"),
    "/blog/2": linkPage("Two", "/blog/1?utm_source=x", "/blog/1?session=9"),
    "/blog/deep": linkPage("Deep", "/blog/deeper"),
    "/blog/deeper": linkPage("Deeper"),
    "/shop/1": linkPage("Shop"),
    "/print": linkPage("Print"),
    "/only-in-sitemap": linkPage("Listed", "/blog/1"),
    "/sitemap.xml": { headers: { "content-type": "application/xml" }, body: "" },
  },
};

async function crawled(options: Record<string, unknown>): Promise<string[]> {
  const site = await openSite(blog);
  const urls = ["/only-in-sitemap", "/blog/2"].map((path) => `<url><loc>${site.origin}${path}</loc></url>`).join("");
  await site.patch({
    routes: {
      "/sitemap.xml": {
        headers: { "content-type": "application/xml" },
        body: `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`,
      },
    },
  });
  const { list, ...rest } = options as { list?: string[] };
  const listed = list === undefined ? {} : { list: list.map((path) => site.origin + path) };
  const { pages } = await outcomeOf(await startAudit(site.origin, { ...rest, ...listed }), site);
  return pages.map(({ url }) => url.slice(site.origin.length)).toSorted();
}

test("only pages under an included path are crawled, besides the start page", async () => {
  expect(await crawled({ include: ["/blog/*"] })).toEqual([
    "/",
    "/blog/1",
    "/blog/1?session=9",
    "/blog/1?utm_source=x",
    "/blog/2",
    "/blog/deep",
    "/blog/deeper",
  ]);
});

test("no page under an excluded path is crawled", async () => {
  expect(await crawled({ exclude: ["/blog", "/print"] })).toEqual(["/", "/only-in-sitemap", "/shop/1"]);
});

test("the depth is counted in clicks from the start page", async () => {
  const pages = await crawled({ maxDepth: 1 });
  expect(pages).toContain("/blog/1");
  expect(pages).not.toContain("/blog/deep");
});

test("with a list, exactly its addresses are crawled", async () => {
  expect(await crawled({ list: ["/shop/1", "/blog/1"] })).toEqual(["/blog/1", "/shop/1"]);
});

test("with sitemapOnly, exactly what the sitemaps list is crawled", async () => {
  expect(await crawled({ sitemapOnly: true })).toEqual(["/blog/2", "/only-in-sitemap"]);
});

test("addresses that differ in ignored parameters only are one page", async () => {
  const pages = await crawled({ ignoreParameters: ["utm_source", "session"] });
  expect(pages.filter((path) => path.startsWith("/blog/1"))).toEqual(["/blog/1"]);
});

test("a site behind basic auth is audited, and the password is neither stored in clear nor shown nor sent elsewhere", async () => {
  setVars({ SECRET_KEY: "a key for this test" });
  const other = await openSite({ routes: { "/": linkPage("Other") } });
  const site = await openSite({ routes: { "/": linkPage("Home", `${other.origin}/`) } });
  const id = await startAudit(site.origin, {
    basicAuth: { username: "anna", password: "s3cret-word" },
    headers: { "X-Preview": "s3cret-header" },
  });
  await outcomeOf(id, site);
  const sent = await site.requests();
  expect(sent.find(({ path }) => path === "/")?.headers).toMatchObject({
    authorization: `Basic ${btoa("anna:s3cret-word")}`,
    "x-preview": "s3cret-header",
  });
  for (const { headers } of await other.requests()) {
    expect(headers.authorization).toBeUndefined();
    expect(headers["x-preview"]).toBeUndefined();
  }
  const [row] = await openDatabase(env.DB).all<{ options: string }>(sql`select options from audits where id = ${id}`);
  expect(row?.options).not.toContain("s3cret");
  expect(row?.options).not.toContain(btoa("anna:s3cret-word"));
  const shown = await readAudit(id);
  expect(shown.options.hasSecrets).toBe(true);
  expect(JSON.stringify(shown)).not.toContain("s3cret");
});

test("without a key to seal them with, secret headers are refused with the way to mend it", async () => {
  setVars({ SECRET_KEY: "", ADMIN_TOKEN: "" });
  const site = await openSite(blog);
  const answer = await postJson("/api/v1/audits", { url: site.origin, headers: { "X-Preview": "1" } });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    error: { code: "no_secret_key", hint: expect.stringContaining("SECRET_KEY") },
  });
});
