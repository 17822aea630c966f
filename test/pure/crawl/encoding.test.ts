import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDecoder } from "../../../src/audit/crawl/encoding.ts";

const latin = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

function decode(
  bytes: Uint8Array,
  contentType: string | null = null,
  size = bytes.length,
): { text: string; charset: string | null } {
  const decoder = createDecoder({ contentType });
  let text = "";
  for (let at = 0; at < bytes.length; at += size) text += decoder.write(bytes.subarray(at, at + size));
  text += decoder.end();
  return { text, charset: decoder.charset };
}

describe("the encoding of a document", () => {
  test.each([
    [
      "the byte-order mark, before the header",
      latin("\xef\xbb\xbf\xc3\xa9"),
      "text/html; charset=iso-8859-1",
      "utf-8",
      "é",
    ],
    ["a UTF-16 mark", latin("\xff\xfeh\0i\0"), "text/html; charset=utf-8", "utf-16le", "hi"],
    ["a big-endian mark", latin("\xfe\xff\0h\0i"), null, "utf-16be", "hi"],
    [
      "the header, before the document",
      latin('<meta charset="utf-8">\xe9'),
      "text/html;charset=ISO-8859-1",
      "windows-1252",
      null,
    ],
    ["the header in quotes", latin("\xef\xf0"), 'text/html; charset="windows-1251"', "windows-1251", "пр"],
    [
      "an unknown header label, passed over",
      latin('<meta charset="koi8-r">\xc1'),
      "text/html; charset=nonsense",
      "koi8-r",
      null,
    ],
    [
      "charset after other attributes",
      latin("<meta name=x charset = 'windows-1251' >\xef"),
      "text/html",
      "windows-1251",
      null,
    ],
    [
      "content before http-equiv",
      latin('<meta content="text/html; charset=shift_jis" http-equiv=Content-Type>'),
      null,
      "shift_jis",
      null,
    ],
    [
      "no content without http-equiv",
      latin('<meta content="text/html; charset=shift_jis">\xe9'),
      null,
      "windows-1252",
      null,
    ],
    ["no meta in a comment", latin('<!-- <meta charset="koi8-r"> --><p>\xe9'), null, "windows-1252", null],
    ["no meta in an attribute", latin("<p title='<meta charset=koi8-r>'>\xe9"), null, "windows-1252", null],
    ["an unknown meta label, passed over", latin('<meta charset="zzz"><meta charset="koi8-r">'), null, "koi8-r", null],
    ["utf-16 in a meta, which means UTF-8", latin('<meta charset="utf-16le">\xc3\xa9'), null, "utf-8", null],
    ["an XML declaration", latin('<?xml version="1.0" encoding="iso-8859-2"?><html>\xb1'), null, "iso-8859-2", null],
    ["valid UTF-8", utf8("<p>Grüße"), null, "utf-8", "<p>Grüße"],
    ["bytes that are no UTF-8", latin("<p>Gr\xfc\xdfe \x80"), null, "windows-1252", "<p>Grüße €"],
    ["nothing beyond ASCII", utf8("<p>plain"), null, "utf-8", "<p>plain"],
    ["nothing at all", new Uint8Array(), null, "utf-8", ""],
    [
      "UTF-8 with one broken byte",
      Buffer.concat([utf8("<p>Grüße, Käse"), latin("\xff")]),
      null,
      "utf-8",
      "<p>Grüße, Käse\ufffd",
    ],
    [
      "more bytes that are no UTF-8 than are",
      latin("<p>\xc3\xa9 caf\xe9 \xfc \xdf"),
      null,
      "windows-1252",
      "<p>Ã© café ü ß",
    ],
    ["UTF-8 cut within a character", utf8("<p>ü€").subarray(0, 6), null, "utf-8", "<p>ü\ufffd"],
  ])("is known from %s", (_, bytes, contentType, charset, text) => {
    const decoded = decode(bytes, contentType);
    expect(decoded.charset).toBe(charset);
    if (text !== null) expect(decoded.text).toBe(text);
  });

  test("a declaration after the first 1,024 bytes is not seen", () => {
    const late = latin(`<!--${"x".repeat(1020)}--><meta charset=koi8-r>\xc1`);
    expect(decode(late).charset).toBe("windows-1252");
  });

  test("an undeclared document waits for its first foreign byte, but not for ever", () => {
    const decoder = createDecoder({ contentType: "text/html" });
    expect(decoder.write(utf8("a".repeat(10_000)))).toBe("");
    expect(decoder.charset).toBe(null);
    expect(decoder.write(latin("\xe9")) + decoder.end()).toHaveLength(10_001);
    expect(decoder.charset).toBe("windows-1252");

    const plain = createDecoder();
    expect(plain.write(utf8("a".repeat(70_000)))).toHaveLength(70_000);
    expect([plain.charset, plain.source]).toEqual(["utf-8", "guess"]);
  });

  test("the text does not depend on how the bytes were cut", () => {
    const document = fc.tuple(
      fc.constantFrom("", "\ufeff", '<meta charset="utf-8">', '<meta charset="windows-1251">', "<!-- x -->"),
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(null, "text/html; charset=utf-8", "text/html"),
    );
    fc.assert(
      fc.property(document, ([start, body, size, contentType]) => {
        const bytes = utf8(start + body);
        expect(decode(bytes, contentType, size)).toEqual(decode(bytes, contentType));
      }),
    );
  });

  test("a hundred thousand single bytes cost no more than a moment", () => {
    const start = performance.now();
    expect(decode(utf8("a".repeat(100_000)), null, 1).text).toHaveLength(100_000);
    expect(performance.now() - start).toBeLessThan(500);
  });
});
