/**
 * Which pages are made by the same template, told from their addresses: numbers, dates and ids in a path are folded,
 * parameters count by name only, and a folder with many pages in it is one template.
 */

/** Pages in one folder from which on they are taken for the work of one template. */
const FOLDER_OF_ONE_TEMPLATE = 8;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const HEX = /(?<![0-9a-z])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,}(?![0-9a-z])/gi;
const DIGITS = /\d+/g;

/** The path with what varies folded, and the names of the parameters: "/shop/*-lamp?page". */
export function foldUrl(href: string): string {
  const url = URL.parse(href);
  if (url === null) return href;
  const path = url.pathname.replace(UUID, "*").replace(HEX, "*").replace(DIGITS, "*");
  const names = [...new Set(url.searchParams.keys())].toSorted();
  return names.length === 0 ? path : `${path}?${names.join("&").slice(0, 100)}`;
}

const folderOf = (folded: string): string => folded.slice(0, folded.lastIndexOf("/", folded.indexOf("?") >>> 0) + 1);

/** The template of each page, as its pattern, by url id. */
export function templatesOf(pages: Iterable<readonly [urlId: number, url: string]>): Map<number, string> {
  const folded = new Map<number, string>();
  const children = new Map<string, Set<string>>();
  for (const [urlId, url] of pages) {
    const pattern = foldUrl(url);
    folded.set(urlId, pattern);
    const folder = folderOf(pattern);
    if (pattern === folder || pattern.includes("?")) continue;
    let known = children.get(folder);
    if (known === undefined) children.set(folder, (known = new Set()));
    if (known.size < FOLDER_OF_ONE_TEMPLATE) known.add(pattern);
  }
  for (const [urlId, pattern] of folded) {
    const folder = folderOf(pattern);
    if (pattern === folder || pattern.includes("?")) continue;
    if ((children.get(folder)?.size ?? 0) >= FOLDER_OF_ONE_TEMPLATE) folded.set(urlId, `${folder}*`);
  }
  return folded;
}
