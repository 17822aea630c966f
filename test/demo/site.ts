/** The demo shop: good pages, and the faults of faults.ts put into them. */
import { SHELVES, type Good, type Shelf } from "./shelves.ts";
import { link, paragraph, picture, render, STYLE, type Page } from "./template.ts";
import { WRITINGS, type Writing } from "./writings.ts";

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const list = (links: [string, string][]): string =>
  links.length === 0 ? "" : `<ul>${links.map((entry) => `<li>${link(entry)}</li>`).join("\n")}</ul>`;

function goodPage(origin: string, shelf: Shelf, good: Good): Page {
  const path = `/${shelf.slug}/${good.slug}`;
  return {
    path,
    titles: [`${good.name} from Hollow Oak, ${good.price}`],
    description: `${good.name} at ${good.price}. ${good.about.split(". ")[0] ?? ""}`.slice(0, 150),
    heading: good.name,
    main: [
      `<img src="/img/${good.slug}.svg" alt="${good.name}" width="480" height="320">`,
      `<p class="price">${good.price}</p>`,
      paragraph(good.about),
      paragraph(shelf.common),
    ].join("\n"),
    canonicals: [origin + path],
  };
}

function shelfPage(origin: string, shelf: Shelf): Page {
  const path = `/${shelf.slug}/`;
  const goods = shelf.goods.map(
    (good) => `${paragraph(good.about)}\n<p>${link([`/${shelf.slug}/${good.slug}`, good.name])}</p>`,
  );
  return {
    path,
    titles: [`${shelf.name}: the whole shelf at Hollow Oak`],
    description: `All our ${shelf.name.toLowerCase()}, made to be mended: what they cost, what they are for and how to keep them.`,
    heading: shelf.name,
    main: [paragraph(shelf.common.split(". ").slice(0, 2).join(". ") + "."), ...goods].join("\n"),
    canonicals: [origin + path],
  };
}

function writingPage(origin: string, writing: Writing): Page {
  return {
    path: writing.path,
    titles: [writing.title],
    description: writing.description,
    heading: writing.heading,
    main: [...writing.paragraphs.map(paragraph), list(writing.links ?? [])].join("\n"),
    canonicals: [origin + writing.path],
  };
}

function homePage(origin: string): Page {
  const welcome =
    "Tools that can be mended, pots that stand through the winter, and seed that comes up. We make most of what we sell, in " +
    "a yard behind a small shop, and we use all of it ourselves in a garden on clay that has humbled better gardeners than " +
    "us. Look along the shelves, read in the journal what we did wrong this year, or come by on a Thursday, when the forge " +
    "is lit and the kettle is on.";
  const promise =
    "Whatever you buy here you can send back within a month, earth and all. Whatever breaks in ordinary work we mend or make " +
    "again, for as long as there is one of us to lift a hammer. That is all the small print there is. The newest things are " +
    "a blue glaze that took us four winters to get right, a narrow spade for people with many bulbs, and an apricot foxglove " +
    "that came up by itself behind the shed and was too pretty to pull out.";
  return {
    path: "/",
    titles: ["Hollow Oak: garden tools, pots and seeds made to last"],
    description: "Forged spades, hand-thrown pots and seed that comes up, from a small shop that mends what it sells.",
    heading: "Hollow Oak",
    main: [
      paragraph(welcome),
      list(SHELVES.map((shelf) => [`/${shelf.slug}/`, shelf.name])),
      paragraph(promise),
      list([
        ["/tools", "All our tools"],
        ["/offers", "This week's offers"],
        ["/spades/border-fork-sale", "The border fork, while it lasts"],
      ]),
    ].join("\n"),
    canonicals: [`${origin}/`],
  };
}

/** The faults that lie in a page itself, by its path. Each takes a good page and spoils it. */
function spoiled(origin: string, page: Page): Page {
  switch (page.path) {
    case "/spades/long-handled-spade":
      return { ...page, lang: null };
    case "/returns":
      return { ...page, titles: [] };
    case "/seeds/nasturtium":
      return { ...page, titles: [...page.titles, "Untitled document of the seed shelf"] };
    case "/pots/terracotta-large":
    case "/pots/terracotta-small":
      return { ...page, titles: ["Terracotta pots from Hollow Oak"] };
    case "/delivery":
      return { ...page, description: null };
    case "/gloves/leather":
    case "/gloves/cotton":
      return {
        ...page,
        description: "Gloves in nine sizes, sewn with the seam on the outside, where it cannot rub your hand.",
      };
    case "/about":
      return { ...page, heading: null };
    case "/journal/compost":
      return { ...page, secondHeading: "Compost, once more" };
    case "/gift-cards":
      return { ...page, robots: "noindex" };
    case "/pots/glazed-blue":
      return { ...page, main: page.main.replace(/ alt="[^"]*"/, "") };
    case "/spades/transplanting-spade":
      return { ...page, main: page.main.replace("/img/transplanting-spade.svg", "/img/transplanting-spade-2019.svg") };
    case "/seeds/foxglove":
      return { ...page, canonicals: [`${origin}/seeds/foxglove-old`] };
    case "/seeds/sweet-pea":
      return { ...page, canonicals: [...page.canonicals, `${origin}/seeds/`] };
    case "/journal/sharpening-a-spade":
      return { ...page, canonicals: [`${origin}${page.path}#how`] };
    case "/journal/sowing-in-march":
      return { ...page, viewport: false };
    default:
      return page;
  }
}

/** The same goods under a second address, as sales do it. */
function salePage(origin: string): Page[] {
  const shelf = SHELVES.find(({ slug }) => slug === "spades");
  const fork = shelf?.goods.find(({ slug }) => slug === "border-fork");
  if (!shelf || !fork) return [];
  const path = "/spades/border-fork-sale";
  const page = goodPage(origin, shelf, fork);
  return [
    {
      ...page,
      path,
      titles: ["On sale while it lasts: the border fork with four tines"],
      description:
        "The border fork for less, until the last one has left the forge: four square tines and a handle of ash.",
      canonicals: [origin + path],
    },
  ];
}

export function pagesOf(origin: string): Page[] {
  const good = [
    homePage(origin),
    ...SHELVES.flatMap((shelf) => [
      shelfPage(origin, shelf),
      ...shelf.goods.map((item) => goodPage(origin, shelf, item)),
    ]),
    ...WRITINGS.map((writing) => writingPage(origin, writing)),
    ...salePage(origin),
  ];
  return good.map((page) => spoiled(origin, page));
}

const REDIRECTS: Record<string, string> = {
  "/tools": "/spades",
  "/spades": "/spades/",
  "/offers": "/offers/today",
  "/offers/today": "/offers",
  "/catalogue": "/catalogue.pdf",
};

const ok = (type: string, body: string): Answer => ({ status: 200, headers: { "content-type": type }, body });
const html = (status: number, body: string): Answer => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  body,
});

function robots(origin: string): Answer {
  return ok("text/plain", `User-agent: *\nDisallow: /basket\n\nSitemap: ${origin}/sitemap.xml\n`);
}

function sitemap(origin: string, pages: Page[]): Answer {
  const paths = [...pages.map((page) => page.path), "/seeds/marigold"];
  const urls = paths.map((path) => `  <url><loc>${origin}${path}</loc></url>`).join("\n");
  return ok(
    "application/xml",
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}\n</urlset>\n`,
  );
}

/** What the shop answers to a path. */
export function answer(origin: string, path: string): Answer {
  const pages = pagesOf(origin);
  const page = pages.find((candidate) => candidate.path === path);
  if (page) return html(200, render(page));
  const location = REDIRECTS[path];
  if (location !== undefined) return { status: 301, headers: { location }, body: "" };
  if (path === "/robots.txt") return robots(origin);
  if (path === "/sitemap.xml") return sitemap(origin, pages);
  if (path === "/style.css") return ok("text/css", STYLE);
  if (path === "/stock-check")
    return html(500, "<!doctype html><title>Error</title><p>The stock database did not answer.");
  const image = /^\/img\/([a-z-]+)\.svg$/.exec(path)?.[1];
  if (image !== undefined) return ok("image/svg+xml", picture(image.replaceAll("-", " ")));
  return html(
    404,
    '<!doctype html><html lang="en"><title>Not found</title><p>There is no such page in this shop.</html>',
  );
}
