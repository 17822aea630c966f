/**
 * Where in the document the reader stands: before, in or after the head, and inside which elements. Only as much of
 * HTML's stack of open elements is kept as decides what counts.
 */
import type { Collector } from "./html-collect.ts";
import type { Tag } from "./html-tags.ts";

/** What holds at a place because of the elements around it; bits, added up. */
export const FLAG = {
  /** In svg or math, outside an integration point. */
  foreign: 1,
  /** In nav, aside, or the header or footer of the page: not main text. */
  skip: 2,
  /** In main or article: their headers and footers belong to the text. */
  article: 4,
  /** In title or desc of an svg: names the picture, is no text of the page. */
  svgText: 8,
  /** In a template: does not exist until a script copies it. */
  inert: 16,
  /** In a select: choices are no text. */
  noWords: 32,
} as const;

/** As deep as browsers nest; deeper elements are read, but no longer remembered. */
const MAX_DEPTH = 512;

export type HtmlTree = ReturnType<typeof createHtmlTree>;

export function createHtmlTree(collector: Collector) {
  const stack: Tag[] = [];
  const saved: number[] = [];
  let flags = 0;
  let place: "before" | "head" | "after" | "body" = "before";
  /** A literal `<head>` has been seen, and neither `</head>` nor `<body>` since: the author means to be in the head. */
  let meantAsHead = false;
  let leftHeadBy = "";
  let inNoscript = false;
  let noscriptForeign = 0;
  let onPop: ((depth: number) => void) | null = null;

  function pop(): void {
    const depth = stack.length;
    stack.pop();
    flags = saved.pop()!;
    onPop?.(depth);
  }

  function leaveHead(by: string): void {
    if (place === "body") return;
    if (place === "head" && meantAsHead) collector.headBroken(by);
    leftHeadBy = by;
    place = "body";
  }

  return {
    flags: () => flags,
    depth: () => stack.length,
    inBody: () => place === "body",
    /** Metadata counts here: in the head, or before the body begins, where HTML moves it into the head. */
    inHead: () => place !== "body",
    isLostToHead: () => place === "body" && meantAsHead,
    inForeignContent: () => (inNoscript ? noscriptForeign > 0 : (flags & FLAG.foreign) !== 0),
    isHidden: () => inNoscript || (flags & FLAG.inert) !== 0,
    leaveHead,
    /** Called with the depth of each remembered element that ends. */
    whenPopped(listener: (depth: number) => void) {
      onPop = listener;
    },

    /** `<html>`, `<head>`, `<body>` and every other start tag of HTML move the place. */
    enter(tag: Tag): void {
      if (place === "body") {
        if (tag.name === "body") meantAsHead = false;
        // Something before the head ended it before it began.
        if (tag.name === "head" && leftHeadBy !== "" && leftHeadBy !== "body") {
          collector.headBroken(leftHeadBy);
          meantAsHead = true;
          leftHeadBy = "";
        }
      } else if (tag.name === "head") {
        if (place === "before") {
          place = "head";
          meantAsHead = true;
        }
      } else if (tag.name === "body" || tag.name === "frameset") {
        leftHeadBy = "body";
        meantAsHead = false;
        place = "body";
      } else if (tag.metadata) {
        if (place === "before") place = "head";
      } else if (tag.name !== "html") {
        leaveHead(tag.name);
      }
    },

    /** Ends of the parts of a document. Content after `</body>` still belongs to the body. */
    endPart(name: string): void {
      if (name === "head") {
        meantAsHead = false;
        if (place === "head" || place === "before") place = "after";
      } else if (place !== "body") {
        meantAsHead = false;
        leaveHead(name);
      }
    },

    enterNoscript(): void {
      inNoscript = true;
      noscriptForeign = 0;
    },
    inNoscript: () => inNoscript,
    /** With scripts on, only its own end tag ends a noscript; svg inside is followed for the tokenizer's sake. */
    passInNoscript(name: string, isEnd: boolean): void {
      if (isEnd && name === "noscript") inNoscript = false;
      else if (name === "svg" || name === "math") noscriptForeign = Math.max(0, noscriptForeign + (isEnd ? -1 : 1));
    },

    /** Remembers an element with what holds inside of it. Returns its depth, 0 when it is nested too deep. */
    push(tag: Tag, set: number, clear = 0): number {
      if (stack.length >= MAX_DEPTH) return 0;
      stack.push(tag);
      saved.push(flags);
      flags = (flags | set) & ~clear;
      return stack.length;
    },

    /** Ends the innermost element of that name, and what was left open in it. */
    popTo(matches: (tag: Tag) => boolean): void {
      for (let at = stack.length - 1; at >= 0; at--) {
        const tag = stack[at]!;
        if (matches(tag)) {
          while (stack.length > at) pop();
          return;
        }
        if (tag.barrier) return;
      }
    },
    /** An element that cannot stand in svg or math ends them (HTML, "parsing tokens in foreign content"). */
    leaveForeignContent(): void {
      while ((flags & FLAG.foreign) !== 0 && stack.length > 0) pop();
    },
    closeAll(): void {
      while (stack.length > 0) pop();
    },
  };
}
