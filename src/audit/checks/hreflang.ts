import type { HtmlFacts } from "../crawl/html-facts.ts";
import { dedupeKey } from "../crawl/url.ts";
import type { PageCheck, PageView } from "./check.ts";
import { effectiveCanonical, isSameAddress } from "./indexability.ts";
import { hreflangFault } from "./language-tags.ts";
import { clip, counted, indexableHtml, shownHtml } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";

type Alternate = HtmlFacts["hreflangs"][number];

const LANGUAGES_THAT_NEED_DEFAULT = 3;
const HAS_SCHEME = /^https?:\/\//i;

/** Those in the body are not read by search engines. */
const alternatesOf = (html: HtmlFacts | null): Alternate[] => html?.hreflangs.filter(({ inHead }) => inHead) ?? [];

const shown = ({ lang, href }: Alternate): string =>
  `<link rel="alternate" hreflang="${clip(lang, 40)}" href="${clip(href, 160)}">`;

const codeOf = ({ lang }: Alternate): string => lang.trim().toLowerCase();

function keyOf({ url, href }: Alternate): string {
  const parsed = url === null ? null : URL.parse(url);
  return parsed === null ? href : dedupeKey(parsed);
}

/** Two entries that contradict each other, and in which way. */
function contradiction(alternates: Alternate[]): { one: Alternate; other: Alternate; words: string } | null {
  const byCode = new Map<string, Alternate>();
  const byUrl = new Map<string, Alternate>();
  for (const alternate of alternates) {
    const [code, key] = [codeOf(alternate), keyOf(alternate)];
    const sameCode = byCode.get(code);
    if (sameCode !== undefined && keyOf(sameCode) !== key) {
      return { one: sameCode, other: alternate, words: `"${clip(code, 40)}" leads to two addresses` };
    }
    byCode.set(code, alternate);
    if (code === "x-default") continue;
    const sameUrl = byUrl.get(key);
    if (sameUrl !== undefined && codeOf(sameUrl) !== code) {
      const words = `${clip(alternate.url ?? alternate.href)} stands for "${clip(codeOf(sameUrl), 40)}" and "${clip(code, 40)}"`;
      return { one: sameUrl, other: alternate, words };
    }
    byUrl.set(key, alternate);
  }
  return null;
}

const ownAddress = (view: PageView, html: HtmlFacts): string =>
  effectiveCanonical(html, view.fetched.finalUrl) ?? view.fetched.finalUrl;

export const hreflangChecks: PageCheck[] = [
  {
    id: "hreflang.code",
    severity: "error",
    title: "hreflang has a code that does not exist",
    why: "Google ignores the entry, so the version is not shown to the people it is for.",
    fix: "Use a language of ISO 639-1, if need be with a country of ISO 3166-1: en, en-GB, zh-Hant-TW.",
    source: REFERENCE.hreflang,
    page: (view) => {
      const faulty = alternatesOf(shownHtml(view)).filter(({ lang }) => hreflangFault(lang) !== null);
      const first = faulty[0];
      if (first === undefined) return null;
      const more =
        faulty.length > 1 ? ` ${counted(faulty.length - 1, "other entry is", "other entries are")} wrong too.` : "";
      return {
        evidence: {
          message: `"${clip(first.lang, 40)}" ${hreflangFault(first.lang)}.${more}`,
          measured: faulty.length,
          limit: 0,
          found: shown(first),
        },
      };
    },
  },
  {
    id: "hreflang.relative",
    severity: "error",
    title: "hreflang is not a full address",
    why: "Google asks for the full address with its protocol, and ignores others.",
    fix: "Write https:// and the host into every href.",
    source: REFERENCE.hreflang,
    page: (view) => {
      const relative = alternatesOf(shownHtml(view)).filter(({ href }) => !HAS_SCHEME.test(href.trim()));
      const first = relative[0];
      if (first === undefined) return null;
      return {
        evidence: {
          message: `${counted(relative.length, "entry", "entries")} without https://, for example "${clip(first.href)}".`,
          measured: relative.length,
          limit: 0,
          found: shown(first),
        },
      };
    },
  },
  {
    id: "hreflang.self",
    severity: "warning",
    title: "hreflang leaves out the page itself",
    why: "Each version must list itself and all the others, else the set may be ignored.",
    fix: "Add an entry for this page with its own language and canonical address.",
    source: REFERENCE.hreflang,
    page: (view) => {
      const html = indexableHtml(view);
      const alternates = alternatesOf(html);
      if (html === null || alternates.length === 0) return null;
      const own = ownAddress(view, html);
      if (alternates.some(({ url }) => url !== null && isSameAddress(url, own))) return null;
      return {
        evidence: {
          message: `None of the ${counted(alternates.length, "entry is", "entries is")} this page, ${clip(own)}.`,
          measured: alternates.length,
          found: shown(alternates[0]!),
        },
      };
    },
  },
  {
    id: "hreflang.dup",
    severity: "error",
    title: "hreflang contradicts itself",
    why: "With two addresses for one language, or two languages for one address, Google cannot tell which one is meant.",
    fix: "Keep one address for each language and one language for each address; x-default may repeat one.",
    source: REFERENCE.hreflang,
    page: (view) => {
      const found = contradiction(alternatesOf(shownHtml(view)));
      if (found === null) return null;
      return { evidence: { message: `${found.words}.`, found: `${shown(found.one)} ${shown(found.other)}` } };
    },
  },
  {
    id: "hreflang.xdefault",
    severity: "notice",
    title: "hreflang has no x-default",
    why: "Visitors whose language is not among the versions are sent to any one of them.",
    fix: 'Add hreflang="x-default" with the version, or the choice of versions, for everybody else.',
    source: REFERENCE.hreflang,
    page: (view) => {
      const codes = new Set(alternatesOf(indexableHtml(view)).map(codeOf));
      if (codes.size < LANGUAGES_THAT_NEED_DEFAULT || codes.has("x-default")) return null;
      return {
        evidence: {
          message: `${codes.size} languages and no x-default.`,
          measured: codes.size,
          limit: LANGUAGES_THAT_NEED_DEFAULT - 1,
        },
      };
    },
  },
];
