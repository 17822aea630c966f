/** How a link is kept in audit_pages.links: `[url id, flags, anchor text]`; flags are bits, added up. */
export const LINK = { nofollow: 1, emptyAnchor: 2, area: 4, fragment: 8, iframe: 16, external: 32 } as const;

/** How a resource is kept in audit_pages.resources: `[url id, flags]`. */
export const RESOURCE = {
  image: 1,
  script: 2,
  style: 4,
  iframe: 8,
  media: 16,
  font: 32,
  other: 64,
  noAlt: 128,
  noSize: 256,
} as const;
