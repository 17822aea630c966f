/** `<meta>` and `<link>`: what a page says about itself to browsers and search engines. */
import type { ElementContext } from "./html-elements.ts";
import type { ResourceKind } from "./html-facts.ts";
import { relTokens } from "./html-urls.ts";

/** "robots" speaks to all crawlers, "googlebot" and its like to one. */
const ROBOTS_NAME = /^(?:robots|[a-z0-9_-]*bot(?:-[a-z]+)?|slurp|yandex|baiduspider|teoma)$/;

export function readMeta({ collector, tree, attribute }: ElementContext): void {
  const content = attribute("content");
  if (content === null) return;
  const name = attribute("name")?.trim().toLowerCase() ?? "";
  const property = (attribute("property")?.trim() || name).toLowerCase();
  if (property.startsWith("og:")) collector.openGraph(property.slice(3), content);
  const equiv = attribute("http-equiv")?.trim().toLowerCase();
  if (equiv === "refresh") collector.refresh(content);
  else if (equiv === "content-security-policy") collector.contentSecurityPolicy(content);

  if (name === "description") collector.description(content);
  else if (name === "viewport") collector.viewport(content);
  else if (name === "referrer") collector.referrerPolicy(content);
  else if (ROBOTS_NAME.test(name)) {
    collector.robots(name, content, tree.inHead());
    if (tree.isLostToHead()) collector.lost("robots");
  }
}

export function readLink({ collector, tree, attribute }: ElementContext): void {
  const rel = attribute("rel");
  if (rel === null) return;
  const tokens = relTokens(rel);
  const href = attribute("href");
  if (tokens.includes("canonical")) {
    // With one of these attributes it names another version, and Google does not take it for the canonical address.
    const isAnother = attribute("hreflang") !== null || attribute("media") !== null || attribute("type") !== null;
    if (!isAnother) {
      collector.canonical(href ?? "", tree.inHead());
      if (tree.isLostToHead()) collector.lost("canonical");
    }
    return;
  }
  if (href === null) return;
  const hreflang = attribute("hreflang");
  if (tokens.includes("alternate") && hreflang !== null) {
    collector.hreflang(hreflang, href, tree.inHead());
    if (tree.isLostToHead()) collector.lost("hreflang");
    return;
  }
  const kind = loadedBy(tokens, attribute("as"));
  // An alternate or disabled style is not loaded until somebody asks for it.
  const isIdle = attribute("disabled") !== null || tokens.includes("alternate");
  if (kind !== null && !isIdle) collector.resource(href, kind);
}

/** What a browser loads because of the link; null when it loads nothing (preconnect, prefetch, next, ...). */
function loadedBy(tokens: string[], as: string | null): ResourceKind | null {
  if (tokens.includes("stylesheet")) return "style";
  if (tokens.includes("modulepreload")) return "script";
  if (tokens.includes("icon") || tokens.includes("apple-touch-icon") || tokens.includes("mask-icon")) return "image";
  if (tokens.includes("manifest")) return "other";
  if (!tokens.includes("preload")) return null;
  switch (as?.trim().toLowerCase() ?? "") {
    case "style":
      return "style";
    case "script":
      return "script";
    case "font":
      return "font";
    case "image":
      return "image";
    case "audio":
    case "video":
    case "track":
      return "media";
    default:
      return "other";
  }
}
