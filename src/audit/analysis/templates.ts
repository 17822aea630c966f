/**
 * Which pages are made by the same template, told from their addresses: numbers, dates and ids in a path are folded,
 * parameters count by name only, and a folder with many pages in it is one template.
 */
import { urlTemplate } from "../crawl/url-template.ts";

/** Pages in one folder from which on they are taken for the work of one template. */
const FOLDER_OF_ONE_TEMPLATE = 8;

/** The path with what varies folded, and the names of the parameters: "/shop/{n}-lamp?page". */
function formOf(href: string): string {
  const url = URL.parse(href);
  return url === null ? href : urlTemplate(url).form;
}

/** "/shop/" of "/shop/lamp"; null for what has parameters or is a folder itself. */
function folderOf(form: string): string | null {
  if (form.includes("?") || form.endsWith("/")) return null;
  return form.slice(0, form.lastIndexOf("/") + 1);
}

/** The template of each page, as its pattern, by url id. */
export function templatesOf(pages: Iterable<readonly [urlId: number, url: string]>): Map<number, string> {
  const templates = new Map<number, string>();
  const children = new Map<string, Set<string>>();
  for (const [urlId, url] of pages) {
    const form = formOf(url);
    templates.set(urlId, form);
    const folder = folderOf(form);
    if (folder === null) continue;
    let known = children.get(folder);
    if (known === undefined) children.set(folder, (known = new Set()));
    if (known.size < FOLDER_OF_ONE_TEMPLATE) known.add(form);
  }
  for (const [urlId, form] of templates) {
    const folder = folderOf(form);
    if (folder !== null && (children.get(folder)?.size ?? 0) >= FOLDER_OF_ONE_TEMPLATE)
      templates.set(urlId, `${folder}*`);
  }
  return templates;
}
