import { describe, expect, test } from "vitest";
import { finding, goodPage } from "./page-view.ts";

const script = (json: unknown) =>
  `<script type="application/ld+json">${typeof json === "string" ? json : JSON.stringify(json)}</script>`;
const required = (...documents: unknown[]) =>
  finding("sd.required", { html: goodPage("", documents.map(script).join("")) });
const parsed = (text: string) => finding("sd.parse", { html: goodPage("", script(text)) });

const PRODUCT = {
  "@context": "https://schema.org",
  "@type": "Product",
  name: "Spade",
  offers: { "@type": "Offer", price: 0, priceCurrency: "EUR" },
};

describe("sd.parse", () => {
  test.each(['{"a": 1,}', "{'a': 1}", '{"a": "line\nbreak"}', "not json", '{"a": 1} {"b": 2}'])(
    "is an error for %j",
    (text) => {
      expect(parsed(text)?.severity).toBe("error");
    },
  );
  test.each([
    '{"a": 1}',
    "[]",
    " \n ",
    '<!-- {"a": 1} -->',
    '//<![CDATA[\n{"a": 1}\n//]]>',
    '/* <![CDATA[ */{"a": 1}/* ]]> */',
  ])("is none for %j", (text) => {
    expect(parsed(text)).toBeUndefined();
  });
  test("does not judge a block that was cut for its length, nor other scripts", () => {
    expect(parsed(`{"a": "${"x".repeat(70_000)}"}`)).toBeUndefined();
    expect(finding("sd.parse", { html: goodPage("", "<script>{a:1,}</script>") })).toBeUndefined();
  });
});

describe("sd.required", () => {
  test("names what a type lacks, and the document that says so", () => {
    expect(required({ "@type": "JobPosting", title: "Gardener", description: "x" })).toMatchObject({
      severity: "warning",
      evidence: {
        message: "JobPosting (Job posting) lacks datePosted, hiringOrganization, jobLocation or jobLocationType.",
      },
    });
  });
  test("is none for complete data, whose price may be 0", () => {
    expect(required(PRODUCT)).toBeUndefined();
  });
  test.each([
    [{ ...PRODUCT, offers: undefined }, "offers or review or aggregateRating or hasVariant"],
    [{ ...PRODUCT, name: " " }, "name"],
    [{ ...PRODUCT, aggregateRating: { ratingValue: 4 } }, "aggregateRating.ratingCount or reviewCount"],
    [{ "@type": "Recipe", name: "Soup" }, "image"],
    [{ "@type": "http://schema.org/Event", name: "Fair", startDate: "2026-12-01" }, "location"],
    [{ "@type": "LocalBusiness", name: "Shop" }, "address"],
    [{ "@type": "FAQPage", mainEntity: [{ "@type": "Question", name: "Why?" }] }, "mainEntity.acceptedAnswer"],
    [
      { "@type": "QAPage", mainEntity: { "@type": "Question", name: "Why?", acceptedAnswer: {} } },
      "mainEntity.answerCount",
    ],
    [{ "@type": "VideoObject", name: "Film", uploadDate: "2026-01-01" }, "thumbnailUrl"],
    [{ "@type": "SoftwareApplication", name: "App", offers: { price: 1 } }, "aggregateRating or review"],
    [
      { "@type": "BreadcrumbList", itemListElement: [{ "@type": "ListItem", name: "Home" }] },
      "itemListElement.position",
    ],
    [{ "@type": "Course", name: "Pruning" }, "description"],
    [{ "@type": "Dataset", description: "Rain" }, "name"],
    [{ "@type": "Review", author: "Ann", reviewRating: { "@type": "Rating" } }, "reviewRating.ratingValue"],
  ])("finds what is missing in %j", (json, missing) => {
    expect(required(json)?.evidence.found).toContain(missing);
  });
  test("looks into @graph, lists, and types given as a list", () => {
    expect(
      required({ "@graph": [{ "@type": "WebSite" }, { "@type": ["Thing", "Recipe"], name: "Soup" }] }),
    ).toBeDefined();
    expect(required([{ "@type": "WebSite" }, { "@type": "Recipe", name: "Soup" }])).toBeDefined();
  });
  test("asks nothing of what is only mentioned or referred to", () => {
    expect(
      required({
        "@type": "Review",
        author: "Ann",
        reviewRating: { ratingValue: 5 },
        itemReviewed: { "@type": "Product", name: "Spade" },
      }),
    ).toBeUndefined();
    expect(
      required({
        "@type": "ItemList",
        itemListElement: [{ "@type": "ListItem", position: 1, item: { "@type": "Product", name: "Spade" } }],
      }),
    ).toBeUndefined();
    expect(
      required({
        "@graph": [
          { "@type": "Product", "@id": "#spade" },
          { "@type": "Article", about: { "@id": "#spade" } },
        ],
      }),
    ).toBeUndefined();
    expect(required({ "@type": "Organization", name: "Acme" }, { "@type": "Article", headline: "x" })).toBeUndefined();
  });
  test("survives data of any shape", () => {
    for (const json of [
      "null",
      "1",
      '"x"',
      "[[[]]]",
      '{"@type": 5}',
      '{"@type": {"a": 1}}',
      '{"@type":"Product","offers":"x","name":["",null]}',
    ]) {
      expect(() => required(json)).not.toThrow();
    }
    let deep = '{"@type":"Recipe"}';
    for (let i = 0; i < 2_000; i++) deep = `{"a":${deep}}`;
    expect(() => required(deep)).not.toThrow();
  });
});
