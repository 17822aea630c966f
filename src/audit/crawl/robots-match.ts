/** Matching paths against the rules of a group (RFC 9309, 2.2.2 and 2.2.3), made for many paths. */

export interface RobotsRule {
  allow: boolean;
  /** The path pattern as written. */
  path: string;
  /** Line in the file, from 1. */
  line: number;
}

/**
 * One spelling for both sides: escapes in upper case, octets beyond ASCII escaped. Escaped ASCII is not decoded: RFC
 * 9309, 2.2.2 would have "/%62" match "/b", Google's matcher does not. Takes a byte string, or an encoded address.
 */
function normalise(text: string): string {
  return text.replace(/%[0-9a-f]{2}|[\u0080-\u00ff]/gi, (found) =>
    found.length > 1 ? found.toUpperCase() : `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** "*" and "$" that stand for themselves: the rule writes them %2A and %24 (RFC 9309, 2.2.3), an address as they are. */
function escapeSpecials(text: string): string {
  return text.replace(/[*$]/g, (char) => (char === "*" ? "%2A" : "%24"));
}

/** Path, parameters and query of an address as it stands, found as Google's matcher finds them; "/" without a path. */
function pathOf(address: string): string {
  const start = address.startsWith("//") ? 2 : 0;
  const early = address.slice(start).search(/[/?;]/);
  const protocol = address.indexOf("://", start);
  const authority = protocol === -1 || (early !== -1 && early + start < protocol) ? start : protocol + 3;
  const found = address.slice(authority).search(/[/?;]/);
  const hash = address.indexOf("#", start);
  if (found === -1 || (hash !== -1 && hash < authority + found)) return "/";
  const path = address.slice(authority + found, hash === -1 ? undefined : hash);
  return path.startsWith("/") ? path : `/${path}`;
}

/** What the rules are held against. A string must already be encoded, as it would be requested. */
export function pathToMatch(url: URL | string): string {
  return escapeSpecials(normalise(typeof url === "string" ? pathOf(url) : url.pathname + url.search));
}

interface WildcardRule {
  rule: RobotsRule;
  priority: number;
  /** What stands between the stars. */
  pieces: string[];
  anchored: boolean;
}

/** Leftmost matches of the pieces are enough: a later one never leaves more room for the rest. */
function matchesWildcards(path: string, { pieces, anchored }: WildcardRule): boolean {
  const [first, ...rest] = pieces;
  if (!path.startsWith(first!)) return false;
  if (rest.length === 0) return !anchored || path.length === first!.length;
  let at = first!.length;
  const last = anchored ? rest.pop()! : "";
  for (const piece of rest) {
    const found = path.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return !anchored || (path.length - last.length >= at && path.endsWith(last));
}

interface Candidate {
  rule: RobotsRule;
  priority: number;
}

/** The longer pattern is more specific; allow wins among equals. */
function isBetter(a: Candidate, b: Candidate | null): boolean {
  return b === null || a.priority > b.priority || (a.priority === b.priority && a.rule.allow && !b.rule.allow);
}

/** Rules made ready: the work for a path grows with the wildcard rules only, not with the plain ones. */
export class RuleSet {
  readonly #plain = new Map<string, Candidate>();
  readonly #lengths: number[];
  readonly #wildcards: WildcardRule[] = [];

  constructor(rules: Iterable<RobotsRule>) {
    for (const rule of rules) this.#add(rule, rule.path);
    this.#lengths = [...new Set(Array.from(this.#plain.keys(), (pattern) => pattern.length))].toSorted((a, b) => b - a);
    this.#wildcards.sort((a, b) => b.priority - a.priority || Number(b.rule.allow) - Number(a.rule.allow));
  }

  #add(rule: RobotsRule, path: string): void {
    const pattern = normalise(path);
    // An empty path is a rule that matches nothing.
    if (pattern === "") return;
    // Google's parser also lets "Allow: /a/index.html" stand for the folder itself.
    const folder = rule.allow ? /^(.*\/)index\.htm[^/]*$/.exec(path)?.[1] : undefined;
    if (folder !== undefined) this.#add(rule, `${folder}$`);

    const anchored = pattern.endsWith("$");
    const body = anchored ? pattern.slice(0, -1) : pattern;
    const pieces = body.split(/\*+/).map(escapeSpecials);
    const candidate = { rule, priority: pattern.length };
    if (anchored || pieces.length > 1) {
      this.#wildcards.push({ ...candidate, pieces, anchored });
    } else if (isBetter(candidate, this.#plain.get(pieces[0]!) ?? null)) {
      this.#plain.set(pieces[0]!, candidate);
    }
  }

  /** The rule that decides about a path, or null when none matches. */
  decide(path: string): RobotsRule | null {
    let best: Candidate | null = null;
    for (const length of this.#lengths) {
      if (length > path.length) continue;
      const found = this.#plain.get(path.slice(0, length));
      // Escaped specials make a plain pattern longer than its priority, so shorter ones may still win.
      if (found !== undefined && isBetter(found, best)) best = found;
    }
    for (const candidate of this.#wildcards) {
      if (best !== null && best.priority > candidate.priority) break;
      if (isBetter(candidate, best) && matchesWildcards(path, candidate)) best = candidate;
    }
    return best?.rule ?? null;
  }
}
