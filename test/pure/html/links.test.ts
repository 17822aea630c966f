import { describe, expect, test } from "vitest";
import { readHtml } from "./read-html.ts";

const links = (html: string) => readHtml(`<body>${html}`).links;
const urls = (html: string) => links(html).map(({ url }) => url);

describe("links", () => {
  test("are resolved, decoded and cleaned as browsers do", () => {
    expect(urls('<a href="/s?a=1&amp;b=2&copy=3">x</a>')).toEqual(["https://shop.example/s?a=1&b=2&copy=3"]);
    expect(urls('<a href=" /a\tb\n">x</a>')).toEqual(["https://shop.example/ab"]);
    expect(urls("<a href=/unquoted>x</a>")).toEqual(["https://shop.example/unquoted"]);
    expect(urls('<a href="//cdn.example/x">x</a>')).toEqual(["https://cdn.example/x"]);
    expect(urls('<a href="/mit leer">x</a>')).toEqual(["https://shop.example/mit%20leer"]);
  });

  test("with an empty address lead to the page itself", () => {
    expect(links('<a href="">top</a>')).toMatchObject([{ url: "https://shop.example/dir/page", fragment: null }]);
  });

  test("give their fragment apart from the address", () => {
    expect(links('<a href="/x#Gr%C3%BC&szlig;e">x</a><a href="#">y</a>')).toMatchObject([
      { url: "https://shop.example/x", fragment: "Gr%C3%BCße" },
      { url: "https://shop.example/dir/page", fragment: "" },
    ]);
  });

  test("are none in comments, scripts, templates, noscript, and without an address", () => {
    expect(
      urls(
        '<!-- <a href="/c">c</a> --><script>\'<a href="/s">\'</script><template><a href="/t">t</a></template>' +
          '<noscript><a href="/n">n</a></noscript><textarea><a href="/ta">x</a></textarea><a name=here>x</a><a>y</a>',
      ),
    ).toEqual([]);
  });

  test("in a declarative shadow root are links: it is shown", () => {
    expect(urls('<template shadowrootmode="open"><a href="/s">s</a></template>')).toEqual(["https://shop.example/s"]);
  });

  test("to mail, phone, data and scripts are none", () => {
    expect(
      urls('<a href="mailto:a@b.c">m</a><a href="tel:1">t</a><a href=" JaVaScRiPt:x()">j</a><a href="data:,x">d</a>'),
    ).toEqual([]);
  });

  test("to Cloudflare's hidden e-mail addresses are none", () => {
    expect(urls('<a href="/cdn-cgi/l/email-protection#abc">[email&#160;protected]</a><a href="/x">x</a>')).toEqual([
      "https://shop.example/x",
    ]);
  });

  test("end where another begins, since links do not nest", () => {
    expect(links('<a href="/one">one <a href="/two">two</a> after</a>')).toMatchObject([
      { url: "https://shop.example/one", anchor: "one" },
      { url: "https://shop.example/two", anchor: "two" },
    ]);
  });

  test("that are the same are one entry, whatever the spelling of the address", () => {
    expect(links('<a href="/x">x</a><a href="https://shop.example/x">x</a><a href="/x">other</a>')).toHaveLength(2);
  });

  test("carry nofollow among other rel tokens in any case", () => {
    expect(links('<a rel="noopener NoFollow" href="/x">x</a>')[0]?.nofollow).toBe(true);
    expect(links('<a rel="nofollowing" href="/y">y</a>')[0]?.nofollow).toBe(false);
  });

  test("are also areas, frames and a meta refresh", () => {
    const facts = readHtml(
      '<head><meta http-equiv=refresh content="5; url=/r"></head><body><map><area href="/area" alt="Area"></map><iframe src="/frame"></iframe>',
    );
    expect(facts.links.map(({ url, kind }) => [url, kind])).toEqual([
      ["https://shop.example/area", "area"],
      ["https://shop.example/frame", "iframe"],
      ["https://shop.example/r", "meta-refresh"],
    ]);
  });

  test("resolve against the address in the document's encoding", () => {
    const facts = readHtml('<a href="/ü?q=ü">x</a>', "https://shop.example/", { charset: "windows-1252" });
    expect(facts.links[0]?.url).toBe("https://shop.example/%C3%BC?q=%FC");
  });
});

describe("anchor texts", () => {
  const anchor = (html: string) => links(html)[0];

  test("are the words inside, those of blocks apart", () => {
    expect(anchor('<a href="/x"><div>Red</div><div>sho<b>es</b></div></a>')?.anchor).toBe("Red shoes");
  });

  test.each([
    ["an image with alt", '<img src=i.png alt="Home">'],
    ["the title of an svg", "<svg><title>Home</title><path/></svg>"],
    ["an aria-label on the icon", '<i aria-label="Home"></i>'],
  ])("may come from %s", (_what, inside) => {
    expect(anchor(`<a href="/x">${inside}</a>`)).toMatchObject({ anchor: "Home", emptyAnchor: false });
  });

  test.each(['aria-label="Home"', 'title="Home"', 'aria-labelledby="id"'])("are not empty with %s", (attribute) => {
    expect(anchor(`<a href="/x" ${attribute}></a>`)?.emptyAnchor).toBe(false);
  });

  test("are empty for an icon, an image with empty alt, and the style of an svg", () => {
    expect(anchor('<a href="/x"><i class=icon></i></a>')?.emptyAnchor).toBe(true);
    expect(anchor('<a href="/x"><img src=a.png alt=""></a>')?.emptyAnchor).toBe(true);
    expect(anchor('<a href="/x"><svg><style>.a{fill:red}</style><path/></svg></a>')?.emptyAnchor).toBe(true);
  });

  test("end with the table cell when the end tag was forgotten", () => {
    expect(anchor('<table><tr><td><a href="/x">x<td>far away</table>')?.anchor).toBe("x");
    expect(anchor('<a href="/x"><table><tr><td>red</td><td>shoes</td></tr></table></a>')?.anchor).toBe("red shoes");
  });
});

describe("what no crawler can follow", () => {
  const uncrawlable = (html: string) => readHtml(`<body>${html}`).uncrawlable;

  test("is a script behind an anchor, or a role of link, without an address", () => {
    expect(
      uncrawlable(
        '<a onclick="go()">x</a><a role=link>y</a><a href="javascript:go()">z</a><a href="java\nscript:go()">z</a>',
      ).count,
    ).toBe(4);
  });

  test("is an address that cannot be read", () => {
    expect(uncrawlable('<a href="http://[x">x</a>')).toEqual({ count: 1, sample: ['<a href="http://[x">'] });
  });

  test("is neither a placeholder, nor a target, nor a button", () => {
    expect(
      uncrawlable(
        '<a>x</a><a name=t></a><a role=button onclick="x()">b</a><a role=button href="javascript:;">c</a><a href="" onclick="x()">d</a>',
      ).count,
    ).toBe(0);
  });
});

describe("fragment targets", () => {
  test("are ids and names of anchors, but nothing in a template", () => {
    const facts = readHtml(
      '<h2 id="Top">x</h2><a name="old"></a><svg><g id="g"/></svg><template><p id="t"></p></template><p id="">',
    );
    expect(facts.anchors).toEqual(["Top", "old", "g"]);
  });
});
