/**
 * Clean pages by the thousand, the same on every machine: unique title, description, heading and text, one language, a
 * canonical that is the page itself, a viewport, and links that reach every page within three clicks of the start.
 */
import type { Generated } from "./site-spec.ts";

const WORDS = (
  "amber anchor apple arch autumn basket beach bell birch bread bridge brook butter cabin candle canyon cedar cherry " +
  "cliff clock cloud clover coast copper coral cotton creek crystal daisy dawn delta desert dew dune eagle ember fabric " +
  "falcon feather fern field flint forest fountain fox frost garden ginger glacier glass grain granite grape grove gull " +
  "harbor harvest hazel heather hill honey horizon island ivory ivy jasmine juniper kettle lake lantern larch leaf lemon " +
  "lilac linen lotus maple marble meadow mint mist moon moss mountain nectar oak oasis ocean olive orchard orchid otter " +
  "pearl pebble pepper pine plum pond poppy prairie quartz rain raven reed ridge river robin rose saffron sage sand " +
  "shadow shell silver sky slate snow sparrow spring spruce stone storm stream summer summit sunset thistle thunder tide " +
  "timber trail tulip valley velvet violet walnut water wave wheat willow wind winter wool wren"
).split(" ");

/** A small generator of pseudo-random numbers (mulberry32): the same seed gives the same page. */
function numbersFrom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** Path of page number `page`; the start page is -1. */
const pathOf = (page: number): string => (page < 0 ? "/" : `/p/${page}`);

/** Pages as a tree with many branches, closed to rings at its end: nothing is left out and nothing is deep. */
function linksOf(page: number, { pages, links }: Generated): number[] {
  const branches = Math.min(page < 0 ? links : links - 1, pages);
  const first = (links - 1) * (page + 1);
  const targets = Array.from({ length: branches }, (_, branch) => (first + branch) % pages);
  return page < 0 ? targets : [-1, ...targets];
}

function words(next: () => number, count: number): string {
  return Array.from({ length: count }, () => WORDS[next() % WORDS.length]).join(" ");
}

/** The HTML of one page, ASCII only, so that its length is its size in bytes. */
function html(page: number, origin: string, spec: Generated): string {
  const next = numbersFrom(page + 1);
  const name = page < 0 ? "Start page" : `Page ${page}`;
  const links = linksOf(page, spec)
    .map(
      (target) =>
        `<li><a href="${pathOf(target)}">${target < 0 ? "To the start" : `About ${words(next, 2)} ${target}`}</a></li>`,
    )
    .join("\n");
  const head =
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${name} on ${words(next, 3)}</title>\n` +
    `<meta name="description" content="${name} tells of ${words(next, 12)}, in some detail.">\n` +
    `<meta name="viewport" content="width=device-width, initial-scale=1">\n` +
    `<link rel="canonical" href="${origin}${pathOf(page)}">\n<meta property="og:title" content="${name}">` +
    `<meta property="og:type" content="article"><meta property="og:url" content="${origin}${pathOf(page)}">` +
    `<meta property="og:image" content="${origin}/image.png"></head>\n<body><main><h1>${name}: ${words(next, 4)}</h1>\n`;
  const tail = `</main><nav><ul>\n${links}\n</ul></nav></body></html>\n`;
  const paragraphs: string[] = [];
  let missing = spec.bytes - head.length - tail.length;
  while (missing > 0) {
    const paragraph = `<p>${words(next, 60)}.</p>\n`;
    paragraphs.push(missing >= paragraph.length ? paragraph : `<!-- ${"-".repeat(Math.max(0, missing - 9))} -->\n`);
    missing -= paragraph.length;
  }
  return head + paragraphs.join("") + tail;
}

export interface GeneratedAnswer {
  contentType: string;
  body: Buffer;
  isPage: boolean;
}

const text = (contentType: string, body: string, isPage = false): GeneratedAnswer => ({
  contentType,
  body: Buffer.from(body),
  isPage,
});

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64",
);

/** Answers paths of one generated site; null for what it does not have. Pages are made once and kept. */
export function generatedSite(spec: Generated, origin: string): (path: string) => GeneratedAnswer | null {
  const made = new Map<number, GeneratedAnswer>();
  const sitemapLine = spec.sitemap ? `Sitemap: ${origin}/sitemap.xml\n` : "";
  return (path) => {
    const found = path === "/" ? -1 : Number(/^\/p\/(0|[1-9]\d{0,6})$/.exec(path)?.[1] ?? Number.NaN);
    if (found < spec.pages) {
      const known = made.get(found) ?? text("text/html; charset=utf-8", html(found, origin, spec), true);
      made.set(found, known);
      return known;
    }
    if (path === "/robots.txt" && spec.robots !== false) {
      return text("text/plain; charset=utf-8", `User-agent: *\nAllow: /\n${sitemapLine}`);
    }
    if (path === "/sitemap.xml" && spec.sitemap) {
      const urls = Array.from({ length: spec.pages + 1 }, (_, n) => `<url><loc>${origin}${pathOf(n - 1)}</loc></url>`);
      const xml = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("\n")}</urlset>`;
      return text("application/xml", `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`);
    }
    // What og:image names: one picture of one pixel for all pages.
    if (path === "/image.png") return { contentType: "image/png", body: PIXEL, isPage: false };
    return null;
  };
}
