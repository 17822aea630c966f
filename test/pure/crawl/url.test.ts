import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  dedupeKey,
  displayUrl,
  isTrackingParameter,
  normaliseStartUrl,
  parameterOrderKey,
  parseHttpUrl,
  requestHref,
  trackingParameters,
} from "../../../src/audit/crawl/url.ts";
import { encodeQuery } from "../../../src/audit/crawl/query-encoding.ts";

const href = (input: string, base?: string): string => {
  const parsed = parseHttpUrl(input, base);
  return parsed.ok ? parsed.url.href : parsed.reason;
};
const order = (input: string): string => parameterOrderKey(key(input));
const key = (input: string): string => dedupeKey(new URL(input));

describe("an address is parsed as a browser does", () => {
  test.each([
    ["/a", "https://e.com/x/y", "https://e.com/a"],
    ["", "https://e.com/x?y=1", "https://e.com/x?y=1"],
    ["//cdn.e.com/a", "https://e.com/", "https://cdn.e.com/a"],
    ["///host/a", "https://e.com/", "https://host/a"],
    [" /a\tb\n", "https://e.com/", "https://e.com/ab"],
    ["HTTPS://EXAMPLE.com:443/%7Ea", undefined, "https://example.com/%7Ea"],
    ["http://exa mple.com/", undefined, "not_a_url"],
    ["http://[::1", undefined, "not_a_url"],
    ["", undefined, "empty"],
    ["mailto:a@b.c,d@e.f?subject=x", "https://e.com/", "unsupported_scheme"],
    ["  JavaScript:alert(1)", "https://e.com/", "unsupported_scheme"],
    ["java\nscript:alert(1)", "https://e.com/", "unsupported_scheme"],
    ["https://user:pw@e.com/", undefined, "credentials"],
    ["relative", "not a base", "not_a_url"],
  ])("%j against %j is %j", (input, base, expected) => {
    expect(href(input, base)).toBe(expected);
  });

  test("an endless address is refused before or after encoding", () => {
    expect(href(`data:text/html,${"a ".repeat(100_000)}`)).toBe("unsupported_scheme");
    expect(href(`https://e.com/${"a".repeat(9000)}`)).toBe("too_long");
    expect(href(`https://e.com/${" ".repeat(9000)}`)).toBe("too_long");
    expect(href(`https://e.com/${"ä".repeat(4000)}`)).toBe("too_long");
  });

  test("a refusal never repeats a password or an endless input", () => {
    const withPassword = parseHttpUrl("https://user:hunter2@e.com/");
    expect(withPassword.ok ? "" : withPassword.message).not.toContain("hunter2");
    const long = parseHttpUrl(`x:${"y".repeat(5000)}`);
    expect(long.ok ? "" : long.message.length).toBeLessThan(400);
  });
});

describe("a start address is what a person means", () => {
  test.each([
    ["example.com", "https://example.com/"],
    ["  example.com/a?b#c ", "https://example.com/a?b"],
    ["example.com:8080/x", "https://example.com:8080/x"],
    ["//example.com", "https://example.com/"],
    ["http://example.com", "http://example.com/"],
    ["bücher.example", "https://xn--bcher-kva.example/"],
    ["localhost:3000", "http://localhost:3000/"],
    ["127.0.0.1:8787/a", "http://127.0.0.1:8787/a"],
    ["[::1]:80", "http://[::1]/"],
    ["localhost.example.com", "https://localhost.example.com/"],
  ])("%j is %j", (input, expected) => {
    const parsed = normaliseStartUrl(input);
    expect(parsed.ok ? parsed.url.href : parsed.message).toBe(expected);
  });

  test.each([
    ["", "empty"],
    ["mailto:a@b.c", "unsupported_scheme"],
    ["ftp://example.com", "unsupported_scheme"],
    ["not a url", "not_a_url"],
    ["a@example.com", "credentials"],
  ])("%j is refused as %s", (input, reason) => {
    expect(normaliseStartUrl(input)).toMatchObject({ ok: false, reason });
  });
});

test("what is requested is the exact address without its fragment", () => {
  expect(requestHref(new URL("https://E.com/a%7eb?z=1&a=2&a=1#frag"))).toBe("https://e.com/a%7eb?z=1&a=2&a=1");
  expect(requestHref("https://e.com/#")).toBe("https://e.com/");
});

describe("the dedupe key", () => {
  test.each([
    ["HTTP://Example.COM:80", "http://example.com/"],
    ["http://e.com/%7Ea/%2e%2e/b/./c", "http://e.com/b/c"],
    ["http://e.com/a%23b%2fc%3f", "http://e.com/a%23b%2Fc%3F"],
    ["http://e.com/a//b/", "http://e.com/a//b/"],
    ["http://e.com/?b=2&a=1#x", "http://e.com/?b=2&a=1"],
    ["http://e.com/%?", "http://e.com/%25"],
    ["http://[2001:db8::1]/?a[]=1|2", "http://[2001:db8::1]/?a%5B%5D=1%7C2"],
    ["http://e.com/#!/route", "http://e.com/"],
  ])("of %j is %j", (input, expected) => {
    expect(key(input)).toBe(expected);
  });

  test("keeps a trailing slash and upper case, which servers tell apart", () => {
    expect(key("http://e.com/a/")).not.toBe(key("http://e.com/a"));
    expect(key("http://e.com/A")).not.toBe(key("http://e.com/a"));
  });

  test("keeps route fragments and drops ignored parameters only when asked", () => {
    const url = new URL("http://e.com/;jsessionid=1A?utm_source=x&id=2#/cart");
    expect(dedupeKey(url, { keepRouteFragments: true, ignoreParameter: isTrackingParameter })).toBe(
      "http://e.com/?id=2#/cart",
    );
    expect(dedupeKey(new URL("http://e.com/?sid=1#top"), { keepRouteFragments: true })).toBe("http://e.com/?sid=1");
    expect(dedupeKey(new URL("http://e.com/?sid=1"), { ignoreParameter: isTrackingParameter })).toBe("http://e.com/");
  });

  const csv = "../shared/conformance/url/weirdToNormalizedUrls.csv";
  // Left out: where that library goes further than a key may (double slashes, order and emptiness of parameters, dots).
  const pairs = (existsSync(csv) ? readFileSync(csv, "utf8").split("\n") : [])
    .filter((line) => /^https?:\/\/[^,"]+, https?:\/\/[^,"]+$/.test(line))
    .filter((line) => !/[^:]\/\/.*,|\?&?b|[?&]=|\.\/,|=,|\?,/.test(line))
    .map((line) => line.split(", "));
  test.skipIf(pairs.length === 0)("joins the public pairs of addresses that are one page", () => {
    expect(pairs.length).toBeGreaterThan(60);
    for (const [weird, plain] of pairs) expect(key(weird!), weird).toBe(key(plain!));
  });
});

test("duplicates by the order of parameters share a second key", () => {
  expect(order("http://e.com/?b=2&a=1")).toBe(order("http://e.com/?a=1&b=2"));
  expect(order("http://e.com/?a=2&a=1")).not.toBe(order("http://e.com/?a=1&a=2"));
  expect(order("http://e.com/?a=1")).toBe("http://e.com/?a=1");
});

test("tracking and session parameters are named as written", () => {
  const url = new URL("https://e.com/a;jsessionid=9F?UTM_Source=x&q=1&fbclid=2&PHPSESSID=3&%5Fga=4&side=5&sid=6");
  expect(trackingParameters(url)).toEqual(["jsessionid", "UTM_Source", "fbclid", "PHPSESSID", "_ga", "sid"]);
  expect(trackingParameters(new URL("https://e.com/?page=2&size=10"))).toEqual([]);
});

describe("an address for people", () => {
  test.each([
    ["https://xn--bcher-kva.de/%C3%BCber?q=%E2%82%AC%20x", "https://bücher.de/über?q=€%20x"],
    ["https://xn--90ax2c.xn--p1ai:8080/", "https://нэб.рф:8080/"],
    ["https://xn--fiqs8s.example/", "https://中国.example/"],
    // A direction mark could turn the address round, so it stays escaped.
    ["https://e.com/a%E2%80%AEb%C3", "https://e.com/a%E2%80%AEb%C3"],
    ["https://xn--example.com/", "https://xn--example.com/"],
    ["no address", "no address"],
  ])("%j reads %j", (input, expected) => {
    expect(displayUrl(input)).toBe(expected);
  });
});

describe("a query is encoded in the document's encoding", () => {
  test.each([
    ["windows-1251", "/п?q=привет", "/%D0%BF?q=%EF%F0%E8%E2%E5%F2"],
    ["iso-8859-1", "/?q=é€#é", "/?q=%E9%80#%C3%A9"],
    ["windows-1252", "/?q=ж", "/?q=%26%231078%3B"],
    ["shift_jis", "/?q=日本ｱ", "/?q=%93%FA%96{%B1"],
    ["euc-kr", "/?q=한국", "/?q=%C7%D1%B1%B9"],
    ["gb2312", "/?q=中文", "/?q=%D6%D0%CE%C4"],
    ["big5", "/?q=中文", "/?q=%A4%A4%A4%E5"],
    ["utf-8", "/?q=é", "/?q=%C3%A9"],
    ["utf-16le", "/?q=é", "/?q=%C3%A9"],
    ["no-such-charset", "/?q=é", "/?q=%C3%A9"],
  ])("%s: %j is requested as %j", (charset, link, expected) => {
    const parsed = parseHttpUrl(link, "http://e.com/", { charset });
    const got = parsed.ok ? parsed.url.href : parsed.message;
    // A trail byte in ASCII may be escaped or not: both are the same byte.
    expect(
      decodeURI(
        got
          .slice("http://e.com".length)
          .replace(/%7B/g, "{")
          .replace(/%(?=[89A-F])/g, "%25"),
      ),
    ).toBe(decodeURI(expected.replace(/%(?=[89A-F])/g, "%25")));
  });

  test("a character with two places in the encoding takes the one that browsers take", () => {
    expect(encodeQuery("/?q=纊", "shift_jis")).toBe("/?q=%FA%5C");
  });

  test("an address without a foreign query is left alone", () => {
    expect(encodeQuery("/ü?a=1#ü", "windows-1251")).toBe("/ü?a=1#ü");
  });
});
