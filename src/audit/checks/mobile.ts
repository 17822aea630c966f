import type { PageCheck } from "./check.ts";
import { languageTagFault } from "./language-tags.ts";
import { clip, shownHtml } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";

const FITS = /(?:^|[,;\s])width\s*=\s*["']?device-width/i;

export const mobileChecks: PageCheck[] = [
  {
    id: "mobile.viewport",
    severity: "warning",
    title: "Page does not fit itself to phones",
    why: "Without a viewport phones show it as on a desk, small and to be scrolled sideways.",
    fix: 'Add <meta name="viewport" content="width=device-width, initial-scale=1">.',
    source: REFERENCE.htmlViewport,
    page: (view) => {
      const html = shownHtml(view);
      if (html === null || (html.viewport !== null && FITS.test(html.viewport))) return null;
      if (html.viewport === null) return { evidence: { message: "No viewport meta." } };
      const found = `<meta name="viewport" content="${clip(html.viewport)}">`;
      return { evidence: { message: "The viewport does not say width=device-width.", found } };
    },
  },
  {
    id: "html.lang",
    severity: "notice",
    title: "Page does not say its language",
    why: "Screen readers need it to speak, browsers to offer a translation.",
    fix: 'Write it on the html element, for example <html lang="en">.',
    source: REFERENCE.htmlLang,
    page: (view) => {
      const html = shownHtml(view);
      if (html === null) return null;
      const lang = html.lang?.trim() ?? "";
      if (lang === "")
        return { evidence: { message: html.lang === null ? "No lang attribute." : "The lang attribute is empty." } };
      const fault = languageTagFault(lang);
      return fault === null
        ? null
        : { evidence: { message: `lang="${clip(lang, 60)}" ${fault}.`, found: `<html lang="${clip(lang, 60)}">` } };
    },
  },
];
