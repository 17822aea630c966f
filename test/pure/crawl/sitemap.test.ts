import { existsSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readSitemap } from "../../../src/audit/crawl/sitemap.ts";
import type { ReadSitemapOptions, SitemapEntry, SitemapSummary } from "../../../src/audit/crawl/sitemap.ts";
import { parseW3cDate } from "../../../src/audit/crawl/w3c-date.ts";

const FOLDER = "../shared/conformance/sitemap";
const NOW = Date.UTC(2026, 10, 30);

interface Read extends SitemapSummary {
  list: SitemapEntry[];
  urls: string[];
}

async function* cut(body: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}

async function readBytes(source: AsyncIterable<Uint8Array>, options: Partial<ReadSitemapOptions> = {}): Promise<Read> {
  const list: SitemapEntry[] = [];
  const summary = await readSitemap(source, {
    url: "http://www.example.com/sitemap.xml",
    now: NOW,
    onEntries: (entries) => {
      list.push(...entries);
    },
    ...options,
  });
  return { ...summary, list, urls: list.map(({ url }) => url) };
}

const read = (body: string | Uint8Array, options?: Partial<ReadSitemapOptions>, size = 1_000_000): Promise<Read> =>
  readBytes(cut(typeof body === "string" ? new TextEncoder().encode(body) : body, size), options);

const XMLNS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const urlset = (inner: string): string => `<?xml version="1.0"?>\n<urlset ${XMLNS}>${inner}</urlset>`;
const url = (loc: string, more = ""): string => `<url><loc>${loc}</loc>${more}</url>`;
const e = (path: string): string => `http://www.example.com/${path}`;

const many = (count: number): string => urlset(Array.from({ length: count }, (_, n) => url(e(String(n)))).join(""));

describe.skipIf(!existsSync(FOLDER))("public conformance data (skipped where ../shared/conformance is absent)", () => {
  const anyHost: Partial<ReadSitemapOptions> = { acceptsHost: () => true };
  const CASES: [name: string, kind: string, entries: number, check: (sitemap: Read) => void][] = [
    [
      "atom.xml",
      "atom",
      1,
      ({ list }) =>
        expect(list).toMatchObject([
          { url: "http://example.org/2003/12/13/atom03", lastmodAt: Date.UTC(2003, 11, 13, 18, 30, 2) },
        ]),
    ],
    ["do-not-visit.txt", "text", 1, ({ urls }) => expect(urls).toEqual([e("do-not-visit-here")])],
    ["sitemap.txt", "text", 2, ({ urls }) => expect(urls[0]).toBe("http://www.domain.com/page1.html")],
    ["sitemap-with-bom.txt", "text", 2, ({ urls }) => expect(urls[0]).toBe("http://www.domain.com/page1.html")],
    ["sitemap.txt.gz", "text", 5, ({ urls }) => expect(urls[1]).toBe(e("catalog?item=12&desc=vacation_hawaii"))],
    [
      "xmlSitemap.gz",
      "urlset",
      5,
      ({ urls, list }) => {
        expect(urls[1]).toBe(e("catalog?item=12&desc=vacation_hawaii"));
        expect(list[0]?.lastmod).toBe("2005-01-01");
      },
    ],
    ["sitemap.badns.xml", "urlset", 2, ({ urls }) => expect(urls).toEqual([e("1"), e("2")])],
    ["sitemap.ns.xml", "urlset", 2, ({ urls }) => expect(urls).toEqual([e("1"), e("2")])],
    // Its entries hold the address without <loc>: read, and reported.
    [
      "sitemap.index.xml",
      "index",
      15,
      ({ urls, problems }) => {
        expect(urls[0]).toBe("https://example.com/sitemap.jss?portalCode=10260&lang=en");
        expect(problems).toHaveLength(1);
      },
    ],
    [
      "extension/hebdenbridgetimes-articles-sitemap.xml",
      "urlset",
      74,
      ({ lastmod }) => expect(lastmod.unparsable).toBe(0),
    ],
    ["extension/pagemaps-sitemap.xml", "urlset", 2, () => {}],
    ["extension/shinpaideshou-news-sitemap.xml", "urlset", 3, () => {}],
    [
      "extension/sitemap-images.xml",
      "urlset",
      1,
      ({ urls }) => expect(urls).toEqual([e("images/some_image_landing_page.html")]),
    ],
    [
      "extension/sitemap-links.xml",
      "urlset",
      3,
      ({ list }) => {
        expect(list[0]?.alternates.map(({ lang }) => lang)).toEqual(["de", "de-ch", "en"]);
        expect(list[0]?.alternates[0]?.url).toBe(e("deutsch/"));
      },
    ],
    ["extension/sitemap-mobile.xml", "urlset", 3, () => {}],
    ["extension/sitemap-news.xml", "urlset", 2, () => {}],
    ["extension/sitemap-videos.xml", "urlset", 3, () => {}],
    ["extension/sitemap-videos-tvshow.xml", "urlset", 1, () => {}],
  ];

  test.each(CASES)("%s is read as it must be, however it is cut", async (name, kind, entries, check) => {
    const body = readFileSync(`${FOLDER}/${name}`);
    const sitemap = await read(body, anyHost);
    expect(sitemap.kind).toBe(kind);
    expect(sitemap.entries).toBe(entries);
    if (kind !== "index") expect(sitemap.problems).toEqual([]);
    check(sitemap);
    expect(await read(body, anyHost, 7)).toEqual(sitemap);
  });
});

describe("an address in a sitemap", () => {
  test("loses white space of every kind, and entities, and may be CDATA", async () => {
    const { urls, problems } = await read(
      urlset(url(`\n\u00a0${e("a")}\u200b `) + url(`<![CDATA[${e("b?x=1&y=2")}]]>`) + url(`${e("c")}?x=1&amp;y=2`)),
    );
    expect(urls).toEqual([e("a"), e("b?x=1&y=2"), e("c?x=1&y=2")]);
    expect(problems).toEqual([]);
  });

  test("is that of the page, not of an image, a video or an alternate", async () => {
    const images = `<image:image><image:loc>${e("i.jpg")}</image:loc></image:image><image:loc>${e("j.jpg")}</image:loc>`;
    const { urls } = await read(urlset(`<url>${images}<loc>${e("a")}</loc></url>`));
    expect(urls).toEqual([e("a")]);
  });

  test("counts only when it is absolute, short enough and on the sitemap's host", async () => {
    const body = urlset(
      url("/relative") +
        url("mailto:a@b.c") +
        url(e("x".repeat(2048))) +
        url("http://other.com/") +
        url("https://www.example.com/s") +
        "<url><lastmod>2026-01-01</lastmod></url>",
    );
    const sitemap = await read(body);
    expect(sitemap.urls).toEqual(["https://www.example.com/s"]);
    expect(sitemap.problems).toEqual([
      '2 of its addresses are no full http or https addresses, the first is "/relative".',
      expect.stringContaining("1 of its addresses have 2048 characters or more"),
      expect.stringContaining('may not speak for, the first is "http://other.com/"'),
      "1 of its entries have no <loc>.",
    ]);
    expect((await read(body, { acceptsHost: (target) => target.host === "other.com" })).urls).toEqual([
      "http://other.com/",
    ]);
  });

  test("of 2,047 characters is still fine, and its fragment is not requested", async () => {
    const loc = e("x".repeat(2047 - e("").length));
    expect((await read(urlset(url(`${loc}x`)))).urls).toEqual([]);
    expect((await read(urlset(url(loc) + url(`${e("a")}#f`)))).urls).toEqual([loc, e("a")]);
  });
});

describe("kinds", () => {
  test("an index lists sitemaps, and says so when it stands in another", async () => {
    const body = `<sitemapindex><sitemap><loc>${e("s.xml.gz")}</loc><lastmod>2026-01-01</lastmod></sitemap></sitemapindex>`;
    expect(await read(body)).toMatchObject({ kind: "index", urls: [e("s.xml.gz")], problems: [] });
    const nested = await read(body, { isInIndex: true });
    expect(nested.urls).toEqual([e("s.xml.gz")]);
    expect(nested.problems[0]).toContain("inside another index");
  });

  test("RSS gives links, guids without one, and dates", async () => {
    const body =
      `<rss version="2.0"><channel><link>${e("")}</link><image><link>${e("img")}</link></image>` +
      `<item><title>A</title><link>${e("a")}</link><pubDate>Mon, 30 Nov 2026 00:00:00 GMT</pubDate></item>` +
      `<item><guid>${e("b")}</guid></item><item><guid>7</guid></item></channel></rss>`;
    const feed = await read(body);
    expect(feed).toMatchObject({ kind: "rss", urls: [e("a"), e("b")], problems: [] });
    expect(feed.list[0]?.lastmodAt).toBe(NOW);
  });

  test("RSS 1.0 and Atom in a prefix are read too", async () => {
    const rdf = `<rdf:RDF xmlns:rdf="r"><channel><link>${e("")}</link></channel><item><link>${e("a")}</link></item></rdf:RDF>`;
    expect((await read(rdf)).urls).toEqual([e("a")]);
    const atom = `<a:feed><a:entry><a:link rel="self" href="${e("s")}"/><a:link href="${e("b")}"/></a:entry></a:feed>`;
    expect((await read(atom)).urls).toEqual([e("b")]);
  });

  test.each([
    ["<html><body>not found</body></html>", /web page/],
    ["<!DOCTYPE html><html lang=en>", /web page/],
    ["<nonsense/>", /root element is <nonsense>/],
    ["", /empty/],
    ["  \n ", /empty/],
    ["no addresses here\nat all", /neither XML nor a list/],
  ])("%j is no sitemap", async (body, expected) => {
    const sitemap = await read(body);
    expect(sitemap.entries).toBe(0);
    expect(sitemap.problems.join(" ")).toMatch(expected);
  });
});

describe("damage", () => {
  test("XML that is not well-formed is reported once with its line, and read as far as it goes", async () => {
    const sitemap = await read(urlset(`\n${url(e("a"))}\n<url><loc>${e("b?x=1&y=2")}</loc></url>\n${url(e("c"))}`));
    expect(sitemap.problems).toHaveLength(1);
    expect(sitemap.problems[0]).toMatch(/^It is not well-formed XML in line 4: /);
    expect(sitemap.urls).toEqual([e("a"), e("b?x=1&y=2"), e("c")]);
    expect((await read(urlset("<url>").slice(0, 80))).problems[0]).toContain("not well-formed");
  });

  test("a bare & costs nothing but the report, however the text is cut", async () => {
    const loc = `${e("a")}?x=1&y=2&amp;z=3&#38;&`;
    const body = urlset(`<!-- a & b --><url><loc>${loc}</loc></url><url><loc><![CDATA[${e("b?x&y")}]]></loc></url>`);
    const whole = await read(body);
    expect(whole.urls).toEqual([`${e("a")}?x=1&y=2&z=3&&`, e("b?x&y")]);
    expect(whole.problems).toEqual(['It is not well-formed XML in line 2: a "&" must be written "&amp;".']);
    for (const size of [1, 2, 3, 5, 11, 40])
      expect(await read(`${body}${" ".repeat(1024)}`, {}, size)).toMatchObject({
        urls: whole.urls,
        problems: whole.problems,
      });
  });

  test("white space before the XML declaration is reported and forgiven", async () => {
    const sitemap = await read(`\n ${urlset(url(e("a")))}`);
    expect(sitemap.urls).toEqual([e("a")]);
    expect(sitemap.problems).toEqual([expect.stringContaining("white space before")]);
  });

  test("a DTD's entities are not expanded", async () => {
    const dtd = `<!DOCTYPE u [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>`;
    const sitemap = await read(`<?xml version="1.0"?>${dtd}<urlset>${url(`${e("")}&b;&x;`)}</urlset>`);
    expect(JSON.stringify(sitemap)).not.toMatch(/aaaa|root:/);
    expect(sitemap.problems[0]).toContain("not well-formed");
  });

  test("a body that breaks off keeps what came before", async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode(`<urlset>${url(e("a"))}${" ".repeat(2000)}`);
      throw new Error("connection lost");
    }
    expect(await readBytes(broken())).toMatchObject({
      urls: [e("a")],
      isPartial: true,
      problems: ["It breaks off before its end: the connection ended."],
    });
  });

  test("gzip data that is damaged is said to be", async () => {
    const whole = gzipSync(urlset(url(e("a"))));
    const sitemap = await read(whole.subarray(0, whole.length - 12));
    expect(sitemap.problems).toEqual(["It breaks off before its end: its gzip data is damaged."]);
    expect((await read(whole, {}, 1)).urls).toEqual([e("a")]);
  });
});

describe("limits", () => {
  test("50,000 addresses are read in pieces, the next one is not", async () => {
    const sizes: number[] = [];
    const onEntries = (entries: SitemapEntry[]): void => void sizes.push(entries.length);
    expect(await read(many(50_000), { onEntries })).toMatchObject({ entries: 50_000, problems: [], isPartial: false });
    expect(Math.max(...sizes)).toBe(500);
    const over = await read(many(50_001));
    expect(over).toMatchObject({ entries: 50_000, isPartial: true });
    expect(over.problems[0]).toContain("more than 50000 addresses");
  });

  test("a compressed bomb stops at 50 MB", async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from("<urlset>"), Buffer.alloc(60_000_000, "<a></a>\n")]));
    const start = performance.now();
    const sitemap = await read(bomb, {}, 65_536);
    expect(sitemap.problems).toEqual([expect.stringContaining("larger than 52428800 bytes")]);
    expect(sitemap.bytes).toBeLessThan(54_000_000);
    expect(performance.now() - start).toBeLessThan(20_000);
  }, 30_000);

  test("endless text, tags and nesting stop early", async () => {
    expect((await read(`<urlset><url><loc>${"x".repeat(3_000_000)}`)).problems[0]).toContain("longer than 1000000");
    expect((await read(`<urlset a="${"x".repeat(3_000_000)}`)).problems[0]).toContain("longer than 1000000");
    expect((await read(`<urlset>${"<a>".repeat(100_000)}`)).problems[0]).toContain("nested deeper than 64");
    expect((await read(`x${"y".repeat(300_000)}`)).problems[0]).toContain("neither XML");
  });

  test("the reader can end the reading", async () => {
    let calls = 0;
    const body = urlset(Array.from({ length: 2_000 }, (_, n) => url(e(String(n)))).join(""));
    const sitemap = await read(body, { onEntries: () => ++calls < 2, batchSize: 100 });
    expect(calls).toBe(2);
    expect(sitemap.isPartial).toBe(true);
  });
});

describe("lastmod", () => {
  test("is kept as written, read, and counted", async () => {
    const dated = (text: string): string => url(e("a"), `<lastmod>${text}</lastmod>`);
    const sitemap = await read(
      urlset(
        [" 2026-11-01 ", "2026-11-01", "01.11.2026", "2027-01-01T00:00:00+01:00"].map(dated).join("") + url(e("b")),
      ),
    );
    expect(sitemap.list.map(({ lastmod, lastmodAt }) => [lastmod, lastmodAt])).toEqual([
      ["2026-11-01", Date.UTC(2026, 10, 1)],
      ["2026-11-01", Date.UTC(2026, 10, 1)],
      ["01.11.2026", null],
      ["2027-01-01T00:00:00+01:00", Date.UTC(2026, 11, 31, 23)],
      [null, null],
    ]);
    expect(sitemap.lastmod).toEqual({
      count: 4,
      unparsable: 1,
      unparsableSample: "01.11.2026",
      future: 1,
      mostCommon: "2026-11-01",
      mostCommonCount: 2,
    });
  });

  test.each([
    ["2026", Date.UTC(2026)],
    ["2026-02", Date.UTC(2026, 1)],
    ["2024-02-29", Date.UTC(2024, 1, 29)],
    ["2026-11-30T16:24Z", Date.UTC(2026, 10, 30, 16, 24)],
    ["2026-11-30T16:24:05.250-05:30", Date.UTC(2026, 10, 30, 21, 54, 5, 250)],
    ["2026-02-29", null],
    ["2026-13-01", null],
    ["2026-00-10", null],
    ["2026-05-00", null],
    ["2026-11-30T16:24:05", null],
    ["2026-11-30 16:24:05", null],
    ["2026-11-30T25:00Z", null],
    ["20261130", null],
    ["yesterday", null],
  ])("%j is %j", (text, expected) => {
    expect(parseW3cDate(text)).toBe(expected);
  });
});

test("white space without end within an address costs no time", async () => {
  const far = " ".repeat(400_000);
  const body = `<urlset><url><loc>http://www.example.com/a${far}b</loc><link rel="alternate" hreflang="de" href="/a${far}b"/></url></urlset>`;
  const startedAt = performance.now();
  await read(body);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
