import type { PageCheck } from "./check.ts";
import { REFERENCE } from "./references.ts";

/** Bytes, decoded. */
const MAX_HTML = 2_000_000;

export const performanceChecks: PageCheck[] = [
  {
    id: "perf.weight",
    severity: "notice",
    title: "HTML is very large",
    why: "It must be loaded and read before anything is shown; Google reads only the first megabytes.",
    fix: "Move data out of the HTML, split long lists into pages, and look for embedded images.",
    source: REFERENCE.weight,
    page: ({ html, fetched }) => {
      const bytes = fetched.bytes ?? 0;
      if (html === null || bytes <= MAX_HTML) return null;
      const more = fetched.truncated || html.truncated ? "at least " : "";
      return {
        evidence: {
          message: `The HTML has ${more}${(bytes / 1_000_000).toFixed(1)} MB (limit 2).`,
          measured: bytes,
          limit: MAX_HTML,
        },
      };
    },
  },
];
