/**
 * link.fragment: links that promise a place in a page, `#id`, where no element has that id. HTML looks for the fragment
 * as it is written and then decoded ("indicated part"); the comparison minds upper and lower case.
 */
import type { PageExtras } from "../crawl/page-extras.ts";
import { type FoundIssue } from "./found-issue.ts";
import { type LinkSample, SAMPLE_SIZE } from "./samples.ts";

/** From that many anchors on, the list of a page may be cut and proves nothing. */
const ANCHORS_KEPT = 2_000;
/** Pairs of page and fragment that are looked into; menus and tables of contents repeat theirs. */
const PAIRS_KEPT = 100_000;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** False for what needs no element: empty, `#top`, text fragments, routes of applications. */
export function namesElement(fragment: string): boolean {
  if (fragment === "" || fragment.toLowerCase() === "top") return false;
  return !fragment.includes(":~:") && !fragment.startsWith("!") && !fragment.startsWith("/");
}

/** Whether an element is there; null when the page's list of anchors cannot tell. */
export function hasElement(extras: PageExtras, fragment: string): boolean | null {
  const anchors = extras.anchors ?? [];
  if (anchors.length >= ANCHORS_KEPT || extras.jsShell) return null;
  const plain = decoded(fragment);
  // GitHub and others put a prefix before ids of user content and take it off by script.
  return anchors.some((anchor) => anchor === fragment || anchor === plain || anchor === `user-content-${plain}`);
}

interface Pointing {
  count: number;
  sample: LinkSample;
}

/** Collects who points where; the pages pointed at are looked up at the end. */
export class FragmentLinks {
  readonly #byTarget = new Map<number, Map<string, Pointing>>();
  #pairs = 0;

  /** `extras` as stored. Links within the page are answered at once and kept only when they fail. */
  add(urlId: number, extras: string): void {
    const own: PageExtras = JSON.parse(extras);
    const seen = new Set<string>();
    for (const [target, fragment] of own.fragments ?? []) {
      if (!namesElement(fragment) || seen.has(`${target}#${fragment}`)) continue;
      seen.add(`${target}#${fragment}`);
      if (target === urlId && hasElement(own, fragment) !== false) continue;
      this.#point(urlId, target, fragment);
    }
  }

  #point(source: number, target: number, fragment: string): void {
    let fragments = this.#byTarget.get(target);
    if (fragments === undefined) this.#byTarget.set(target, (fragments = new Map()));
    let pointing = fragments.get(fragment);
    if (pointing === undefined) {
      if (this.#pairs >= PAIRS_KEPT) return;
      this.#pairs += 1;
      fragments.set(fragment, (pointing = { count: 0, sample: [] }));
    }
    pointing.count += 1;
    if (pointing.sample.length < SAMPLE_SIZE) pointing.sample.push([source, `#${fragment.slice(0, 80)}`]);
  }

  /** The pages that must be looked up. */
  targets(): number[] {
    return [...this.#byTarget.keys()];
  }

  /** The issue of one page that was pointed at, or null. `path` is how it is shown. */
  judge(urlId: number, path: string, extras: PageExtras): FoundIssue | null {
    const missing = [...(this.#byTarget.get(urlId) ?? [])].filter(
      ([fragment]) => hasElement(extras, fragment) === false,
    );
    if (missing.length === 0) return null;
    const count = missing.reduce((sum, [, pointing]) => sum + pointing.count, 0);
    const names = missing.slice(0, 3).map(([fragment]) => `#${fragment.slice(0, 60)}`);
    const more = missing.length > 3 ? ` and ${missing.length - 3} more` : "";
    return {
      checkId: "link.fragment",
      urlId,
      severity: "notice",
      evidence: {
        message: `${count === 1 ? "1 link points" : `${count} links point`} into ${path} at ${names.join(", ")}${more}, where no element has that id`,
        measured: missing.length,
        limit: 0,
      },
      sources: missing.flatMap(([, pointing]) => pointing.sample).slice(0, SAMPLE_SIZE),
      sourceCount: count,
    };
  }
}
