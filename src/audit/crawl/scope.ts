/** Which addresses belong to the audited site, and which of them this audit wants. */
import type { AuditOptions } from "../audit-options.ts";

export type ScopeVerdict = "page" | "external" | "out_of_scope";

const bareHost = (hostname: string): string => (hostname.startsWith("www.") ? hostname.slice(4) : hostname);

/** A path pattern: `*` stands for anything; without one it must be the start of path and query. */
function compile(pattern: string): RegExp {
  const escaped = pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${escaped}`);
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
      if (exclude.some((pattern) => pattern.test(path))) return "out_of_scope";
      if (include.length > 0 && !include.some((pattern) => pattern.test(path))) return "out_of_scope";
      return "page";
    },
  };
}
export type Scope = ReturnType<typeof createScope>;
