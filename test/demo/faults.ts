/**
 * What is wrong with the demo shop, on purpose, and nothing else is: the site is built from this list's neighbours, and
 * a test holds the report against it in both directions.
 */
export interface KnownFault {
  check: string;
  /** The addresses that a finding of this check may be about; each must be reported unless `cluster` says one of them. */
  paths: string[];
  /** One finding for all of them together. */
  cluster?: true;
  /** What a person would say. */
  what: string;
}

export const KNOWN_FAULTS: KnownFault[] = [
  { check: "link.broken-internal", paths: ["/spring-sale"], what: "every page's banner links to a sale that is over" },
  { check: "http.5xx", paths: ["/stock-check"], what: "the stock check answers 500" },
  { check: "redir.chain", paths: ["/tools"], what: "/tools goes to /spades/ in two hops" },
  {
    check: "redir.loop",
    paths: ["/offers", "/offers/today"],
    what: "/offers and /offers/today send each other visitors",
  },
  { check: "redir.broken-target", paths: ["/catalogue"], what: "the catalogue redirects to a file that is gone" },
  {
    check: "robots.blocks-linked",
    paths: ["/basket"],
    what: "robots.txt closes the basket, and every page links to it",
  },
  {
    check: "index.noindex-in-sitemap",
    paths: ["/gift-cards"],
    what: "the sitemap lists a page that asks not to be indexed",
  },
  { check: "sitemap.bad-url", paths: ["/seeds/marigold"], what: "the sitemap lists a page that does not exist" },
  { check: "title.missing", paths: ["/returns"], what: "no title" },
  { check: "title.multiple", paths: ["/seeds/nasturtium"], what: "two titles" },
  {
    check: "title.duplicate",
    paths: ["/pots/terracotta-large", "/pots/terracotta-small"],
    cluster: true,
    what: "two pots with one title",
  },
  { check: "desc.missing", paths: ["/delivery"], what: "no description" },
  {
    check: "desc.duplicate",
    paths: ["/gloves/leather", "/gloves/cotton"],
    cluster: true,
    what: "two gloves with one description",
  },
  { check: "h1.missing", paths: ["/about"], what: "no h1" },
  { check: "h1.multiple", paths: ["/journal/compost"], what: "two h1" },
  { check: "content.thin", paths: ["/contact"], what: "fifteen words" },
  {
    check: "content.duplicate",
    paths: ["/spades/border-fork", "/spades/border-fork-sale"],
    cluster: true,
    what: "the same text under two addresses",
  },
  { check: "img.alt", paths: ["/pots/glazed-blue"], what: "an image without alt" },
  { check: "img.broken", paths: ["/img/transplanting-spade-2019.svg"], what: "an image that is not there" },
  { check: "canon.to-bad", paths: ["/seeds/foxglove"], what: "the canonical points to a page that is gone" },
  { check: "canon.multiple", paths: ["/seeds/sweet-pea"], what: "two canonicals that disagree" },
  { check: "canon.invalid", paths: ["/journal/sharpening-a-spade"], what: "a canonical with a fragment" },
  { check: "html.lang", paths: ["/spades/long-handled-spade"], what: "no lang" },
  { check: "mobile.viewport", paths: ["/journal/sowing-in-march"], what: "no viewport" },
  { check: "link.orphan", paths: ["/journal/winter-pruning"], what: "in the sitemap, linked from nowhere" },
  {
    check: "link.depth",
    paths: [
      "/journal/archive/2024/autumn",
      "/journal/archive/2024/autumn/leaf-mould",
      "/journal/archive/2024/autumn/leaf-mould/two-years-later",
    ],
    what: "four to six clicks from the start",
  },
];

/** Findings that follow from the faults above rather than being one of their own. */
export const CONSEQUENCES: { check: string; paths: string[] }[] = [
  { check: "http.4xx", paths: ["/spring-sale", "/seeds/marigold", "/seeds/foxglove-old", "/catalogue.pdf"] },
  { check: "link.broken-internal", paths: ["/stock-check", "/catalogue", "/offers"] },
  { check: "index.noindex", paths: ["/gift-cards"] },
  { check: "sitemap.bad-url", paths: ["/seeds/foxglove"] },
];
