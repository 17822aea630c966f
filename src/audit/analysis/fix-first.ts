/**
 * The ten things to do first: what is worse comes first, then what mends more pages. Findings about one address that
 * many pages lead to are one thing each; findings about pages are one thing a check.
 */
import type { Severity } from "../../storage/schema.ts";
import type { Check } from "../checks/check.ts";

export const FIX_FIRST = 10;
/** Things of one check, so that a list of dead links leaves room for the rest. */
const OF_ONE_CHECK = 3;
const EXAMPLES = 3;
/** Checks whose issue is about a target, mended at its sources. */
const ONE_THING_EACH = new Set([
  "link.broken-internal",
  "link.broken-external",
  "img.broken",
  "img.size",
  "hreflang.target",
  "robots.blocks-linked",
  "title.duplicate",
  "desc.duplicate",
  "content.duplicate",
  "content.near-dup",
  "perf.ttfb",
]);

export interface FixableIssue {
  check: string;
  severity: Severity;
  /** 0 and below: the site as a whole. */
  urlId: number;
  message: string;
  /** Pages that lead to the address, where the check knows them. */
  sourceCount: number | null;
  /** Members of a cluster. */
  memberCount: number | null;
  /** Url ids of pages that lead there, or of members of the cluster: a few. */
  places: readonly number[];
}

export interface Fix {
  check: string;
  severity: Severity;
  title: string;
  /** How many pages it mends. */
  pages: number;
  /** Url ids of where to begin; 0 and below: the site as a whole. */
  examples: number[];
  fix: string;
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, notice: 2 };

/** Gathers issues as they are read, one after the other, and keeps only what the list needs. */
export class FixFirst {
  readonly #checks: ReadonlyMap<string, Check>;
  readonly #byCheck = new Map<string, { severity: Severity; pages: number; examples: number[]; message: string }>();
  readonly #single = new Map<string, Fix[]>();
  /** Missing pages that have been named: the sitemap's entry for one is mended with it. */
  readonly #missing = new Set<number>();

  constructor(checks: readonly Check[]) {
    this.#checks = new Map(checks.map((check) => [check.id, check]));
  }

  /** Issues of link.broken-internal must come before those of http.4xx, and these before those of sitemap.bad-url. */
  add(issue: FixableIssue): void {
    const { check, severity, urlId, message } = issue;
    if (check === "sitemap.bad-url" || check === "http.4xx") if (this.#missing.has(urlId)) return;
    if (check === "link.broken-internal" || check === "http.4xx") this.#missing.add(urlId);
    if (ONE_THING_EACH.has(check)) {
      const pages = issue.memberCount ?? issue.sourceCount ?? 1;
      const examples = issue.places.length > 0 ? issue.places.slice(0, EXAMPLES) : [urlId];
      this.#addSingle({ check, severity, title: message, pages, examples, fix: this.#fixOf(check) });
      return;
    }
    const key = `${check} ${severity}`;
    const known = this.#byCheck.get(key);
    const pages = urlId <= 0 ? (issue.memberCount ?? 1) : 1;
    if (known === undefined) this.#byCheck.set(key, { severity, pages, examples: [urlId], message });
    else {
      known.pages += pages;
      if (known.examples.length < EXAMPLES) known.examples.push(urlId);
    }
  }

  #addSingle(fix: Fix): void {
    const key = `${fix.check} ${fix.severity}`;
    const list = this.#single.get(key) ?? [];
    list.push(fix);
    list.sort((a, b) => b.pages - a.pages);
    this.#single.set(key, list.slice(0, OF_ONE_CHECK));
  }

  #fixOf(check: string): string {
    return this.#checks.get(check)?.fix ?? "";
  }

  list(): Fix[] {
    const grouped = [...this.#byCheck].map(([key, { severity, pages, examples, message }]): Fix => {
      const check = key.split(" ", 1)[0]!;
      const words = this.#checks.get(check)?.title ?? check;
      return {
        check,
        severity,
        title: pages > 1 ? `${words} (${pages} pages)` : message,
        pages,
        examples,
        fix: this.#fixOf(check),
      };
    });
    return [...grouped, ...[...this.#single.values()].flat()]
      .toSorted((a, b) => RANK[a.severity] - RANK[b.severity] || b.pages - a.pages || a.check.localeCompare(b.check))
      .slice(0, FIX_FIRST);
  }
}
