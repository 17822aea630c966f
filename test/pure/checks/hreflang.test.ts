import { describe, expect, test } from "vitest";
import { hreflangFault, languageTagFault } from "../../../src/audit/checks/language-tags.ts";
import { finding, goodPage } from "./page-view.ts";

const alternate = (lang: string, href: string) => `<link rel="alternate" hreflang="${lang}" href="${href}">`;
const OWN = "https://shop.example/dir/page";
const DE = "https://shop.example/de/page";
const on = (check: string, ...tags: string[]) => finding(check, { html: goodPage(tags.join("")) });

describe("hreflang.code", () => {
  test.each(["en", "en-GB", "EN-gb", "zh-Hant", "zh-Hans-TW", "zh-cn", "x-default", "X-Default", "be", "de-AT"])(
    "accepts %s",
    (code) => {
      expect(hreflangFault(code)).toBeNull();
    },
  );
  test.each([
    ["en-UK", 'the code is "en-GB" (use GB)'],
    ["en_US", 'use "en-US"'],
    ["us", "is a region"],
    ["GB-en", 'use "en-GB"'],
    ["eng", 'use "en"'],
    ["es-419", "only countries"],
    ["en-EU", "no country"],
    ["de-Latm-AT", "ISO 15924"],
    ["en-GB-oed", "more than"],
    ["xx", "no language"],
    ["", "empty"],
  ])("refuses %j and says what is wrong", (code, words) => {
    expect(hreflangFault(code)).toContain(words);
  });
  test("is an error that quotes the tag", () => {
    expect(on("hreflang.code", alternate("en-UK", OWN), alternate("de", DE))).toMatchObject({
      severity: "error",
      evidence: { measured: 1, found: alternate("en-UK", OWN) },
    });
    expect(on("hreflang.code", alternate("en-GB", OWN), alternate("x-default", OWN))).toBeUndefined();
  });
  test("does not read entries in the body, where they do not count", () => {
    expect(finding("hreflang.code", { html: goodPage("", alternate("en-UK", OWN)) })).toBeUndefined();
  });
  test("reads entries of the Link header too", () => {
    const headers = { link: `<${DE}>; rel="alternate"; hreflang="de-UK"` };
    expect(finding("hreflang.code", { html: goodPage(), headers })).toBeDefined();
  });
});

describe("hreflang.relative", () => {
  test("is an error for a path, also without protocol", () => {
    expect(
      on("hreflang.relative", alternate("en", OWN), alternate("de", "/de/page"), alternate("fr", "//shop.example/fr"))
        ?.evidence.measured,
    ).toBe(2);
  });
  test("is none for full addresses", () => {
    expect(
      on("hreflang.relative", alternate("en", OWN), alternate("de", " HTTPS://shop.example/de ".trim())),
    ).toBeUndefined();
  });
});

describe("hreflang.self", () => {
  test("is a warning when the page is not in its own set", () => {
    expect(on("hreflang.self", alternate("de", DE), alternate("fr", "https://shop.example/fr"))?.severity).toBe(
      "warning",
    );
  });
  test("is none when it is, however it is spelt", () => {
    expect(on("hreflang.self", alternate("de", DE), alternate("en", "https://SHOP.example/dir/page"))).toBeUndefined();
  });
  test("is none without a set, and on pages that stand for another", () => {
    expect(on("hreflang.self")).toBeUndefined();
    expect(on("hreflang.self", '<link rel="canonical" href="/other">', alternate("de", DE))).toBeUndefined();
  });
});

describe("hreflang.dup", () => {
  test("is an error for one language with two addresses, or one address with two languages", () => {
    expect(on("hreflang.dup", alternate("en", OWN), alternate("EN", DE))?.evidence.message).toContain("two addresses");
    expect(on("hreflang.dup", alternate("en", OWN), alternate("de", OWN))?.severity).toBe("error");
  });
  test("is none for x-default, which may repeat an address, nor for the same entry twice", () => {
    expect(on("hreflang.dup", alternate("en", OWN), alternate("x-default", OWN), alternate("en", OWN))).toBeUndefined();
  });
});

describe("hreflang.xdefault", () => {
  const three = [alternate("en", OWN), alternate("de", DE), alternate("fr", "https://shop.example/fr")];
  test("is a notice from three languages on", () => {
    expect(on("hreflang.xdefault", ...three)?.severity).toBe("notice");
    expect(on("hreflang.xdefault", ...three.slice(0, 2))).toBeUndefined();
  });
  test("is none with one, in any case", () => {
    expect(on("hreflang.xdefault", ...three, alternate("X-DEFAULT", OWN))).toBeUndefined();
  });
});

describe("html.lang", () => {
  const lang = (attribute: string) => finding("html.lang", { html: goodPage().replace(' lang="en"', attribute) });
  test("is a notice when it is absent, empty or no language", () => {
    expect(lang("")?.evidence.message).toBe("No lang attribute.");
    expect(lang(' lang=""')?.evidence.message).toContain("empty");
    for (const tag of ["en_US", "english", "en-UK", "xx", "en--us", "deutsch"])
      expect(lang(` lang="${tag}"`), tag).toBeDefined();
  });
  test("is none for tags of BCP 47, rare ones too", () => {
    for (const tag of [
      "en",
      "de-CH-1996",
      "es-419",
      "zh-Hant-HK",
      "gsw",
      "x-klingon",
      "i-klingon",
      "sr-Latn",
      "EN-us",
      "iw",
    ]) {
      expect(languageTagFault(tag), tag).toBeNull();
    }
  });
  test("takes xml:lang where lang is absent", () => {
    expect(lang(' xml:lang="de"')).toBeUndefined();
  });
});
