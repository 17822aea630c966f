/** How a page of the demo shop looks. */

export interface Page {
  path: string;
  /** Empty: no title element at all. */
  titles: string[];
  description: string | null;
  heading: string | null;
  secondHeading?: string;
  /** HTML of the main part, below the heading. */
  main: string;
  /** Values of rel=canonical, as they stand in the page. */
  canonicals: string[];
  robots?: string;
  lang?: string | null;
  viewport?: boolean;
}

const MENU: [string, string][] = [
  ["/", "Hollow Oak"],
  ["/spades/", "Spades and forks"],
  ["/pots/", "Pots"],
  ["/seeds/", "Seeds"],
  ["/gloves/", "Gloves"],
  ["/journal/", "Journal"],
];

const FOOT: [string, string][] = [
  ["/about", "About us"],
  ["/delivery", "Delivery"],
  ["/returns", "Returns"],
  ["/contact", "Contact"],
  ["/gift-cards", "Gift cards"],
  ["/basket", "Basket"],
];

export const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

export const link = ([path, words]: [string, string]): string => `<a href="${escape(path)}">${escape(words)}</a>`;

export const paragraph = (text: string): string => `<p>${escape(text)}</p>`;

export function render(page: Page): string {
  const head = [
    '<meta charset="utf-8">',
    ...page.titles.map((title) => `<title>${escape(title)}</title>`),
    ...(page.description === null ? [] : [`<meta name="description" content="${escape(page.description)}">`]),
    ...(page.viewport === false ? [] : ['<meta name="viewport" content="width=device-width, initial-scale=1">']),
    ...(page.robots === undefined ? [] : [`<meta name="robots" content="${page.robots}">`]),
    ...page.canonicals.map((canonical) => `<link rel="canonical" href="${escape(canonical)}">`),
    '<link rel="stylesheet" href="/style.css">',
  ];
  const lang = page.lang === null ? "" : ` lang="${page.lang ?? "en"}"`;
  return `<!doctype html>
<html${lang}>
<head>
${head.join("\n")}
</head>
<body>
<header><nav>${MENU.map(link).join(" ")}</nav></header>
<p class="banner">Spring is here: <a href="/spring-sale">a tenth off everything in the sale</a></p>
<main>
${page.heading === null ? "" : `<h1>${escape(page.heading)}</h1>`}
${page.secondHeading === undefined ? "" : `<h1>${escape(page.secondHeading)}</h1>`}
${page.main}
</main>
<footer><nav>${FOOT.map(link).join(" ")}</nav></footer>
</body>
</html>
`;
}

export const STYLE = `body { font: 16px/1.5 Georgia, serif; max-width: 44rem; margin: 0 auto; padding: 1rem; color: #2b2a26; background: #fbfaf5 }
nav a { margin-right: 1rem } a { color: #2f5d3a } .banner { background: #e6edd8; padding: .5rem 1rem } img { max-width: 100%; height: auto }
footer { border-top: 1px solid #ccc; margin-top: 2rem; padding-top: 1rem } .price { font-weight: bold }
`;

/** A picture of something, as far as a few shapes go. */
export function picture(name: string): string {
  let hue = 0;
  for (const character of name) hue = (hue * 31 + (character.codePointAt(0) ?? 0)) % 360;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="480" height="320" viewBox="0 0 480 320"><rect width="480" height="320" fill="hsl(${hue} 30% 88%)"/><circle cx="240" cy="160" r="90" fill="hsl(${hue} 40% 55%)"/><text x="240" y="300" text-anchor="middle" font-family="serif" font-size="20">${escape(name)}</text></svg>`;
}
