import { describe, expect, test } from "vitest";
import { readHtml } from "./read-html.ts";

const images = (html: string) => readHtml(`<body>${html}`).images;
const resources = (html: string) =>
  readHtml(html).resources.map(({ url, kind }) => `${kind} ${url.replace("https://shop.example", "")}`);

describe("images", () => {
  test("tell an absent alt from an empty one", () => {
    expect(images("<img src=a.png><img src=b.png alt><img src=c.png alt='Cat'>").map(({ alt }) => alt)).toEqual([
      null,
      "",
      "Cat",
    ]);
  });

  test.each([
    "role=presentation",
    "role=none",
    "aria-hidden=true",
    "width=1 height=1",
    "hidden",
    "style='display:none'",
  ])("with %s are decoration", (attribute) => {
    expect(images(`<img src=a.png ${attribute}>`)[0]?.alt).toBe("");
  });

  test("know their size by attributes or style", () => {
    const sized = images(
      "<img src=a.png width=10 height=20><img src=b.png width=10><img src=c.png style='width:1px;height:2px'><img src=d.png style='max-width:1px;max-height:2px'><img src=e.png style='aspect-ratio: 1'>",
    );
    expect(sized.map(({ hasSize }) => hasSize)).toEqual([true, false, true, false, true]);
  });

  test("in srcset are read by HTML's rules: commas in addresses, data addresses, a trailing comma", () => {
    const found = images(
      '<img src="a.png" alt="" srcset="/w_1,h_2/b.png 1x,\n /c.png 2x, data:image/png;base64,AA 3x,"><picture><source srcset="d.webp 100w"></picture>',
    );
    expect(found.map(({ url, fromSrcset }) => [new URL(url).pathname, fromSrcset])).toEqual([
      ["/dir/a.png", false],
      ["/w_1,h_2/b.png", true],
      ["/c.png", true],
      ["/dir/d.webp", true],
    ]);
  });

  test("that load late are found behind their placeholder", () => {
    expect(images('<img src="data:image/gif;base64,R0" data-src="/real.jpg" alt="">')[0]?.url).toBe(
      "https://shop.example/real.jpg",
    );
    expect(images('<img data-src="{{ image }}">')).toEqual([]);
  });
});

describe("resources", () => {
  test("are what a browser loads", () => {
    expect(
      resources(
        "<head><link rel=stylesheet href=/s.css><link rel='preload' as=font href=/f.woff2><link rel=modulepreload href=/m.js><link rel='shortcut icon' href=/i.ico><script src=/a.js></script><script type=module src=/b.js></script></head>" +
          "<body><video src=/v.mp4 poster=/p.jpg></video><audio><source src=/a.mp3></audio><iframe src=/frame></iframe><embed src=/e.swf><object data=/o.pdf></object><input type=image src=/in.png>",
      ),
    ).toEqual([
      "style /s.css", "font /f.woff2", "script /m.js", "image /i.ico", "script /a.js", "script /b.js", "media /v.mp4",
      "image /p.jpg", "media /a.mp3", "iframe /frame", "other /e.swf", "other /o.pdf", "image /in.png",
    ]); // prettier-ignore
  });

  test("are not connections, idle styles, data scripts, canonicals and feeds", () => {
    expect(
      resources(
        "<head><link rel=preconnect href=https://a.example><link rel=dns-prefetch href=//a.example><link rel=stylesheet disabled href=/d.css><link rel='alternate stylesheet' href=/a.css>" +
          "<script type='text/plain' data-consent src=/later.js></script><script type='application/json' src=/x.json></script><link rel=canonical href=/c><link rel=alternate type=application/rss+xml href=/feed></head><body><iframe src='about:blank'></iframe>",
      ),
    ).toEqual([]);
  });

  test("of forms are their actions, the page itself when there is none", () => {
    expect(
      readHtml("<form action='http://x.example/send'></form><form><button formaction=/other>x</button></form>").forms,
    ).toEqual([
      { action: "http://x.example/send" },
      { action: "https://shop.example/dir/page" },
      { action: "https://shop.example/other" },
    ]);
  });
});
