import { parseUnavailableAfter } from "../crawl/robots-directives.ts";
import type { PageCheck, PageView } from "./check.ts";
import { clip, counted, indexableHtml, isOwnAddress, shownHtml } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";

const WHERE = { meta: "a robots meta", header: "the X-Robots-Tag header" } as const;
/** Words that a crawler does anyway when nothing is said. */
const HARMLESS = /^(?:all|index|follow|max-(?:snippet|image-preview|video-preview)\s*:.*)$/i;

const answered = ({ fetched }: PageView): boolean =>
  fetched.finalStatus === 200 && fetched.hops.length === 0 && fetched.failure === null && fetched.botWall === null;

export const indexingChecks: PageCheck[] = [
  {
    id: "index.noindex",
    severity: "notice",
    title: "Page asks not to be indexed",
    why: "Search engines leave it out. That is right for carts and search results, and a loss for everything else.",
    fix: "If the page should be found, remove noindex from it.",
    source: REFERENCE.robotsMeta,
    page: (view) => {
      const from = view.robots.noindexFrom;
      if (!view.robots.noindex || from === null || !answered(view)) return null;
      return {
        evidence: {
          message: `${WHERE[from.where]} says it: ${clip(from.found)}`.replace(/^./, (c) => c.toUpperCase()),
          found: clip(from.found, 300),
        },
      };
    },
  },
  {
    id: "index.conflict",
    severity: "warning",
    title: "Robots meta and header contradict each other",
    why: "The more restrictive one wins, which may not be the one that was meant.",
    fix: "Say it in one place only.",
    source: REFERENCE.robotsMeta,
    page: (view) => {
      const { conflict } = view.robots;
      return conflict === null || !answered(view) ? null : { evidence: { message: clip(conflict, 400) } };
    },
  },
  {
    id: "index.unavailable-after",
    severity: "warning",
    title: "unavailable_after is past or unreadable",
    why: "A date in the past takes the page out of search; one that cannot be read does nothing.",
    fix: "Remove it, or give a date to come in ISO 8601: unavailable_after: 2030-12-31.",
    source: REFERENCE.robotsMeta,
    page: (view) => {
      const date = view.robots.unavailableAfter;
      if (date === null || !answered(view)) return null;
      if (parseUnavailableAfter(date) === null) {
        return { evidence: { message: `The date "${clip(date)}" cannot be read.`, found: clip(date) } };
      }
      // Whoever read the directives knows the time, and has made a noindex of a date that is past.
      const isPast = view.robots.noindexFrom?.found.toLowerCase().includes("unavailable_after") === true;
      return isPast
        ? { evidence: { message: `The date "${clip(date)}" is past: the page is dropped.`, found: clip(date) } }
        : null;
    },
  },
  {
    id: "index.nofollow-page",
    severity: "warning",
    title: "Page forbids search engines to follow its links",
    why: "The pages behind its links may not be found, and gain nothing from this page.",
    fix: "Remove nofollow (or none) from the robots meta or header.",
    source: REFERENCE.robotsMeta,
    page: (view) => {
      const html = indexableHtml(view);
      const from = view.robots.nofollowFrom;
      if (html === null || !view.robots.nofollow || from === null) return null;
      const links = html.links.filter(
        ({ kind, url }) => kind !== "iframe" && isOwnAddress(url, view.siteOrigin),
      ).length;
      if (links === 0) return null;
      return {
        evidence: {
          message: `${clip(from.found)} covers ${counted(links, "internal link")}.`,
          measured: links,
          limit: 0,
          found: clip(from.found, 300),
        },
      };
    },
  },
  {
    id: "index.meta-in-body",
    severity: "warning",
    title: "Robots meta stands outside the head",
    why: "Search engines read metadata in the head only; there it may not be obeyed.",
    fix: "Move it into <head>, or send an X-Robots-Tag header.",
    source: REFERENCE.head,
    page: (view) => {
      const html = shownHtml(view);
      if (html === null || html.headBrokenBy?.lost.includes("robots")) return null;
      const mine = html.robotsMetas.filter(({ name }) => name === "robots" || name === "googlebot");
      if (mine.some(({ inHead }) => inHead)) return null;
      const stray = mine.find(({ content }) =>
        content.split(",").some((word) => word.trim() !== "" && !HARMLESS.test(word.trim())),
      );
      if (stray === undefined) return null;
      const tag = `<meta name="${stray.name}" content="${clip(stray.content)}">`;
      return { evidence: { message: `${tag} stands in the body, and none in the head.`, found: tag } };
    },
  },
];
