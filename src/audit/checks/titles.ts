import type { PageCheck } from "./check.ts";
import { clip, contentHtml, counted } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";
import { lengthOf, titleWidth } from "./text-length.ts";

const MIN_TITLE = 10;
const MAX_TITLE_PX = 600;
const MIN_DESCRIPTION = 70;
const MAX_DESCRIPTION = 160;

export const titleChecks: PageCheck[] = [
  {
    id: "title.missing",
    severity: "error",
    title: "Page has no title",
    why: "The title is the line that people click in search results, in tabs and in bookmarks.",
    fix: "Give the page a <title> in its head that says what it is about.",
    source: REFERENCE.titleLink,
    page: (view) => {
      const html = contentHtml(view);
      if (html === null || html.titles.some((title) => title !== "")) return null;
      // What ended the head too early is reported itself.
      if (html.headBrokenBy?.lost.includes("title")) return null;
      if (html.titles.length > 0) return { evidence: { message: "The title is empty.", found: "<title></title>" } };
      const stray = html.titlesOutsideHead;
      const message =
        stray > 0 ? `No title in the head; ${counted(stray, "title")} outside of it.` : "No title in the head.";
      return { evidence: { message } };
    },
  },
  {
    id: "title.multiple",
    severity: "warning",
    title: "Page has several titles",
    why: "Browsers use the first; search engines may mix them up.",
    fix: "Keep one <title>; look for a plugin that adds a second.",
    source: REFERENCE.htmlTitle,
    page: (view) => {
      const html = contentHtml(view);
      if (html === null || html.titles.length < 2) return null;
      const found = html.titles.slice(0, 3).map((title) => `<title>${clip(title, 80)}</title>`);
      return {
        evidence: {
          message: `${html.titles.length} titles in the head (limit 1).`,
          measured: html.titles.length,
          limit: 1,
          found: found.join(" "),
        },
      };
    },
  },
  {
    id: "title.length",
    severity: "notice",
    title: "Title is very short or very long",
    why: "A very short one says little; a long one is cut in results. Google states no limit.",
    fix: "Say in a few words what this page is, the most telling ones first.",
    source: REFERENCE.titleLink,
    page: (view) => {
      const title = contentHtml(view)?.titles[0];
      if (!title) return null;
      const length = lengthOf(title);
      if (length < MIN_TITLE) {
        return {
          evidence: {
            message: `${counted(length, "character")} (fewer than ${MIN_TITLE}).`,
            measured: length,
            limit: MIN_TITLE,
            found: clip(title),
          },
        };
      }
      const width = titleWidth(title);
      if (width <= MAX_TITLE_PX) return null;
      return {
        evidence: {
          message: `About ${width} pixels wide, ${counted(length, "character")} (results show about ${MAX_TITLE_PX}).`,
          measured: width,
          limit: MAX_TITLE_PX,
          found: clip(title, 200),
        },
      };
    },
  },
  {
    id: "desc.missing",
    severity: "notice",
    title: "Page has no description",
    why: "Search engines then choose a piece of the page for the text under the result.",
    fix: 'Add <meta name="description"> with one or two sentences about this page.',
    source: REFERENCE.snippet,
    page: (view) => {
      const html = contentHtml(view);
      if (html === null || html.descriptions.some((text) => text !== "")) return null;
      return {
        evidence: { message: html.descriptions.length > 0 ? "The description is empty." : "No meta description." },
      };
    },
  },
  {
    id: "desc.length",
    severity: "notice",
    title: "Description is very short or very long",
    why: "A short one leaves room unused, a long one is cut. Google states no limit.",
    fix: `Between ${MIN_DESCRIPTION} and ${MAX_DESCRIPTION} characters are shown whole on most screens.`,
    source: REFERENCE.snippet,
    page: (view) => {
      const text = contentHtml(view)?.descriptions.find((description) => description !== "");
      if (text === undefined) return null;
      const length = lengthOf(text);
      if (length >= MIN_DESCRIPTION && length <= MAX_DESCRIPTION) return null;
      const limit = length < MIN_DESCRIPTION ? MIN_DESCRIPTION : MAX_DESCRIPTION;
      const word = length < MIN_DESCRIPTION ? "fewer" : "more";
      return {
        evidence: {
          message: `${counted(length, "character")} (${word} than ${limit}).`,
          measured: length,
          limit,
          found: clip(text, 300),
        },
      };
    },
  },
  {
    id: "h1.missing",
    severity: "notice",
    title: "Page has no main heading",
    why: "A main heading tells readers and screen readers what the page is about. Google does not require one.",
    fix: "Mark the page's main heading as <h1>.",
    source: REFERENCE.htmlHeadings,
    page: (view) => {
      const html = contentHtml(view);
      return html === null || html.h1s.length > 0
        ? null
        : { evidence: { message: "No h1 with text.", measured: 0, limit: 1 } };
    },
  },
  {
    id: "h1.multiple",
    severity: "notice",
    title: "Page has several main headings",
    why: "HTML allows it, but then none of them says alone what the page is about.",
    fix: "Keep one <h1>; make the others <h2>.",
    source: REFERENCE.htmlHeadings,
    page: (view) => {
      const html = contentHtml(view);
      if (html === null || html.h1s.length < 2) return null;
      const found = html.h1s.slice(0, 3).map((text) => `<h1>${clip(text, 80)}</h1>`);
      return {
        evidence: {
          message: `${html.h1s.length} h1 elements.`,
          measured: html.h1s.length,
          limit: 1,
          found: found.join(" "),
        },
      };
    },
  },
];
