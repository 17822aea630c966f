/** url.quality: addresses that search engines and people handle badly, as one finding about the site. */
import { parameterOrderKey, trackingParameters } from "../crawl/url.ts";
import { type FoundIssue, MEMBERS_NAMED } from "./found-issue.ts";

/** The catalogue's limits. */
export const MAX_GOOD_LENGTH = 2_048;
export const MANY_PARAMETERS = 4;

const SESSION = /^(?:phpsessid|jsessionid|aspsessionid.*|sessionid|session_id|sid|cfid|cftoken|osid|zenid|s_id)$/i;

/** Kinds of faults, each with its words for "n addresses ...". */
const KINDS = {
  doubleSlash: "with // in the path",
  space: "with spaces",
  long: `longer than ${MAX_GOOD_LENGTH} characters`,
  session: "with a session id",
  parameters: `with ${MANY_PARAMETERS} or more parameters`,
  underscore: "with underscores in the path",
  caseTwin: "that differ from another only by upper and lower case",
  orderTwin: "that differ from another only by the order of their parameters",
} as const;
type Kind = keyof typeof KINDS;

/** What is bad about one address, seen alone. */
export function urlFaults(href: string): Kind[] {
  const url = URL.parse(href);
  if (url === null) return [];
  const faults: Kind[] = [];
  if (url.pathname.includes("//")) faults.push("doubleSlash");
  if (url.pathname.includes("%20") || url.search.includes("%20")) faults.push("space");
  if (href.length > MAX_GOOD_LENGTH) faults.push("long");
  if (trackingParameters(url).some((name) => SESSION.test(name))) faults.push("session");
  if (new Set(url.searchParams.keys()).size >= MANY_PARAMETERS) faults.push("parameters");
  if (url.pathname.includes("_")) faults.push("underscore");
  return faults;
}

/** Collects the addresses of indexable pages, and gives one finding or none. */
export class UrlQuality {
  readonly #found = new Map<Kind, { count: number; first: string; ids: number[] }>();
  readonly #byLowerCase = new Map<string, string>();
  readonly #byOrder = new Map<string, string>();
  readonly #faulty = new Set<number>();

  add(urlId: number, href: string): void {
    const faults = urlFaults(href);
    const lower = href.toLowerCase();
    if (this.#isTwin(this.#byLowerCase, lower, href)) faults.push("caseTwin");
    if (href.includes("?") && this.#isTwin(this.#byOrder, parameterOrderKey(href), href)) faults.push("orderTwin");
    for (const kind of faults) {
      const found = this.#found.get(kind) ?? { count: 0, first: href, ids: [] };
      found.count += 1;
      if (found.ids.length < MEMBERS_NAMED) found.ids.push(urlId);
      this.#found.set(kind, found);
    }
    if (faults.length > 0) this.#faulty.add(urlId);
  }

  #isTwin(known: Map<string, string>, key: string, href: string): boolean {
    const other = known.get(key);
    if (other === undefined) known.set(key, href);
    return other !== undefined && other !== href;
  }

  issues(): FoundIssue[] {
    if (this.#faulty.size === 0) return [];
    const kinds = [...this.#found].toSorted((a, b) => b[1].count - a[1].count);
    const words = kinds.map(([kind, { count, first }]) => `${count} ${KINDS[kind]} (${first.slice(0, 120)})`);
    return [
      {
        checkId: "url.quality",
        urlId: 0,
        severity: "notice",
        evidence: {
          message: `${this.#faulty.size === 1 ? "1 address is" : `${this.#faulty.size} addresses are`} hard to handle: ${words.join("; ")}`,
          measured: this.#faulty.size,
          limit: 0,
          members: [...new Set(kinds.flatMap(([, { ids }]) => ids.slice(0, 5)))].slice(0, MEMBERS_NAMED),
          memberCount: this.#faulty.size,
        },
      },
    ];
  }
}
