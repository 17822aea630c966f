import type { PageCheck } from "./check.ts";
import { clip, shownHtml } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";

export const headChecks: PageCheck[] = [
  {
    id: "head.broken",
    severity: "error",
    title: "Something in the head ends it too early",
    why: "An element that does not belong there ends the head; search engines ignore the metadata that follows it.",
    fix: "Move the element into the body, or to the very end of the head.",
    source: REFERENCE.head,
    page: (view) => {
      const broken = shownHtml(view)?.headBrokenBy;
      if (!broken || broken.lost.length === 0) return null;
      const by = broken.tag === "#text" ? "text" : `<${clip(broken.tag, 60)}>`;
      return {
        evidence: {
          message: `The head ends at ${by}; after it come: ${broken.lost.join(", ")}.`,
          measured: broken.lost.length,
          limit: 0,
          found: by,
        },
      };
    },
  },
];
