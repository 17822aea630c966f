/** Pages of a list by their address: `?page=3` and `/page/3`. */

const PARAMETERS = new Set(["page", "paged", "pg", "pagenum", "page_num", "pagenumber"]);
const IN_PATH = /^(.*?)\/page\/(\d{1,6})\/?$/i;

interface Place {
  /** The path without its page number, no slash at the end. */
  path: string;
  /** 1 when the address names no page. */
  page: number;
  /** The parameter that carries the number; null when the path does, or nothing. */
  parameter: string | null;
}

function placeOf(address: string): Place | null {
  const url = URL.parse(address);
  if (url === null) return null;
  const bare = (path: string): string => {
    let end = path.length;
    while (end > 0 && path[end - 1] === "/") end -= 1;
    return url.host + path.slice(0, end);
  };
  const inPath = IN_PATH.exec(url.pathname);
  if (inPath !== null) return { path: bare(inPath[1]!), page: Number(inPath[2]), parameter: null };
  for (const [name, value] of url.searchParams) {
    if (!PARAMETERS.has(name.toLowerCase())) continue;
    return /^\d{1,6}$/.test(value) ? { path: bare(url.pathname), page: Number(value), parameter: name } : null;
  }
  return { path: bare(url.pathname), page: 1, parameter: null };
}

/** The number of the page at `address`, if it is 2 or more and `canonical` is the first page of the same list. */
export function pageNumberBehindFirst(canonical: string, address: string): number | null {
  if (canonical === address) return null;
  const [first, here] = [placeOf(canonical), placeOf(address)];
  if (first === null || here === null || here.page < 2 || first.page > 1 || first.path !== here.path) return null;
  return here.page;
}
