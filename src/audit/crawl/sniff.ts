/** Is this a web page? By its Content-Type; where there is none, by its beginning. */
import { parseContentType } from "./content-type.ts";

/** True for text/html and application/xhtml+xml. */
export function isHtmlContentType(header: string | null): boolean {
  const { essence } = parseContentType(header);
  return essence === "text/html" || essence === "application/xhtml+xml";
}

const HTML_TAG =
  /^<\/?(?:html|head|body|title|meta|link|base|script|style|noscript|template|iframe|h[1-6]|div|p|br|a|b|i|em|strong|span|font|center|table|tr|td|th|ul|ol|li|dl|main|nav|header|footer|section|article|aside|form|input|button|img|picture|video|frameset|hr|pre|blockquote)(?=[\s/>])/i;

/** What browsers call a binary data byte, as far as a decoder leaves it (https://mimesniff.spec.whatwg.org/). */
// oxlint-disable-next-line no-control-regex
const BINARY = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/;

/**
 * Does decoded text that came without a Content-Type begin like HTML? Looks at 1,024 characters. A document may lack
 * `<html>` and start with any element, or with text; JSON, feeds, SVG and binary data do not count.
 */
export function looksLikeHtml(text: string): boolean {
  const start = text.slice(0, 1_024);
  if (BINARY.test(start) || /^\s*(?:%PDF-|%!PS|[{[])/.test(start)) return false;
  if (/^\s*<!doctype\s+html/i.test(start)) return true;
  // Comments, declarations and processing instructions say nothing; the first element does.
  const rest = start.replace(/^(?:\s+|<!--[\s\S]*?-->|<![^>]*>|<\?[^>]*>)+/, "");
  if (rest.startsWith("<")) return HTML_TAG.test(rest);
  return [...rest.matchAll(/<\/?[a-z][a-z0-9]*/gi)].some((tag) => HTML_TAG.test(rest.slice(tag.index)));
}
