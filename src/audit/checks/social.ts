import type { PageCheck } from "./check.ts";
import { clip, indexableHtml } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";

const REQUIRED = ["title", "type", "image", "url"] as const;

export const socialChecks: PageCheck[] = [
  {
    id: "social.og",
    severity: "notice",
    title: "Shared links have no good preview",
    why: "Social networks and messengers make the preview of a shared link from these tags.",
    fix: "Give og:title, og:type, og:image and og:url, the image with its full address.",
    source: REFERENCE.openGraph,
    page: (view) => {
      const og = indexableHtml(view)?.openGraph;
      if (og === undefined) return null;
      const image = og.image || og["image:url"] || og["image:secure_url"];
      const missing = REQUIRED.filter((name) => (name === "image" ? !image : !og[name]));
      if (missing.length > 0) {
        const names = missing.map((name) => `og:${name}`).join(", ");
        return {
          evidence: {
            message: `Missing: ${names}.`,
            measured: REQUIRED.length - missing.length,
            limit: REQUIRED.length,
            found: names,
          },
        };
      }
      if (image !== undefined && !/^https?:\/\//i.test(image)) {
        return { evidence: { message: `og:image is no full address: ${clip(image)}.`, found: clip(image, 300) } };
      }
      return null;
    },
  },
];
