/** What the crawl rules need of the runtime, tried in workerd itself: Node has its own URL, TextDecoder and streams. */
import { describe, expect, test } from "vitest";
import { createCookieJar } from "../../../src/audit/crawl/cookies.ts";
import { createDecoder } from "../../../src/audit/crawl/encoding.ts";
import { parseRobots } from "../../../src/audit/crawl/robots.ts";
import { readSitemap } from "../../../src/audit/crawl/sitemap.ts";
import { displayUrl, parseHttpUrl } from "../../../src/audit/crawl/url.ts";

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

const xml = `<urlset>${"<url><loc>https://e.com/a?b=1&amp;c=2</loc></url>".repeat(3)}</urlset>`;
async function gzip(text: string): Promise<Uint8Array> {
  const stream = new Response(text).body!.pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
async function read(body: Uint8Array | string) {
  const urls: string[] = [];
  const summary = await readSitemap(new Response(body).body!, {
    url: "https://e.com/sitemap.xml",
    now: 0,
    onEntries: (entries) => void urls.push(...entries.map((entry) => entry.url)),
  });
  return { ...summary, urls };
}

test("addresses, international names and queries in another encoding", () => {
  const parsed = parseHttpUrl("/п?q=привет", "https://bücher.example/", { charset: "windows-1251" });
  expect(parsed.ok && parsed.url.href).toBe("https://xn--bcher-kva.example/%D0%BF?q=%EF%F0%E8%E2%E5%F2");
  expect(displayUrl("https://xn--bcher-kva.example/%C3%BC")).toBe("https://bücher.example/ü");
  expect(parseHttpUrl("http://[::1").ok).toBe(false);
  const japanese = parseHttpUrl("/?q=日本", "https://e.com/", { charset: "shift_jis" });
  expect(japanese.ok && japanese.url.search.toUpperCase()).toBe("?Q=%93%FA%96%7B");
});

describe("every encoding of the standard that pages still use", () => {
  test.each([
    ["windows-1251", "\xef\xf0", "пр"],
    ["iso-8859-1", "\xe9\x80", "é€"],
    ["iso-8859-2", "\xb1", "ą"],
    ["koi8-r", "\xc1", "а"],
    ["shift_jis", "\x93\xfa", "日"],
    ["euc-jp", "\xc6\xfc", "日"],
    ["euc-kr", "\xc7\xd1", "한"],
    ["gbk", "\xd6\xd0", "中"],
    ["big5", "\xa4\xa4", "中"],
    ["utf-16le", "h\0i\0", "hi"],
  ])("%s", (label, encoded, text) => {
    const decoder = createDecoder({ contentType: `text/html; charset=${label}` });
    expect(decoder.write(bytes(encoded)) + decoder.end()).toBe(text);
  });

  test("a guess, and a label that nobody knows", () => {
    const decoder = createDecoder({ contentType: "text/html; charset=x-nonsense" });
    expect(decoder.write(bytes("caf\xe9")) + decoder.end()).toBe("café");
    expect(decoder.charset).toBe("windows-1252");
  });
});

describe("a sitemap", () => {
  test("is read from a response's body, gzipped or not", async () => {
    const plain = await read(xml);
    expect(plain).toMatchObject({ kind: "urlset", entries: 3, problems: [] });
    expect(plain.urls[0]).toBe("https://e.com/a?b=1&c=2");
    expect(await read(await gzip(xml))).toEqual(plain);
  });

  test("that is damaged or a bomb ends with a sentence", async () => {
    const damaged = await gzip(xml);
    expect((await read(damaged.subarray(0, damaged.length - 10))).problems[0]).toContain("gzip data is damaged");
    const bomb = await read(await gzip(`<urlset>${"<a></a>\n".repeat(7_000_000)}`));
    expect(bomb.problems).toEqual([expect.stringContaining("larger than 52428800 bytes")]);
  });
});

test("robots.txt and cookies", () => {
  const robots = parseRobots(bytes("\xef\xbb\xbfUser-agent: *\nDisallow: /\xe4\n"));
  expect([robots.isAllowed("https://e.com/%E4", "x"), robots.isAllowed("https://e.com/a", "x")]).toEqual([false, true]);
  const jar = createCookieJar();
  const headers = new Headers();
  headers.append("set-cookie", "a=1,2; Path=/");
  headers.append("set-cookie", "b=2; Expires=Thu, 01 Jan 2099 00:00:00 GMT");
  jar.store("https://e.com/", headers);
  expect(jar.header("https://e.com/")).toBe("a=1,2; b=2");
});
