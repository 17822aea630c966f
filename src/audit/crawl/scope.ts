/** Which addresses belong to the audited site, and which of them this audit wants. */
import type { AuditOptions } from "../audit-options.ts";

export type ScopeVerdict = "page" | "external" | "out_of_scope";

const bareHost = (hostname: string): string => (hostname.startsWith("www.") ? hostname.slice(4) : hostname);

/**
 * A path pattern: `*` stands for anything; what it says must be the start of path and query. Leftmost matches of the pieces
 * are enough, and no pattern takes long: as a regular expression, one of many stars would.
 */
function compile(pattern: string): (path: string) => boolean {
  const [first = "", ...rest] = pattern.split(/\*+/);
  return (path) => {
    if (!path.startsWith(first)) return false;
    let at = first.length;
    for (const piece of rest) {
      const found = path.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return true;
  };
}

/**
 * http and https, with and without "www.", are one site: the address that people see decides, and what differs shows as
 * redirects and duplicates.
 */
export function createScope(siteOrigin: string, options: Pick<AuditOptions, "include" | "exclude" | "subdomains">) {
  const site = new URL(siteOrigin);
  const host = bareHost(site.hostname);
  const include = options.include.map(compile);
  const exclude = options.exclude.map(compile);

  const isSite = (url: URL): boolean => {
    if (url.port !== site.port) return false;
    const other = bareHost(url.hostname);
    return other === host || (options.subdomains && other.endsWith(`.${host}`));
  };

  return {
    isSite,
    judge(url: URL): ScopeVerdict {
      if (!isSite(url)) return "external";
      const path = url.pathname + url.search;
      if (exclude.some((matches) => matches(path))) return "out_of_scope";
      if (include.length > 0 && !include.some((matches) => matches(path))) return "out_of_scope";
      return "page";
    },
  };
}
export type Scope = ReturnType<typeof createScope>;
