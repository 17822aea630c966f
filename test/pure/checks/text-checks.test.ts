import { describe, expect, test } from "vitest";
import { lengthOf, titleWidth } from "../../../src/audit/checks/text-length.ts";
import { words } from "../html/read-html.ts";
import { judgePage } from "../../../src/audit/checks/catalogue.ts";
import { checksOf, finding, goodPage, GOOD_DESCRIPTION, pageView } from "./page-view.ts";

const TITLE = "<title>Garden tools made by hand</title>";
const withTitle = (title: string) => goodPage().replace(TITLE, title);
const withDescription = (tag: string) => goodPage().replace(/<meta name="description"[^>]*>/, tag);
const NOINDEX = '<meta name="robots" content="noindex">';

describe("title.missing", () => {
  test("is an error without a title, with an empty one, or with one outside of the head", () => {
    expect(finding("title.missing", { html: withTitle("") })).toMatchObject({
      severity: "error",
      evidence: { message: "No title in the head." },
    });
    expect(finding("title.missing", { html: withTitle("<title> &#32; </title>") })?.evidence.message).toBe(
      "The title is empty.",
    );
    expect(
      finding("title.missing", { html: withTitle("").replace("<main>", "<main><title>Late</title>") })?.evidence
        .message,
    ).toContain("outside");
  });
  test("is none for a title in a head that is not written out", () => {
    expect(finding("title.missing", { html: `${TITLE}<p>${words(200)}` })).toBeUndefined();
  });
  test("does not take the title of an icon for one", () => {
    expect(
      finding("title.missing", { html: withTitle("").replace("<main>", "<main><svg><title>Cart</title></svg>") }),
    ).toBeDefined();
  });
  test("is none where a broken head is to blame", () => {
    expect(checksOf({ html: withTitle(`<div></div>${TITLE}`) })).toEqual(["head.broken"]);
  });
  test("is none on pages that are not to be found, and on shells that scripts fill", () => {
    expect(finding("title.missing", { html: withTitle(NOINDEX) })).toBeUndefined();
    expect(
      checksOf({
        html: '<html lang=en><meta name=viewport content="width=device-width"><div id="root"></div><script src=a.js></script>',
      }),
    ).toEqual(["content.js-shell", "social.og"]);
  });
});

describe("title.multiple", () => {
  test("is a warning for two in the head", () => {
    expect(finding("title.multiple", { html: withTitle(TITLE + TITLE) })).toMatchObject({
      severity: "warning",
      evidence: { measured: 2, limit: 1 },
    });
  });
  test("is none for one in the head and others in svg", () => {
    expect(
      finding("title.multiple", { html: goodPage("", "<svg><title>A</title></svg><svg><title>B</title></svg>") }),
    ).toBeUndefined();
  });
});

describe("title.length", () => {
  const title = (text: string) => finding("title.length", { html: goodPage("", "", { title: text }) });
  test("is a notice under 10 characters, as people count them", () => {
    expect(title("Gardening")).toMatchObject({ severity: "notice", evidence: { measured: 9, limit: 10 } });
    expect(title("Gardenings")).toBeUndefined();
    expect(lengthOf("👩‍👩‍👧‍👦é")).toBe(2);
  });
  test("is a notice when it is wider than about 600 pixels", () => {
    const wide = "Wonderful Mowers, Meadow Rakes and Many More Machines for Modern Women"; // prettier-ignore
    expect(titleWidth(wide)).toBeGreaterThan(600);
    expect(title(wide)?.evidence.limit).toBe(600);
    const narrow = "Little lilies still filling tiny fields till it is all lit till fall";
    expect(narrow.length).toBeGreaterThan(65);
    expect(title(narrow)).toBeUndefined();
  });
  test("knows that Chinese and Japanese characters say and take twice as much", () => {
    expect(title("手作りの園芸道具")).toBeUndefined();
    expect(titleWidth("手作り")).toBe(60);
  });
});

describe("desc.missing and desc.length", () => {
  test("report a description that is absent or empty", () => {
    expect(finding("desc.missing", { html: withDescription("") })?.severity).toBe("notice");
    expect(finding("desc.missing", { html: withDescription('<meta name="description" content=" ">') })).toBeDefined();
    expect(finding("desc.missing", { html: withDescription('<meta content="x" NAME="DESCRIPTION">') })).toBeUndefined();
  });
  test("report one under 70 or over 160 characters, neither at the limits", () => {
    const length = (count: number) =>
      finding("desc.length", { html: withDescription(`<meta name="description" content="${"d".repeat(count)}">`) });
    expect(length(69)?.evidence).toMatchObject({ measured: 69, limit: 70 });
    expect(length(70)).toBeUndefined();
    expect(length(160)).toBeUndefined();
    expect(length(161)?.evidence).toMatchObject({ measured: 161, limit: 160 });
  });
  test("count an entity as the character that it is", () => {
    expect(
      finding("desc.length", { html: withDescription(`<meta name="description" content="${"&amp;".repeat(100)}">`) }),
    ).toBeUndefined();
  });
  test("leave pages alone that are not to be found", () => {
    expect(checksOf({ html: withDescription(NOINDEX) })).toEqual(["index.noindex"]);
  });
});

describe("h1.missing and h1.multiple", () => {
  const withHeading = (html: string) => goodPage().replace("<h1>Garden tools</h1>", html);
  test("report none and several", () => {
    expect(finding("h1.missing", { html: withHeading("<h2>x</h2>") })?.severity).toBe("notice");
    expect(finding("h1.multiple", { html: withHeading("<h1>a</h1><h1>b</h1>") })?.evidence.measured).toBe(2);
  });
  test("take a logo with alt for a heading, but not an empty one or one in a template", () => {
    expect(finding("h1.missing", { html: withHeading("<h1><img src=l.png alt=Acme></h1>") })).toBeUndefined();
    expect(finding("h1.missing", { html: withHeading("<h1> </h1><template><h1>x</h1></template>") })).toBeDefined();
    expect(finding("h1.multiple", { html: withHeading("<h1>a</h1><h1></h1>") })).toBeUndefined();
  });
});

describe("content.thin", () => {
  const text = (count: number) => goodPage("", "", { text: words(count) });
  test("is a warning under 150 words of main text", () => {
    // The heading has two.
    expect(finding("content.thin", { html: text(147) })).toMatchObject({
      severity: "warning",
      evidence: { measured: 149, limit: 150 },
    });
    expect(finding("content.thin", { html: text(148) })).toBeUndefined();
  });
  test("does not count the navigation", () => {
    expect(
      finding("content.thin", { html: goodPage("", `<nav>${words(300)}</nav>`, { text: "Hello" }) }),
    ).toBeDefined();
  });
  test("counts what is written without spaces", () => {
    expect(
      finding("content.thin", { html: goodPage("", "", { text: "手作りの園芸道具".repeat(20) }) }),
    ).toBeUndefined();
  });
  test("is none where the page is not to be found, was cut, or is a shell", () => {
    const view = pageView({ html: goodPage("", "", { text: "x" }) });
    view.html!.truncated = true;
    expect(judgePage(view)).toEqual([]);
    expect(finding("content.thin", { html: goodPage(NOINDEX, "", { text: "x" }) })).toBeUndefined();
    expect(
      finding("content.thin", { html: goodPage('<link rel="canonical" href="/other">', "", { text: "x" }) }),
    ).toBeUndefined();
    expect(finding("content.thin", { html: '<title>Application</title><div id="app"></div>' })).toBeUndefined();
  });
});

describe("content.js-shell", () => {
  test("is a notice for an empty application root", () => {
    expect(finding("content.js-shell", { html: '<title>App</title><div id="__next"></div>' })?.severity).toBe("notice");
  });
  test("is a notice for a page that is mostly script", () => {
    const script = (share: number) => `<p>Hi</p><script>${"x".repeat(share)}</script>${"<!-- -->".repeat(10)}`;
    expect(finding("content.js-shell", { html: script(2_000) })).toBeDefined();
    expect(finding("content.js-shell", { html: script(100) })).toBeUndefined();
  });
  test("is none for a page rendered on the server, whose root is full", () => {
    expect(
      finding("content.js-shell", { html: goodPage().replace("<main>", '<div id="root"><main>') }),
    ).toBeUndefined();
    expect(finding("content.js-shell", { html: `<p>${words(60)}</p><div id="app"></div>` })).toBeUndefined();
  });
});

describe("perf.weight", () => {
  test("is a notice over 2 MB of HTML", () => {
    expect(finding("perf.weight", { html: goodPage(), fetched: { bytes: 2_000_001 } })?.evidence.message).toContain(
      "2.0 MB",
    );
    expect(finding("perf.weight", { html: goodPage(), fetched: { bytes: 2_000_000 } })).toBeUndefined();
    expect(
      finding("perf.weight", { headers: { "content-type": "application/pdf" }, fetched: { bytes: 9_000_000 } }),
    ).toBeUndefined();
    expect(
      finding("perf.weight", { html: goodPage(), fetched: { bytes: 5_000_000, truncated: true } })?.evidence.message,
    ).toContain("at least");
  });
});

test("the description of the test pages has a good length", () => {
  expect(GOOD_DESCRIPTION.length).toBeGreaterThan(70);
});
