import { describe, expect, test } from "vitest";
import { readHtml } from "./read-html.ts";

describe("the title", () => {
  test("is the one in the head, its entities decoded and its white space collapsed", () => {
    const facts = readHtml("<head><title>\n Tom &amp; Jerry\t&ndash;  caf&eacute; </title></head><body>x");
    expect(facts.titles).toEqual(["Tom & Jerry – café"]);
    expect(facts.titlesOutsideHead).toBe(0);
  });

  test("is never that of an svg, a template or a noscript", () => {
    const facts = readHtml(
      "<head><template><title>T</title></template><noscript><title>N</title></noscript></head>" +
        "<body><svg><title>Icon</title></svg><title>Stray</title>",
    );
    expect(facts.titles).toEqual([]);
    expect(facts.titlesOutsideHead).toBe(1);
    expect(readHtml("<body><svg><svg></svg><title>Icon</title></svg>").titlesOutsideHead).toBe(0);
  });

  test("is found after an svg that only a stray end tag or an HTML element ends", () => {
    expect(readHtml("<body><svg></p><title>T</title>").titlesOutsideHead).toBe(1);
    expect(readHtml("<body><svg><div></div><title>T</title>").titlesOutsideHead).toBe(1);
  });

  test("is found after templates whose content looks like svg or noscript", () => {
    for (const inside of ["<foreignObject>", "<svg>", "<noscript></div></noscript>", "<template></template>"]) {
      expect(readHtml(`<head><template>${inside}</template><title>T</title>`).titles, inside).toEqual(["T"]);
    }
  });

  test("counts in a head that is not written out", () => {
    expect(readHtml("<!doctype html><title>Bare</title><p>text").titles).toEqual(["Bare"]);
  });

  test("counts between the end of the head and the body, where HTML moves it into the head", () => {
    expect(readHtml("<head></head><title>Late</title><body>x").titles).toEqual(["Late"]);
  });

  test("may be empty or several", () => {
    expect(readHtml("<head><title></title><title>Two</title></head>").titles).toEqual(["", "Two"]);
  });

  test("ends only at its own end tag", () => {
    expect(readHtml("<head><title>a <b>bold</b> claim</title></head>").titles).toEqual(["a <b>bold</b> claim"]);
  });
});

describe("the head", () => {
  const rest =
    '<link rel="canonical" href="/c"><meta name="robots" content="noindex"><link rel=alternate hreflang=de href=/de><title>T</title>';

  test("ends at an element that does not belong there, and loses what follows", () => {
    const facts = readHtml(`<html><head><meta charset=utf-8><div></div>${rest}</head><body>x`);
    expect(facts.headBrokenBy).toEqual({ tag: "div", lost: ["canonical", "robots", "hreflang", "title"] });
    expect(facts.canonicals[0]?.where).toBe("body");
    expect(facts.robotsMetas[0]?.inHead).toBe(false);
    expect(facts.hreflangs[0]?.inHead).toBe(false);
    expect(facts.titles).toEqual([]);
  });

  test.each(["img", "iframe", "svg", "p", "input", "object", "custom-thing"])("is ended by %s", (tag) => {
    expect(readHtml(`<head><${tag}></${tag}>${rest}</head>`).headBrokenBy?.tag).toBe(tag);
  });

  test("is ended by text, and by a no-break space or a stray byte order mark", () => {
    for (const text of ["oops", "&nbsp;", "\ufeff"]) {
      expect(readHtml(`<head>${text}${rest}</head>`).headBrokenBy?.tag).toBe("#text");
    }
  });

  test("is broken before it begins by an element above it", () => {
    const facts = readHtml(`<!doctype html><div>banner</div><html><head>${rest}</head>`);
    expect(facts.headBrokenBy).toMatchObject({ tag: "div", lost: ["canonical", "robots", "hreflang", "title"] });
  });

  test("is not broken by what belongs there, nor by the body", () => {
    const facts = readHtml(
      `<html><head><!-- <div> --><script>"<div>"</script><style>p{}</style><noscript><img src=x></noscript><template><p>x</p></template><base href="/">${rest}</head><body><div>x</div>`,
    );
    expect(facts.headBrokenBy).toBeNull();
    expect(facts.canonicals[0]?.where).toBe("head");
  });

  test("ends without harm at the first element of a body that is not written out", () => {
    const facts = readHtml(`<title>T</title><div>x</div><link rel="canonical" href="/c">`);
    expect(facts.headBrokenBy).toBeNull();
    expect(facts.canonicals[0]?.where).toBe("body");
  });

  test("says nothing is lost when only the body follows", () => {
    expect(readHtml(`<head>${rest}<div></div></head><body>`).headBrokenBy).toEqual({ tag: "div", lost: [] });
  });
});

describe("metadata", () => {
  test("is read with its names in any case and its attributes in any order", () => {
    const facts = readHtml(
      '<HTML LANG="de"><HEAD><META CONTENT="Say &quot;hi&quot;" NAME="Description"><meta content="NOINDEX" name="GoogleBot">' +
        "<meta name=viewport content=width=device-width></HEAD>",
    );
    expect(facts.lang).toBe("de");
    expect(facts.descriptions).toEqual(['Say "hi"']);
    expect(facts.robotsMetas).toEqual([{ name: "googlebot", content: "NOINDEX", inHead: true }]);
    expect(facts.viewport).toBe("width=device-width");
  });

  test("takes the first of two attributes of one name", () => {
    expect(readHtml('<head><meta name="description" content="first" content="second">').descriptions).toEqual([
      "first",
    ]);
  });

  test("keeps canonicals as written and as resolved", () => {
    const facts = readHtml(
      '<head><link rel="Canonical" href="../x?a=1&amp;b=2#f"><link rel=canonical href=""><link rel=canonical href="mailto:a@b.c">' +
        '<link rel="canonical" hreflang="de" href="/de"><link rel="canonical" media="print" href="/print">',
    );
    expect(facts.canonicals).toEqual([
      { raw: "../x?a=1&b=2#f", url: "https://shop.example/x?a=1&b=2#f", where: "head" },
      { raw: "", url: null, where: "head" },
      { raw: "mailto:a@b.c", url: null, where: "head" },
    ]);
  });

  test("reads a meta refresh, but not one in noscript", () => {
    expect(readHtml(`<head><meta http-equiv=Refresh content="0; URL='/new'">`).metaRefresh).toEqual({
      seconds: 0,
      url: "https://shop.example/new",
      raw: "0; URL='/new'",
    });
    expect(
      readHtml(`<head><noscript><meta http-equiv=refresh content="0;url=/new"></noscript>`).metaRefresh,
    ).toBeNull();
    expect(readHtml(`<head><script>'<meta http-equiv=refresh content="0;url=/new">'</script>`).metaRefresh).toBeNull();
  });

  test("collects Open Graph by property or name, the first of each", () => {
    const facts = readHtml(
      '<head><meta property="og:title" content="A"><meta property="og:title" content="B"><meta name="og:type" content="website"><meta property="og:__proto__" content="x">',
    );
    expect(facts.openGraph.title).toBe("A");
    expect(facts.openGraph.type).toBe("website");
    expect(Object.getPrototypeOf(facts.openGraph)).toBe(Object.prototype);
  });

  test("keeps JSON-LD as it stands, and other scripts only as a size", () => {
    const facts = readHtml(
      '<head><script type="application/ld+json">{"a":"&amp;<b>"}</script><script>let x = "</title>";</script></head>',
    );
    expect(facts.jsonLd).toEqual(['{"a":"&amp;<b>"}']);
    expect(facts.scriptBytes).toBe('let x = "</title>";'.length);
  });
});

describe("the base", () => {
  test("is the first with an address, and counts for what stands above it", () => {
    const facts = readHtml(
      '<head><link rel=canonical href="c"><base target=_top><!-- <base href="/comment/"> --><base href="/first/"><base href="/second/"></head><body><a href="x">x</a>',
    );
    expect(facts.base).toBe("https://shop.example/first/");
    expect(facts.canonicals[0]?.url).toBe("https://shop.example/first/c");
    expect(facts.links[0]?.url).toBe("https://shop.example/first/x");
  });

  test("is ignored when its scheme cannot be one", () => {
    const facts = readHtml('<head><base href="javascript:void(0)"></head><a href="x">x</a>');
    expect(facts.base).toBeNull();
    expect(facts.links[0]?.url).toBe("https://shop.example/dir/x");
  });
});
