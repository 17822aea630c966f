/** Query parameters that do not belong to the page: campaign tags, click ids, session ids. */

const TRACKING_PREFIXES = ["utm_", "mtm_", "matomo_", "pk_", "piwik_", "hsa_", "oly_", "vero_"];

const TRACKING = new Set(
  (
    "gclid gclsrc gbraid wbraid dclid fbclid msclkid twclid ttclid li_fat_id yclid ysclid igshid igsh epik rdt_cid " +
    "mc_cid mc_eid _ga _gl _gac _hsenc _hsmi _openstat mkt_tok s_cid wickedid zanpid srsltid " +
    "phpsessid jsessionid aspsessionid sessionid session_id sid cfid cftoken osid zenid s_id"
  ).split(" "),
);

/** `;jsessionid=...` at the end of the path (Java servlets). */
const PATH_SESSION = /;(jsessionid|phpsessid|sid)=[^/?#;]*/gi;

/** True for a parameter that marks a visit or a visitor instead of the content; the case of its name is ignored. */
export function isTrackingParameter(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    TRACKING.has(lower) ||
    lower.startsWith("aspsessionid") ||
    TRACKING_PREFIXES.some((start) => lower.startsWith(start))
  );
}

interface Parts {
  path: string;
  pairs: string[];
}

/** Cuts a serialised address without fragment at its query, undecoded. */
function split(href: string): Parts {
  const mark = href.indexOf("?");
  if (mark === -1) return { path: href, pairs: [] };
  return { path: href.slice(0, mark), pairs: href.slice(mark + 1).split("&") };
}

/** The parameter's name, decoded where it can be. */
function nameOf(pair: string): string {
  const raw = pair.split("=", 1)[0] ?? "";
  if (!raw.includes("%")) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}

/** The names of an address's parameters in their order, as often as they occur; empty pairs are left out. */
export function parameterNames(url: URL): string[] {
  return split(url.search)
    .pairs.filter((pair) => pair !== "")
    .map(nameOf);
}

/** Names of the tracking and session parameters in an address, as written, each once; also `;jsessionid` in its path. */
export function trackingParameters(url: URL): string[] {
  const found = new Set<string>();
  for (const match of url.pathname.matchAll(PATH_SESSION)) found.add(match[1]!);
  for (const name of parameterNames(url)) if (isTrackingParameter(name)) found.add(name);
  return [...found];
}

/**
 * The address without the parameters named by `ignored`; the others keep their order and spelling. Meant for keys,
 * never for requests.
 */
export function withoutParameters(href: string, ignored: (name: string) => boolean): string {
  const { path, pairs } = split(href);
  const kept = pairs.filter((pair) => !ignored(nameOf(pair)));
  const cleanPath = path.replace(PATH_SESSION, (part, name: string) => (ignored(name) ? "" : part));
  return pairs.length === 0 || kept.length === 0 ? cleanPath : `${cleanPath}?${kept.join("&")}`;
}

/**
 * Equal for addresses that differ only in the order of their parameters: for reporting such duplicates, since most
 * servers answer them alike. Parameters of one name keep their order among themselves. Takes a dedupe key.
 */
export function parameterOrderKey(key: string): string {
  const { path, pairs } = split(key);
  if (pairs.length < 2) return key;
  const named = pairs.map((pair) => ({ pair, name: nameOf(pair) }));
  named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return `${path}?${named.map(({ pair }) => pair).join("&")}`;
}
