/** Addresses inside attributes that hold more than one address. */

export interface SrcsetCandidate {
  url: string;
  /** "2x", "640w" or "" as written. */
  descriptor: string;
}

const SPACE = /[\t\n\f\r ]/;

/** At most so many candidates are read from one srcset; the longest in use have some thirty. */
const MAX_CANDIDATES = 100;

/** Parses a srcset as HTML does (4.8.4.2.2): commas inside addresses and parentheses do not separate. */
export function parseSrcset(srcset: string): SrcsetCandidate[] {
  const candidates: SrcsetCandidate[] = [];
  let at = 0;
  while (candidates.length < MAX_CANDIDATES) {
    while (at < srcset.length && (SPACE.test(srcset[at]!) || srcset[at] === ",")) at++;
    if (at >= srcset.length) break;
    const from = at;
    while (at < srcset.length && !SPACE.test(srcset[at]!)) at++;
    const written = srcset.slice(from, at);
    let end = written.length;
    while (end > 0 && written[end - 1] === ",") end--;
    const url = written.slice(0, end);
    if (url !== written) {
      candidates.push({ url, descriptor: "" });
      continue;
    }
    const descriptorFrom = at;
    let depth = 0;
    while (at < srcset.length && (depth > 0 || srcset[at] !== ",")) {
      if (srcset[at] === "(") depth++;
      else if (srcset[at] === ")" && depth > 0) depth--;
      at++;
    }
    candidates.push({ url, descriptor: srcset.slice(descriptorFrom, at).trim() });
  }
  return candidates;
}

/**
 * Parses the content of `<meta http-equiv=refresh>` as HTML does ("shared declarative refresh steps"). Null when a
 * browser would ignore it. `url` is as written, null when the page only reloads itself.
 */
export function parseMetaRefresh(content: string): { seconds: number; url: string | null } | null {
  const match = /^[\t\n\f\r ]*(\d+)?(?:\.[\d.]*)?(?=[\t\n\f\r ;,]|$|\.)/.exec(content.slice(0, 10_000));
  if (match === null || (match[1] === undefined && !match[0].includes("."))) return null;
  const seconds = Number(match[1] ?? "0");
  const rest = content.slice(match[0].length).replace(/^[\t\n\f\r ]*[;,]?[\t\n\f\r ]*/, "");
  if (rest === "") return { seconds, url: null };
  const named = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i.exec(rest);
  let url = named === null ? rest : rest.slice(named[0].length);
  const quote = url[0];
  if (quote === '"' || quote === "'") {
    url = url.slice(1);
    const end = url.indexOf(quote);
    if (end !== -1) url = url.slice(0, end);
  }
  return { seconds, url: url.trim() };
}

/** The tokens of a rel attribute: separated by white space, without regard to case. */
export function relTokens(rel: string): string[] {
  return rel
    .toLowerCase()
    .split(/[\t\n\f\r ]+/)
    .filter((token) => token !== "");
}
