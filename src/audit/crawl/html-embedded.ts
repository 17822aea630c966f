/** Elements that load something or send something: images, media, scripts, frames, forms, and areas of an image map. */
import type { ElementContext } from "./html-elements.ts";
import type { Tag } from "./html-tags.ts";
import type { AttributeName } from "./html-tokens.ts";
import { parseSrcset, relTokens } from "./html-urls.ts";

type Attribute = (name: AttributeName) => string | null;

/** A script of another type is data, or waits for a script (consent managers): the browser does not load it. */
const RUNS = /^\s*(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)\s*(?:;|$)/i;

const PIXEL = new Set(["0", "1", "0px", "1px"]);

/** A picture that is nothing to look at: a counting pixel, or hidden. */
function isInvisible(attribute: Attribute): boolean {
  const width = attribute("width")?.trim();
  const height = attribute("height")?.trim();
  if (width !== undefined && height !== undefined && PIXEL.has(width) && PIXEL.has(height)) return true;
  return attribute("hidden") !== null || /display\s*:\s*none/i.test(attribute("style") ?? "");
}

/** alt, or null when it is absent although the picture is not decoration. */
function altOf(attribute: Attribute): string | null {
  const alt = attribute("alt");
  if (alt !== null) return alt;
  const role = attribute("role")?.trim().toLowerCase();
  const isDecoration = role === "presentation" || role === "none" || attribute("aria-hidden")?.trim() === "true";
  if (isDecoration || isInvisible(attribute)) return "";
  return attribute("aria-label") || (attribute("aria-labelledby") === null ? null : "");
}

function hasSize(attribute: Attribute): boolean {
  if (attribute("width") && attribute("height")) return true;
  const style = attribute("style") ?? "";
  return (
    /aspect-ratio\s*:/i.test(style) || (/(?:^|[;\s])width\s*:/i.test(style) && /(?:^|[;\s])height\s*:/i.test(style))
  );
}

const isInline = (src: string): boolean => /^\s*(?:data|blob|about|javascript):/i.test(src);

/** Where the picture itself is: scripts that load late keep it in another attribute, with a placeholder in src. */
function sourceOf(attribute: Attribute): string | null {
  const src = attribute("src")?.trim();
  if (src && !isInline(src)) return src;
  const late = attribute("data-src") || attribute("data-lazy-src") || attribute("data-original");
  // A template that a script fills in is no address.
  return late && !isInline(late) && !/[{}]/.test(late) ? late : null;
}

function readSrcset(srcset: string | null, { collector }: ElementContext): void {
  if (srcset === null) return;
  for (const { url } of parseSrcset(srcset)) if (!isInline(url)) collector.image(url, "", true, true);
}

function readImage(context: ElementContext): void {
  const { collector, attribute, label } = context;
  const alt = altOf(attribute);
  const source = sourceOf(attribute);
  if (source !== null) collector.image(source, alt, hasSize(attribute), false);
  readSrcset(attribute("srcset"), context);
  if (alt) label(alt);
}

export function readEmbedded(tag: Tag, context: ElementContext): void {
  const { collector, attribute } = context;
  const load = (name: AttributeName, kind: "script" | "iframe" | "media" | "image" | "other") => {
    const src = attribute(name);
    if (src !== null && src.trim() !== "" && !isInline(src)) collector.resource(src, kind);
  };
  switch (tag.name) {
    case "img":
      readImage(context);
      break;
    case "source":
      load("src", "media");
      readSrcset(attribute("srcset"), context);
      break;
    case "script":
      if (RUNS.test(attribute("type") ?? "")) load("src", "script");
      break;
    case "iframe":
    case "frame": {
      load("src", "iframe");
      const src = attribute("src");
      if (src !== null && src.trim() !== "" && !isInline(src)) {
        collector.link({ href: src, anchor: "", nofollow: false, empty: false, kind: "iframe" });
      }
      break;
    }
    case "video":
      load("src", "media");
      load("poster", "image");
      break;
    case "audio":
      load("src", "media");
      break;
    case "track":
    case "embed":
      load("src", "other");
      break;
    case "object":
      load("data", "other");
      break;
    case "image":
      load(attribute("href") === null ? "xlink:href" : "href", "image");
      break;
    case "body":
      load("background", "image");
      break;
    case "input":
      if (attribute("type")?.trim().toLowerCase() === "image") {
        load("src", "image");
        if (attribute("formaction") !== null) collector.form(attribute("formaction")!);
      }
      break;
    case "button":
      if (attribute("formaction") !== null) collector.form(attribute("formaction")!);
      break;
    case "form":
      collector.form(attribute("action") ?? "");
      break;
    case "area": {
      const href = attribute("href");
      if (href === null || isInline(href)) break;
      const name = attribute("alt")?.trim() || attribute("aria-label")?.trim() || "";
      const nofollow = relTokens(attribute("rel") ?? "").includes("nofollow");
      collector.link({ href, anchor: name.slice(0, 200), nofollow, empty: name === "", kind: "area" });
      break;
    }
    default:
  }
}
