import { describe, expect, test } from "vitest";
import { checksOf, finding, goodPage, type Page } from "./page-view.ts";

const body = (html: string): Page => ({ html: goodPage("", html) });

describe("img.alt and img.dims", () => {
  test("report images without alt, with count and examples", () => {
    const found = finding("img.alt", body('<img src="/a.png" width=1 height=9><img src="/b.png" width=9 height=9>'));
    expect(found).toMatchObject({
      severity: "warning",
      evidence: { measured: 2, found: "https://shop.example/a.png https://shop.example/b.png" },
    });
  });
  test("report them on pages that are not to be found too: people see those", () => {
    const html = goodPage('<meta name="robots" content="noindex">', "<img src=a.png width=9 height=9>");
    expect(checksOf({ html })).toEqual(["index.noindex", "img.alt"]);
  });
  test("accept an empty alt, decoration, and counting pixels", () => {
    expect(
      finding(
        "img.alt",
        body(
          '<img src=a.png alt><img src=b.png role=presentation><img src=c.png width=1 height=1><img src=d.png alt="">',
        ),
      ),
    ).toBeUndefined();
  });
  test("report images without width and height, but not the choices of a srcset", () => {
    expect(finding("img.dims", body("<img src=a.png alt width=10>"))?.severity).toBe("notice");
    expect(
      finding("img.dims", body('<picture><source srcset="a.webp 1x"><img src=a.png alt width=10 height=10></picture>')),
    ).toBeUndefined();
  });
  test("do not see images that only visitors without scripts get", () => {
    expect(finding("img.alt", body("<noscript><img src=a.png></noscript>"))).toBeUndefined();
  });
});

describe("link.uncrawlable", () => {
  test("is a warning with the elements as evidence", () => {
    expect(
      finding("link.uncrawlable", body('<a onclick="go()">Shop</a><a href="javascript:go()">More</a>')),
    ).toMatchObject({
      severity: "warning",
      evidence: { measured: 2, found: '<a onclick>Shop</a> <a href="javascript:go()">More</a>' },
    });
  });
  test("is none for an empty address, which is valid, and a placeholder", () => {
    expect(finding("link.uncrawlable", body('<a href="" onclick="go()">x</a><a>y</a><a id=z></a>'))).toBeUndefined();
  });
});

describe("link.anchor-empty", () => {
  test("is a warning for a link without words", () => {
    expect(finding("link.anchor-empty", body('<a href="/x"><i class="icon"></i></a>'))?.evidence.target).toBe(
      "https://shop.example/x",
    );
  });
  test("is none with alt, aria-label, or a frame that needs no words", () => {
    expect(
      finding(
        "link.anchor-empty",
        body(
          '<a href="/x"><img src=a.png alt=Home width=9 height=9></a><a href="/y" aria-label="Cart"><svg/></a><iframe src="/f"></iframe>',
        ),
      ),
    ).toBeUndefined();
  });
});

describe("link.localhost", () => {
  test.each([
    "http://localhost:3000/x",
    "http://127.0.0.1/x",
    "http://192.168.1.4/x",
    "http://printer.local/",
    "https://staging.shop.example/x",
    "https://shop-test.shop.example/",
  ])("is an error for %s", (href) => {
    expect(finding("link.localhost", body(`<a href="${href}">x</a>`))?.severity).toBe("error");
  });
  test("is an error for an image or script from there too", () => {
    expect(finding("link.localhost", body('<img src="http://localhost/a.png" alt width=9 height=9>'))).toBeDefined();
  });
  test.each([
    "https://dev.shop.example/",
    "https://www.shop.example/",
    "https://staging.other.example/",
    "https://contest.shop.example/",
    "https://8.8.8.8/",
  ])("is none for %s", (href) => {
    expect(finding("link.localhost", body(`<a href="${href}">x</a>`))).toBeUndefined();
  });
  test("is none on a site that is itself on a loopback address, nor for the audited origin", () => {
    const html = goodPage("", '<a href="http://localhost:9/x">x</a><a href="/y">y</a>');
    expect(
      finding("link.localhost", { url: "http://localhost:8080/", siteOrigin: "http://localhost:8080", html }),
    ).toBeUndefined();
    const staging = goodPage("", '<a href="https://staging.shop.example/y">y</a>');
    expect(
      finding("link.localhost", {
        url: "https://staging.shop.example/",
        siteOrigin: "https://staging.shop.example",
        html: staging,
      }),
    ).toBeUndefined();
  });
});

describe("mobile.viewport", () => {
  const viewport = (tag: string) =>
    finding("mobile.viewport", { html: goodPage().replace(/<meta name="viewport"[^>]*>/, tag) });
  test("is a warning without width=device-width", () => {
    expect(viewport("")?.severity).toBe("warning");
    expect(viewport('<meta name="viewport" content="width=1024">')?.evidence.found).toContain("width=1024");
  });
  test("is none however it is written", () => {
    expect(viewport('<meta name="viewport" content="initial-scale=1,Width = device-width">')).toBeUndefined();
    expect(viewport("<META CONTENT='width=device-width' NAME=Viewport>")).toBeUndefined();
  });
});

describe("social.og", () => {
  const og = (from: RegExp | string, to: string) => finding("social.og", { html: goodPage().replace(from, to) });
  test("names what is missing", () => {
    expect(og('<meta property="og:type" content="website">', "")?.evidence.message).toBe("Missing: og:type.");
  });
  test("is a notice for an image without host", () => {
    expect(og("https://shop.example/og.png", "/og.png")?.evidence.message).toContain("no full address");
  });
  test("accepts the long name of the image, and leaves alone what is not to be found", () => {
    expect(og('property="og:image"', 'property="og:image:url"')).toBeUndefined();
    expect(
      checksOf({
        html: "<html lang=en><title>x</title><meta name=robots content=noindex><meta name=viewport content=width=device-width>",
      }),
    ).toEqual(["index.noindex"]);
  });
});
