import { describe, expect, test } from "vitest";
import { parseContentType } from "../../../src/audit/crawl/content-type.ts";
import { createCookieJar, credentialSite, maySendCredentials } from "../../../src/audit/crawl/cookies.ts";
import { parseLinkHeader, readLinkHeader } from "../../../src/audit/crawl/link-header.ts";
import { request } from "../../../src/audit/crawl/request.ts";
import { parseRetryAfter } from "../../../src/audit/crawl/retry-after.ts";
import { isHtmlContentType, looksLikeHtml } from "../../../src/audit/crawl/sniff.ts";

const answer = (...lines: string[]) => ({ getSetCookie: () => lines });
const may = (from: string, to: string): boolean => maySendCredentials(new URL(from), new URL(to));

describe("Content-Type", () => {
  test.each([
    ["text/html", "text/html", null],
    ["Text/HTML; Charset=UTF-8", "text/html", "UTF-8"],
    ['text/html; x="a;charset=b"; charset="utf-8"', "text/html", "utf-8"],
    ["text/html;charset='latin1'", "text/html", "latin1"],
    ["text/html; charset=", "text/html", null],
    ["text/html; charset=utf-8, text/html", "text/html", "utf-8"],
    ["text/plain; charset=utf-8, text/html", "text/html", null],
    ["text/html, */*", "text/html", null],
    ["html", null, null],
    ["", null, null],
    [null, null, null],
  ])("%j is %j in %j", (header, essence, charset) => {
    expect(parseContentType(header)).toEqual({ essence, charset });
  });

  test("only HTML and XHTML are parsed", () => {
    expect(["text/html;a=b", "application/xhtml+xml"].every(isHtmlContentType)).toBe(true);
    expect(["application/pdf", "text/plain", "text/htmlx", "", "application/xml"].some(isHtmlContentType)).toBe(false);
  });
});

describe("a body without Content-Type", () => {
  test.each([
    "<!DOCTYPE html>",
    "\n  <!-- hello -->\n<!doctype HTML>\n<p>",
    '<?xml version="1.0"?><html xmlns="x">',
    "<meta charset=utf-8><h2>Hi</h2>",
    "<h1>Hi",
    "<P>Hi",
    "Welcome to <b>my page</b>",
  ])("%j is HTML", (text) => {
    expect(looksLikeHtml(`${text} and so on`)).toBe(true);
  });

  test.each([
    '<?xml version="1.0"?><rss><title>x</title>',
    "<svg><title>x</title></svg>",
    "<urlset><url>",
    "<article-list><p>",
    '{"html": "<p>"}',
    '["<p>"]',
    "%PDF-1.7 <p>",
    "GIF89a\u0001<p>",
    "just words, 1 < 2 and 3 > 2",
    "",
  ])("%j is not", (text) => {
    expect(looksLikeHtml(text)).toBe(false);
  });
});

describe("Retry-After", () => {
  const NOW = Date.UTC(2026, 10, 30, 16, 24, 0);
  test.each([
    ["120", 120_000],
    ["1.5", 1_500],
    [" 0 ", 0],
    ["1m30s", 90_000],
    ["2h", 7_200_000],
    ["500ms", 500],
    ["Mon, 30 Nov 2026 16:25:00 GMT", 60_000],
    ["Monday, 30-Nov-26 16:25:00 GMT", 60_000],
    ["Mon Nov 30 16:25:00 2026", 60_000],
    ["2026-11-30T16:25:00Z", 60_000],
    ["Mon, 30 Nov 2026 16:20:00 GMT", 0],
    ["soon 12", null],
    ["-5", null],
    ["", null],
    [null, null],
  ])("%j is %j ms", (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected);
  });
});

describe("cookies within a chain of redirects", () => {
  test("go back to the host and path that set them", () => {
    const jar = createCookieJar();
    jar.store("https://e.com/a/login", answer("a=1; Path=/", "b=2", "c=3; Path=/other", "d=4; Secure; Path=/"));
    expect(jar.header("https://e.com/a/x")).toBe("b=2; a=1; d=4");
    expect(jar.header("https://e.com/ab")).toBe("a=1; d=4");
    expect(jar.header("http://e.com/")).toBe("a=1");
    expect(jar.header("https://www.e.com/")).toBe(null);
    expect(jar.header("https://evil.com/")).toBe(null);
  });

  test("reach other hosts of the domain only when it is theirs to name", () => {
    const jar = createCookieJar();
    jar.store(
      "https://www.example.co.uk/",
      answer("a=1; Domain=.example.co.uk", "b=2; Domain=co.uk", "c=3; Domain=other.com"),
    );
    expect(jar.header("https://shop.example.co.uk/")).toBe("a=1");
    expect(jar.header("https://foreign.co.uk/")).toBe(null);
    expect(jar.header("https://other.com/")).toBe(null);
  });

  test("are replaced and deleted", () => {
    const jar = createCookieJar();
    jar.store("https://e.com/", answer("a=1", "b=1"));
    jar.store("https://e.com/", answer("a=2", "b=; Max-Age=0", "c=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT"));
    expect(jar.header("https://e.com/")).toBe("a=2");
  });

  test("are bounded in number and length, and never add a header line", () => {
    const jar = createCookieJar();
    jar.store("https://e.com/", answer(`x=${"y".repeat(5000)}`, "a=1\r\nHost: evil", "novalue", "=x"));
    expect(jar.header("https://e.com/")).toBe(null);
    for (let i = 0; i < 9; i++)
      jar.store("https://e.com/", answer(...Array.from({ length: 40 }, (_, n) => `c${i}-${n}=1`)));
    expect(jar.header("https://e.com/")?.split("; ")).toHaveLength(50);
  });

  test("credentials stay with their host and never go down to http", () => {
    expect(may("https://e.com/a", "https://e.com/b")).toBe(true);
    expect(may("http://e.com/", "http://e.com/b")).toBe(true);
    expect(may("https://e.com/", "http://e.com/")).toBe(false);
    expect(may("https://e.com/", "https://www.e.com/")).toBe(false);
    expect(may("http://localhost:1/", "http://localhost:2/")).toBe(false);
  });
});

describe("credentials of an audit", () => {
  test.each([
    ["https://e.com/a", null, "https://e.com"],
    ["http://e.com/", "https://e.com", "https://e.com"],
    ["https://e.com/", "https://www.e.com", "https://www.e.com"],
    ["https://www.e.com/", "https://e.com", "https://e.com"],
    ["https://e.com/", "https://evil.com", "https://e.com"],
    ["https://e.com/", "https://shop.e.com", "https://e.com"],
    ["https://e.com/", "http://e.com", "https://e.com"],
    ["http://e.com:8080/", "http://e.com:9090", "http://e.com:8080"],
  ])("given for %s, whose start leads to %s, are those of %s", (start, site, expected) => {
    expect(credentialSite(start, site).origin).toBe(expected);
  });

  test("take the place of our own headers, however their names are written, and go beside cookies of the way", async () => {
    const sent: Record<string, string>[] = [];
    await request("https://e.com/", {
      userAgent: "x",
      allowedHosts: [],
      headersTimeoutMs: 1_000,
      bodyTimeoutMs: 1_000,
      throttle: { run: (ask) => ask() },
      siteHeaders: { site: new URL("https://e.com/"), headers: { Accept: "text/plain", Cookie: "own=1" } },
      fetch: async (url, { headers }) => {
        sent.push(headers as Record<string, string>);
        return url.endsWith("/b")
          ? new Response("")
          : new Response(null, { status: 302, headers: { location: "/b", "set-cookie": "a=1" } });
      },
    });
    expect(sent.map(({ accept, cookie, Accept, Cookie }) => [accept, cookie, Accept, Cookie])).toEqual([
      ["text/plain", "own=1", undefined, undefined],
      ["text/plain", "a=1; own=1", undefined, undefined],
    ]);
  });
});

describe("the Link header", () => {
  test("is cut at commas outside brackets and quotes", () => {
    const links = parseLinkHeader(
      '<https://e.com/a,b>; rel="canonical"; title="x, <y>; z", </p>;rel=preload;as=style,<c> ; REL = next',
    );
    expect(links.map(({ target, params }) => [target, params.get("rel")])).toEqual([
      ["https://e.com/a,b", "canonical"],
      ["/p", "preload"],
      ["c", "next"],
    ]);
    expect(links[0]?.params.get("title")).toBe("x, <y>; z");
  });

  test.each(["", null, "nonsense", "<unclosed", '<a>; rel="x', ";;;,,,<>"])("survives %j", (header) => {
    expect(() => parseLinkHeader(header)).not.toThrow();
  });

  test("tells the canonical and the languages, resolved against the response", () => {
    const header =
      '</de>; rel="alternate"; hreflang="de", <https://e.com/en>; rel="nofollow Alternate"; hreflang=x-default, ' +
      '<../c?x=1#f>; rel=canonical, <https://e.com/z>; rel=canonical; anchor="#other", <mailto:a@b>; rel=canonical';
    expect(readLinkHeader(header, "https://e.com/a/b")).toEqual({
      canonicals: [
        { raw: "../c?x=1#f", url: "https://e.com/c?x=1#f", where: "header" },
        { raw: "mailto:a@b", url: null, where: "header" },
      ],
      hreflangs: [
        { lang: "de", href: "/de", url: "https://e.com/de" },
        { lang: "x-default", href: "https://e.com/en", url: "https://e.com/en" },
      ],
    });
  });
});
