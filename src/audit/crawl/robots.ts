/**
 * robots.txt after RFC 9309 and Google's published behaviour:
 * https://www.rfc-editor.org/rfc/rfc9309.html,
 * https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt.
 */
import { directiveOf, looksLikeHtml, nearMiss, ProblemList } from "./robots-directive-names.ts";
import type { RobotsProblem } from "./robots-directive-names.ts";
import { readRobotsBytes, ROBOTS_MAX_BYTES, ROBOTS_MAX_LINE, robotsLines, textOf } from "./robots-lines.ts";
import type { RobotsLine } from "./robots-lines.ts";
import { pathToMatch, RuleSet } from "./robots-match.ts";
import type { RobotsRule } from "./robots-match.ts";

export { ROBOTS_MAX_BYTES } from "./robots-lines.ts";
export type { RobotsRule } from "./robots-match.ts";
export type { RobotsProblem } from "./robots-directive-names.ts";

export interface RobotsGroup {
  /** Product tokens in lower case, or "*". */
  tokens: string[];
  rules: RobotsRule[];
}

export interface RobotsVerdict {
  allowed: boolean;
  /** The rule that decided; null: no rule matches. */
  rule: RobotsRule | null;
}

export interface ParseRobotsOptions {
  /** Address of the robots.txt, for relative Sitemap lines. */
  url?: string | URL;
}

/** What to do about rules by the status at the end of the redirects; null: no answer came (RFC 9309, 2.3.1). */
export function robotsAvailability(status: number | null): "read" | "allow_all" | "disallow_all" {
  if (status === null || status === 429 || status >= 500) return "disallow_all";
  if (status >= 200 && status < 300) return "read";
  // Redirects that lead nowhere within five hops count as unavailable, like other 4xx.
  return "allow_all";
}

/** The leading product token of a User-Agent line's value, in lower case; "*" for everybody; "" for none. */
function tokenOfLine(value: string): string {
  if (/^\*(?:\s|$)/.test(value)) return "*";
  return /^[a-z_-]*/i.exec(value)![0].toLowerCase();
}

/** Addresses without an authority have no robots.txt. */
const OTHER_SCHEME = /^(?:data|file|blob|about|mailto|tel|javascript):/i;

export class Robots {
  readonly groups: readonly RobotsGroup[];
  /** Absolute addresses, each once, as written. */
  readonly sitemaps: readonly string[];
  readonly problems: readonly RobotsProblem[];
  readonly #delays: ReadonlyMap<string, number>;
  readonly #ruleSets = new Map<string, RuleSet>();

  constructor(
    groups: readonly RobotsGroup[],
    sitemaps: readonly string[],
    problems: readonly RobotsProblem[],
    delays: ReadonlyMap<string, number>,
  ) {
    this.groups = groups;
    this.sitemaps = sitemaps;
    this.problems = problems;
    this.#delays = delays;
  }

  /** The token whose groups speak to this crawler: its own wherever one exists, else "*". */
  #audience(productToken: string): string {
    const token = productToken.toLowerCase();
    return this.groups.some((group) => group.tokens.includes(token)) ? token : "*";
  }

  /** Made once a token: a crawl asks for every link. */
  #rulesFor(productToken: string): RuleSet {
    let rules = this.#ruleSets.get(productToken);
    if (rules === undefined) {
      const audience = this.#audience(productToken);
      const groups = this.groups.filter((group) => group.tokens.includes(audience));
      rules = new RuleSet(groups.flatMap((group) => group.rules));
      this.#ruleSets.set(productToken, rules);
    }
    return rules;
  }

  /**
   * May a crawler with this product token (without version) request the address, and which rule says so? The robots.txt
   * itself, which RFC 9309, 2.2.2 always allows, is no exception here: Google's matcher makes none.
   */
  judge(url: URL | string, productToken: string): RobotsVerdict {
    const scheme = typeof url === "string" ? (OTHER_SCHEME.exec(url)?.[0] ?? "http:") : url.protocol;
    if (scheme !== "http:" && scheme !== "https:") return { allowed: true, rule: null };
    const rule = this.#rulesFor(productToken).decide(pathToMatch(url));
    return { allowed: rule === null || rule.allow, rule };
  }

  isAllowed(url: URL | string, productToken: string): boolean {
    return this.judge(url, productToken).allowed;
  }

  /**
   * Seconds between requests that the site asks of this crawler, uncapped, or null. No standard: Google ignores it. A
   * delay given to everybody does not reach a crawler that has a group of its own.
   */
  crawlDelaySeconds(productToken: string): number | null {
    return this.#delays.get(this.#audience(productToken)) ?? null;
  }
}

/** Everything is allowed: no robots.txt (4xx), or a file without rules. */
export function allowAllRobots(problems: readonly RobotsProblem[] = []): Robots {
  return new Robots([], [], problems, new Map());
}

/** Nothing is allowed: robots.txt could not be had (5xx, 429, no answer). */
export function disallowAllRobots(): Robots {
  return new Robots([{ tokens: ["*"], rules: [{ allow: false, path: "/", line: 0 }] }], [], [], new Map());
}

/** Collects what the lines say, one after the other. */
class Builder {
  readonly groups: RobotsGroup[] = [];
  readonly sitemaps = new Set<string>();
  readonly problems = new ProblemList();
  readonly delays = new Map<string, number>();
  readonly #base: string | URL | undefined;
  #open: RobotsGroup | null = null;
  /** A rule ends the list of user agents; a delay, a sitemap or an unknown line does not (RFC 9309, 2.2.4). */
  #hasRules = false;

  constructor(base: string | URL | undefined) {
    this.#base = base;
  }

  read(line: RobotsLine): void {
    const directive = directiveOf(line.key);
    if (line.tooLong) {
      this.problems.add(line.number, `The line is longer than ${ROBOTS_MAX_LINE} bytes; what follows is ignored.`);
    }
    if (!line.hasColon && directive !== null) {
      this.problems.add(
        line.number,
        `"${line.key}" has no colon after it; Google forgives that, others ignore the line.`,
      );
    }
    const meant = nearMiss(line.key);
    if (meant !== null) {
      const effect = directive === null ? "is ignored" : "is understood by Google only";
      this.problems.add(line.number, `"${textOf(line.key)}" ${effect}; did you mean "${meant}"?`);
    }
    if (directive === "user-agent") this.#userAgent(line);
    else if (directive === "allow" || directive === "disallow") this.#rule(line, directive === "allow");
    else if (directive === "sitemap") this.#sitemap(line);
    else if (directive === "crawl-delay") this.#delay(line);
  }

  #userAgent(line: RobotsLine): void {
    const token = tokenOfLine(line.value);
    if (this.#open === null || this.#hasRules) {
      this.#open = { tokens: [], rules: [] };
      this.groups.push(this.#open);
      this.#hasRules = false;
    }
    if (!this.#open.tokens.includes(token)) this.#open.tokens.push(token);
  }

  #rule(line: RobotsLine, allow: boolean): void {
    if (this.#open === null) {
      this.problems.add(
        line.number,
        `The rule "${textOf(line.value)}" comes before any User-agent line and is ignored.`,
      );
      return;
    }
    this.#hasRules = true;
    this.#open.rules.push({ allow, path: line.value, line: line.number });
  }

  #sitemap(line: RobotsLine): void {
    const address = textOf(line.value);
    const absolute = URL.parse(address);
    if (absolute !== null && /^https?:$/.test(absolute.protocol)) {
      this.sitemaps.add(address);
      return;
    }
    const resolved = absolute === null && address !== "" ? URL.parse(address, this.#base) : null;
    if (resolved !== null) this.sitemaps.add(resolved.href);
    this.problems.add(line.number, `The Sitemap line needs a full http or https address; it says "${address}".`);
  }

  #delay(line: RobotsLine): void {
    const seconds = Number(line.value);
    if (line.value === "" || !Number.isFinite(seconds) || seconds < 0) return;
    for (const token of this.#open?.tokens ?? []) {
      this.delays.set(token, Math.max(seconds, this.delays.get(token) ?? 0));
    }
  }
}

/**
 * Reads a robots.txt: the body's bytes, or its text. Never throws: what cannot be understood is ignored as Google does
 * and listed in `problems`.
 */
export function parseRobots(input: Uint8Array | string, options: ParseRobotsOptions = {}): Robots {
  const { bytes, encoding, cut } = readRobotsBytes(input);
  const builder = new Builder(options.url);
  if (encoding !== "utf-8") builder.problems.add(1, "The file is encoded as UTF-16; it must be UTF-8.");
  if (cut) builder.problems.add(1, `The file is larger than ${ROBOTS_MAX_BYTES} bytes; what follows is ignored.`);
  if (looksLikeHtml(bytes)) {
    builder.problems.add(1, "The address answers with a web page instead of a robots.txt, so there are no rules.");
    return allowAllRobots(builder.problems.list);
  }
  for (const line of robotsLines(bytes, cut)) builder.read(line);
  return new Robots(builder.groups, [...builder.sitemaps], builder.problems.list, builder.delays);
}
