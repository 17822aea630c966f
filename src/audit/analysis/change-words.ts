/** What becomes of an issue between two audits of a site. */
export const CHANGES = ["new", "fixed", "still", "not_seen"] as const;
export type Change = (typeof CHANGES)[number];
