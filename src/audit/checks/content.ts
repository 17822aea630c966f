import type { PageCheck } from "./check.ts";
import { clip, contentHtml, counted, indexableHtml, jsShellEvidence } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";

const MIN_WORDS = 150;

export const contentChecks: PageCheck[] = [
  {
    id: "content.thin",
    severity: "warning",
    title: "Page has little text of its own",
    why: "With few words there is little that it could be found for.",
    fix: "Say more about its subject, join it with a related page, or mark it noindex if it is only a tool.",
    source: null,
    page: (view) => {
      const html = contentHtml(view);
      if (html === null || html.truncated || html.wordCount >= MIN_WORDS) return null;
      return {
        evidence: {
          message: `${counted(html.wordCount, "word")} of main text (fewer than ${MIN_WORDS}).`,
          measured: html.wordCount,
          limit: MIN_WORDS,
          ...(html.textStart !== "" && { found: clip(html.textStart, 200) }),
        },
      };
    },
  },
  {
    id: "content.js-shell",
    severity: "notice",
    title: "Page is empty until scripts run",
    why: "Crawlers without scripts, social networks and most assistants see nothing. Its text was not judged.",
    fix: "Render the page on the server, or ahead of time.",
    source: REFERENCE.javascript,
    page: (view) => {
      const html = indexableHtml(view);
      const reason = jsShellEvidence(view);
      if (html === null || reason === null) return null;
      return {
        evidence: {
          message: `${counted(html.bodyWordCount, "word")} in the HTML, and ${reason}.`,
          measured: html.bodyWordCount,
          limit: 50,
        },
      };
    },
  },
];
