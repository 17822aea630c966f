import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PAGE, readHtml, readInPieces } from "./read-html.ts";

const RICH = `<!doctype html><html lang="fr"><head><title>Caf&eacute; &amp; th&eacute;</title><base href="/b/">
<meta name="description" content="D&eacute;j&agrave; vu"><link rel="canonical" href="c"><script>if (a < b && c) { "<a href='/no'>" }</script>
<script type="application/ld+json">{"@type":"Thing"}</script></head><body class="x" id="top"><!-- <a href="/c">c</a> -->
<nav><a href="/one">One</a><a href='/two?x=1&amp;y=2' rel=nofollow>Two</a></nav><main><h1>Titre &mdash; un</h1>
<p>Some w&ouml;rds here <b>b</b>old.</p><svg><title>Icon</title><a href="/svg"><text>t</text></a></svg><![CDATA[ x ]]>
<img src="a.png" alt="A &lt; B" srcset="b.png 2x, c.png 3x"><noscript><img src="n.png"></noscript></main></body></html>`;

describe("a document in pieces", () => {
  test.each([1, 2, 3, 7, 64])("of %i characters reads like the whole", (length) => {
    expect(readInPieces(RICH, length)).toEqual(readHtml(RICH));
  });

  test("reads like the whole however it is cut", () => {
    fc.assert(
      fc.property(fc.nat(RICH.length), (at) => {
        const whole = readHtml(RICH);
        expect(readInPieces(RICH, Math.max(1, at))).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a hostile document", () => {
  test("never throws, whatever it is made of", () => {
    const piece = fc.constantFrom(
      "<a href='/x'>", "</a>", "<svg>", "</svg>", "<title>", "</title>", "<template>", "</template>", "<noscript>", "</noscript>",
      "<math>", "<table>", "</table>", "<select>", "</select>", "<div", " id=", "\"", "'", ">", "</", "<!--", "-->", "<![CDATA[", "]]>",
      "<head>", "</head>", "<body>", "<base href=x>", "<h1>", "</h2>", "<plaintext>", "<xmp>", "<frameset>", "&amp", "&#x110000;", "\u0000",
      "<link rel=canonical href=", "<meta http-equiv=refresh content='0;url=", "text", " ", "<foreignObject>", "</p>", "<img src=", "srcset='",
    ); // prettier-ignore
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const facts = readHtml(pieces.join(""));
        for (const { url } of facts.links) expect(URL.canParse(url)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });

  test("that nests a hundred thousand elements is read in a moment", () => {
    const started = performance.now();
    const deep = "<div><section><ul>".repeat(100_000);
    const facts = readHtml(`<body>${deep}<a href="/x">x</a>${"</ul></div></p>".repeat(100_000)}`);
    expect(facts.links).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("keeps everything within bounds", () => {
    const many = (count: number, make: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => make(n)).join("");
    const facts = readHtml(
      `<head><title>${"t".repeat(100_000)}</title>${many(200, (n) => `<title>${n}</title>`)}${many(2_000, (n) => `<link rel=alternate hreflang=x${n} href=/${n}>`)}` +
        `<script type="application/ld+json">${"x".repeat(300_000)}</script></head><body>` +
        many(12_000, (n) => `<a href="/${n}" id="i${n}">${n}</a>`) +
        `<a href="/${"y".repeat(100_000)}">long</a><h1>${"h".repeat(100_000)}</h1><a href="/z">${"z".repeat(100_000)}</a>`,
    );
    expect(facts.titles).toHaveLength(50);
    expect(facts.titles[0]).toHaveLength(1_000);
    expect(facts.hreflangs).toHaveLength(500);
    expect(facts.jsonLd[0]!.length).toBe(65_536);
    expect(facts.links.length).toBeLessThanOrEqual(10_000);
    expect(facts.anchors).toHaveLength(2_000);
    expect(facts.h1s[0]).toHaveLength(1_000);
    expect(Math.max(...facts.links.map(({ anchor }) => anchor.length))).toBeLessThanOrEqual(200);
  });

  test("with a huge base and many links does not multiply them in memory", () => {
    const base = `/${"b".repeat(8_000)}/`;
    const facts = readHtml(
      `<head><base href="${base}"></head>${Array.from({ length: 9_000 }, (_, n) => `<a href="${n}">x</a>`).join("")}`,
    );
    expect(facts.links.reduce((sum, { url }) => sum + url.length, 0)).toBeLessThan(10_000_000);
  });

  test("longer than the limit is cut, and says so", () => {
    const html = `<body><a href="/first">x</a>${"word ".repeat(100)}<a href="/last">y</a>`;
    const cut = readHtml(html, PAGE, { maxBytes: 200 });
    expect(cut.truncated).toBe(true);
    expect(cut.links.map(({ url }) => url)).toEqual(["https://shop.example/first"]);
    expect(readHtml(html, PAGE, { maxBytes: html.length }).truncated).toBe(false);
  });
});
