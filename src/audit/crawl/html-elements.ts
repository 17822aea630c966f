/** What each element means to an audit: the start and end tags of the document, one after the other. */
import type { AnchorCapture } from "./html-anchor.ts";
import type { Collector } from "./html-collect.ts";
import { readLink, readMeta } from "./html-head.ts";
import { readEmbedded } from "./html-embedded.ts";
import type { Tag } from "./html-tags.ts";
import type { AttributeName } from "./html-tokens.ts";
import { FLAG, type HtmlTree } from "./html-tree.ts";
import type { TextMeter } from "./main-text.ts";

export interface ElementContext {
  collector: Collector;
  meter: TextMeter;
  anchor: AnchorCapture;
  tree: HtmlTree;
  attribute: (name: AttributeName) => string | null;
  /** A name that is not text (alt, aria-label) of something inside a link or heading. */
  label: (text: string) => void;
}

const SKIPPED_ROLES = new Set(["navigation", "banner", "contentinfo", "complementary", "search"]);
const APP_ROOT_IDS = new Set(["root", "app", "__next", "__nuxt", "___gatsby", "svelte", "main-app", "app-root"]);
/** An app root that holds no more than "Loading ..." is empty. */
const LOADING_WORDS = 3;
const HEADING = /^h[1-6]$/;
const MAX_RAW_TEXT = 65_536;

export function createElementReader(options: Omit<ElementContext, "label">) {
  const context: ElementContext = { ...options, label };
  const { collector, meter, anchor, tree, attribute } = context;
  /** The element whose raw text is being read. */
  let raw: "title" | "json-ld" | "script" | "ignored" | null = null;
  let rawText = "";
  let titleInHead = true;
  let heading: { text: string; label: string; depth: number } | null = null;
  let inCell = false;
  let anchorIsInCell = false;
  let appRoot: { depth: number; words: number; items: number } | null = null;

  function label(text: string): void {
    anchor.label(text);
    if (heading !== null && heading.label === "") heading.label = text;
  }

  function finishHeading(): void {
    if (heading !== null) collector.h1(heading.text.trim() || heading.label);
    heading = null;
  }

  tree.whenPopped((depth) => {
    if (heading !== null && depth <= heading.depth) finishHeading();
    if (appRoot !== null && depth <= appRoot.depth) {
      meter.breakWord();
      const isEmpty = meter.bodyWords() - appRoot.words <= LOADING_WORDS && collector.visibleItems() === appRoot.items;
      if (isEmpty) collector.appRootIsEmpty();
      appRoot = null;
    }
  });

  /** A link that was opened in a table's cell ends with it (HTML, "clear the list of active formatting elements"). */
  function leaveCell(): void {
    if (anchorIsInCell) anchor.close();
    anchorIsInCell = false;
    inCell = false;
  }

  function breakBlock(): void {
    meter.breakWord();
    if (anchor.isOpen()) anchor.text(" ");
    if (heading !== null) heading.text += " ";
  }

  function beginRaw(tag: Tag): void {
    rawText = "";
    raw = "ignored";
    if (tag.name === "title") {
      raw = tree.isHidden() ? "ignored" : "title";
      titleInHead = tree.inHead();
      if (raw === "title" && tree.isLostToHead()) collector.lost("title");
    } else if (tag.name === "script" && !tree.isHidden()) {
      raw = /^\s*application\/ld\+json/i.test(attribute("type") ?? "") ? "json-ld" : "script";
    }
  }

  function endRaw(): void {
    if (raw === "title") collector.title(rawText, titleInHead);
    if (raw === "json-ld") collector.jsonLd(rawText);
    raw = null;
    rawText = "";
  }

  /** What holds inside the element, as flags to set. */
  function regionOf(tag: Tag): number {
    const role = attribute("role");
    if (role !== null && SKIPPED_ROLES.has(role.trim().toLowerCase())) return FLAG.skip;
    switch (tag.name) {
      case "nav":
      case "aside":
      case "dialog":
        return FLAG.skip;
      case "header":
      case "footer":
        return (tree.flags() & FLAG.article) === 0 ? FLAG.skip : 0;
      case "main":
      case "article":
        return FLAG.article;
      case "select":
        return FLAG.noWords;
      default:
        return 0;
    }
  }

  function openForeign(tag: Tag, selfClosing: boolean): void {
    if (!tree.isHidden()) {
      if (tag.name === "a") anchor.open(attribute, attribute("href") ?? attribute("xlink:href"));
      else if (tag.name === "image") readEmbedded(tag, context);
    }
    if (selfClosing) return;
    if (tag.name === "svg" || tag.name === "math") tree.push(tag, FLAG.foreign);
    else if (tag.name === "title" || tag.name === "desc") tree.push(tag, FLAG.svgText, FLAG.foreign);
    else if (tag.name === "style" || tag.name === "script") tree.push(tag, FLAG.inert);
    else if (tag.stacked && FOREIGN_ONLY.has(tag.name)) tree.push(tag, 0, FLAG.foreign);
  }

  function openHidden(tag: Tag, selfClosing: boolean): void {
    if (tag.rawText) beginRaw(tag);
    else if (tag.name === "svg" || tag.name === "math") {
      if (!selfClosing) tree.push(tag, FLAG.foreign);
    } else if (tag.name === "noscript") tree.enterNoscript();
    else if (tag.stacked && !FOREIGN_ONLY.has(tag.name)) tree.push(tag, 0);
  }

  function openStacked(tag: Tag): void {
    if (tag.name === "template") {
      // A declarative shadow root is shown at once.
      tree.push(tag, attribute("shadowrootmode") === null ? FLAG.inert : 0);
      return;
    }
    const isHeading = HEADING.test(tag.name);
    if (isHeading) finishHeading();
    const depth = tree.push(tag, regionOf(tag));
    if (tag.name === "h1") heading = { text: "", label: "", depth: depth || tree.depth() };
    const isRoot = tag.name === "app-root" || APP_ROOT_IDS.has(attribute("id") ?? "");
    if (isRoot && appRoot === null && depth > 0) {
      meter.breakWord();
      appRoot = { depth, words: meter.bodyWords(), items: collector.visibleItems() };
    }
  }

  function openHtml(tag: Tag, selfClosing: boolean): void {
    tree.enter(tag);
    switch (tag.name) {
      case "html": {
        const lang = attribute("lang") ?? attribute("xml:lang");
        if (lang !== null) collector.lang(lang);
        return;
      }
      case "meta":
        readMeta(context);
        return;
      case "link":
        readLink(context);
        return;
      case "base": {
        const href = attribute("href");
        if (href !== null) collector.base(href);
        return;
      }
      case "noscript":
        tree.enterNoscript();
        return;
      case "a":
        anchor.open(attribute, attribute("href"));
        anchorIsInCell = inCell;
        return;
      case "td":
      case "th":
      case "caption":
        leaveCell();
        inCell = true;
        return;
      case "svg":
      case "math":
        if (!selfClosing) tree.push(tag, FLAG.foreign);
        return;
      default:
        if (tag.name === "table") inCell = false;
        readEmbedded(tag, context);
        if (tag.stacked && !FOREIGN_ONLY.has(tag.name)) openStacked(tag);
    }
  }

  function noteNames(tag: Tag): void {
    const id = attribute("id");
    if (id !== null) collector.anchor(id);
    if (tag.name === "a") {
      const name = attribute("name");
      if (name !== null) collector.anchor(name);
    }
    if (anchor.isOpen() && tag.name !== "a") {
      const name = attribute("aria-label");
      if (name !== null) anchor.label(name);
    }
  }

  return {
    open(tag: Tag, selfClosing: boolean): void {
      if (tree.inNoscript()) {
        if (!selfClosing) tree.passInNoscript(tag.name, false);
        return;
      }
      if (tree.inForeignContent()) {
        if (!tag.breakout) {
          if (!tree.isHidden()) noteNames(tag);
          openForeign(tag, selfClosing);
          return;
        }
        tree.leaveForeignContent();
      }
      if (tree.isHidden()) {
        openHidden(tag, selfClosing);
        return;
      }
      if (!tag.inline) breakBlock();
      noteNames(tag);
      openHtml(tag, selfClosing);
      if (tag.rawText) beginRaw(tag);
    },

    close(tag: Tag): void {
      if (raw !== null) endRaw();
      else if (tree.inNoscript()) tree.passInNoscript(tag.name, true);
      else if (tag.name === "a") anchor.close();
      else if (tag.name === "head" || tag.name === "body" || tag.name === "html") tree.endPart(tag.name);
      else {
        // These two end tags make an element of their own (HTML, "in body").
        if (tag.name === "p" || tag.name === "br") {
          tree.leaveForeignContent();
          if (tag.name === "br" && !tree.isHidden()) tree.leaveHead("br");
        }
        if (!tag.inline) breakBlock();
        if (isCell(tag) || tag.name === "table") leaveCell();
        if (HEADING.test(tag.name)) tree.popTo((open) => HEADING.test(open.name));
        else if (tag.stacked || tree.inForeignContent()) tree.popTo((open) => open === tag);
      }
    },

    /** True when the text belongs to a script, a title or the like and has been dealt with. */
    takesRawText(text: string): boolean {
      if (raw === null) return false;
      if (raw === "script") collector.scriptText(text.length);
      else if (raw !== "ignored" && rawText.length < MAX_RAW_TEXT) rawText += text;
      return true;
    },

    captureText(text: string): void {
      anchor.text(text);
      if (heading !== null && heading.text.length < MAX_RAW_TEXT) heading.text += text;
    },

    end(): void {
      if (raw !== null) endRaw();
      anchor.close();
      tree.closeAll();
      finishHeading();
    },
  };
}

const isCell = ({ name }: Tag): boolean => name === "td" || name === "th" || name === "caption";
/** Elements of svg and math that hold HTML again; in HTML their names mean nothing. */
const FOREIGN_ONLY = new Set(["foreignObject", "desc", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"]);
