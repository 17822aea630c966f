import type { PageCheck } from "./check.ts";
import { clip, counted, shownHtml } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";

const listed = (urls: string[]): string =>
  urls
    .slice(0, 3)
    .map((url) => clip(url, 150))
    .join(" ");

export const imageChecks: PageCheck[] = [
  {
    id: "img.alt",
    severity: "warning",
    title: "Images have no alt attribute",
    why: "Who cannot see the image, a search engine among them, learns nothing of it.",
    fix: 'Describe the image in alt; write alt="" if it only decorates.',
    source: REFERENCE.images,
    page: (view) => {
      const bare = shownHtml(view)?.images.filter(({ alt }) => alt === null) ?? [];
      if (bare.length === 0) return null;
      return {
        evidence: {
          message: `${counted(bare.length, "image")} without alt.`,
          measured: bare.length,
          limit: 0,
          found: listed(bare.map(({ url }) => url)),
        },
      };
    },
  },
  {
    id: "img.dims",
    severity: "notice",
    title: "Images do not say how large they are",
    why: "The text jumps when an image arrives whose place was not kept free.",
    fix: "Give width and height, or an aspect-ratio in CSS.",
    source: REFERENCE.htmlImageSize,
    page: (view) => {
      const loose = shownHtml(view)?.images.filter(({ hasSize }) => !hasSize) ?? [];
      if (loose.length === 0) return null;
      return {
        evidence: {
          message: `${counted(loose.length, "image")} without width and height.`,
          measured: loose.length,
          limit: 0,
          found: listed(loose.map(({ url }) => url)),
        },
      };
    },
  },
];
