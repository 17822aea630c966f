/** What the figures should reach. Ratios only: seconds depend on the machine. Missing one fails nothing, it is said. */
const TARGETS: Record<string, { reach: (value: number) => boolean; words: string }> = {
  audit_vs_linkinator: { reach: (value) => value >= 2.5, words: "at least 2.5 times as fast; aim 4" },
  audit_vs_bare_loop: { reach: (value) => value <= 5, words: "at most 5 times the time; aim 3" },
  slow_site_share_of_six_connections: { reach: (value) => value >= 0.9, words: "at least 0.9" },
  cost_growth_500_to_5000: { reach: (value) => value <= 1.2, words: "at most 1.2" },
  d1_rows_written_per_page: { reach: (value) => value <= 8, words: "at most 8" },
};

/** "reached (at least 2.5 ...)" or "MISSED (...)"; empty for figures that have no target. */
export function targetOf(name: string, value: number): string {
  const target = TARGETS[name];
  return target === undefined ? "" : `${target.reach(value) ? "reached" : "MISSED"} (${target.words})`;
}
