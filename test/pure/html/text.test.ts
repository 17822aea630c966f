import { describe, expect, test } from "vitest";
import { minhashSimilarity } from "../../../src/audit/crawl/minhash.ts";
import { readHtml, words } from "./read-html.ts";

const main = (text: string) => readHtml(`<body><main>${text}</main>`);

describe("words", () => {
  test("of the main text leave out navigation, header, footer, aside, scripts and choices", () => {
    const facts = readHtml(
      "<body><header>a b</header><nav>c d</nav><div role=navigation>e</div><main>one two <aside>f</aside> three<script>g h</script><style>i</style><select><option>j</option></select></main><footer>k</footer>",
    );
    expect(facts.wordCount).toBe(3);
    expect(facts.bodyWordCount).toBe(10);
    expect(facts.textStart).toBe("one two three");
  });

  test("in the header of an article belong to its text", () => {
    expect(readHtml("<article><header>one two</header><p>three</p></article>").wordCount).toBe(3);
  });

  test("go on across formatting, but not across blocks", () => {
    expect(main("H<b>el</b>lo<p>wor</p>ld").wordCount).toBe(3);
    expect(main("don't caf&eacute;s &amp; well-known 3.5").wordCount).toBe(6);
  });

  test("of scripts without spaces are counted by their characters", () => {
    expect(main("我们的花园工具都是手工制作的").wordCount).toBe(14);
    expect(main("เครื่องมือทำสวนทำด้วยมือ").wordCount).toBeGreaterThan(4);
    expect(main("정원 도구 세트").wordCount).toBe(3);
    expect(main("👍 🎉 – … «»").wordCount).toBe(0);
  });

  test("survive unclosed elements: what encloses them ends them", () => {
    expect(readHtml("<div><nav>a b</div><div>one two</div>").wordCount).toBe(2);
  });

  test("are not moved by an end tag that strays in a table: it ends nothing outside of it", () => {
    expect(readHtml("<div><aside><table><tr><td></div></td></tr></table>a b</aside>one two").wordCount).toBe(2);
  });

  test("in an svg are none of the page's", () => {
    expect(main("<svg><title>Icon name</title><desc>of a cart</desc></svg>").wordCount).toBe(0);
    expect(main("<svg><text>chart</text><foreignObject><p>real words</p></foreignObject></svg>").wordCount).toBe(2);
  });
});

describe("headings", () => {
  test("are all h1 with words, or with an image that has alt", () => {
    expect(
      readHtml("<h1>One <em>two</em></h1><h1></h1><h1><a href=/><img src=l.png alt=Logo></a></h1><h2>No</h2>").h1s,
    ).toEqual(["One two", "Logo"]);
  });

  test("end with any heading's end tag and with what encloses them", () => {
    expect(readHtml("<h1>One</h2>text<div><h1>Two</div>text").h1s).toEqual(["One", "Two"]);
  });
});

describe("the key of the main text", () => {
  test("is the same whatever the case, punctuation, spacing and markup", () => {
    expect(main("Red, shoes!").textKey).toBe(main("<p>red</p>\n<p>SHOES</p>").textKey);
    expect(main("Größe ÄRGER").textKey).toBe(main("größe ärger").textKey);
  });

  test("is another for other words or another order, and null without words", () => {
    expect(main("red shoes").textKey).not.toBe(main("shoes red").textKey);
    expect(main("red shoes").textKey).not.toBe(main("redshoes").textKey);
    expect(main("").textKey).toBeNull();
  });
});

describe("the signature of the main text", () => {
  const signature = (text: string) => main(text).minhash!;

  test("has 128 values of four characters, and needs 20 words", () => {
    expect(signature(words(20))).toMatch(/^[A-Za-z0-9+/]{512}$/);
    expect(main(words(19)).minhash).toBeNull();
  });

  test("estimates how alike two texts are", () => {
    const text = words(600).split(" ");
    const withChanges = (every: number) => text.map((word, at) => (at % every === 3 ? "changed" : word)).join(" ");
    const exact = (every: number) => {
      const shingles = (list: string[]) => new Set(list.slice(4).map((_, at) => list.slice(at, at + 5).join(" ")));
      const [a, b] = [shingles(text), shingles(withChanges(every).split(" "))];
      const common = [...a].filter((shingle) => b.has(shingle)).length;
      return common / (a.size + b.size - common);
    };
    for (const every of [300, 100, 40, 12]) {
      const estimate = minhashSimilarity(signature(text.join(" ")), signature(withChanges(every)));
      expect(Math.abs(estimate - exact(every)), `one word in ${every}`).toBeLessThan(0.12);
    }
  });

  test("is close to nothing for texts that share nothing, short ones too", () => {
    expect(minhashSimilarity(signature(words(400)), signature(words(400, 5)))).toBeLessThan(0.1);
    expect(minhashSimilarity(signature(words(25)), signature(words(25, 9)))).toBeLessThan(0.2);
  });

  test("is the same for the same short text", () => {
    expect(minhashSimilarity(signature(words(25)), signature(words(25)))).toBe(1);
  });
});

describe("an application root", () => {
  test.each([
    '<div id="root"></div>',
    '<div id="app">Loading...</div>',
    '<div id="__next"><div class="spinner"></div></div>',
    "<app-root></app-root>",
  ])("that holds nothing is empty: %s", (html) => {
    expect(readHtml(`<body>${html}<script src=a.js></script>`).emptyAppRoot).toBe(true);
  });

  test.each([
    '<div id="root"><p>Words that somebody can read</p></div>',
    '<div id="app"><a href="/x">x</a></div>',
    '<div id="other"></div>',
  ])("that holds something, or is none, is not: %s", (html) => {
    expect(readHtml(`<body>${html}`).emptyAppRoot).toBe(false);
  });
});
