/** What meta robots and X-Robots-Tag together mean for Googlebot. Most restrictive wins. */
export interface RobotsDirectives {
  noindex: boolean;
  nofollow: boolean;
  /** Where noindex comes from: "meta" or "header", with the text as found. */
  noindexFrom: { where: "meta" | "header"; found: string } | null;
  nofollowFrom: { where: "meta" | "header"; found: string } | null;
  /** Meta and header, both present, say different things about indexing. */
  conflict: string | null;
  unavailableAfter: string | null;
}
