/**
 * What a crawler that strangers can steer must never ask: private and special addresses, in any notation, and names
 * that only exist inside a network. Asked again for every hop, sitemap address and DNS answer.
 */
import ipaddr from "ipaddr.js";

export const ADDRESS_REFUSALS = [
  "private_address",
  "special_address",
  "metadata_address",
  "local_name",
  "single_label",
  "own_host",
] as const;
export type AddressRefusal = (typeof ADDRESS_REFUSALS)[number];

export type AddressVerdict = { ok: true } | { ok: false; reason: AddressRefusal; message: string };

/** Names of networks without a public meaning: RFC 6761, 6762, 7686, 8375, ICANN's .internal, and what routers use. */
const LOCAL_SUFFIXES =
  "localhost localdomain local internal intranet private corp home lan home.arpa test invalid onion alt".split(" ");

/** Instance metadata that lies in public address space: Azure's wire server. */
const METADATA = new Set(["168.63.129.16", "169.254.169.254", "100.100.100.200", "fd00:ec2::254"]);

const PRIVATE_RANGES = new Set([
  "private",
  "loopback",
  "linkLocal",
  "uniqueLocal",
  "carrierGradeNat",
  "deprecatedSiteLocal",
]);

/** Words for the ranges of ipaddr.js that need some. */
const RANGE_WORDS: Record<string, string> = {
  linkLocal: "link-local",
  uniqueLocal: "unique local",
  carrierGradeNat: "shared by carrier-grade NAT",
  deprecatedSiteLocal: "site-local",
  ipv4Mapped: "an IPv4 address in IPv6 clothes",
  rfc6052: "a NAT64 translation",
  rfc6145: "an IPv4 translation",
  "6to4": "a 6to4 tunnel",
  teredo: "a Teredo tunnel",
  outsideGlobal: "outside the global unicast range",
};

/** "unicast" for a public address, else the name of its special range. */
function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const range = address.range();
  if (range !== "unicast" || address.kind() === "ipv4") return range;
  // Everything that is routed today lies in 2000::/3 (IANA), whatever else may be assigned later.
  return address.match(ipaddr.parse("2000::"), 3) ? range : "outsideGlobal";
}

function parseIp(host: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  // Every name of the web comes by here, and the library's test for IPv6 is dear.
  if (!bare.includes(":")) return ipaddr.IPv4.isValidFourPartDecimal(bare) ? ipaddr.IPv4.parse(bare) : null;
  // Only the two canonical notations: the URL parser has turned every other one of IPv4 into four decimal numbers.
  return ipaddr.IPv6.isValid(bare) && !bare.includes("%") ? ipaddr.IPv6.parse(bare) : null;
}

/** True for an IP address, as a DNS answer spells it, that lies in public address space. Anything else is false. */
export function isPublicIp(ip: string): boolean {
  const address = parseIp(ip);
  return address !== null && !METADATA.has(address.toString()) && rangeOf(address) === "unicast";
}

interface AllowedHost {
  hostname: string;
  /** Null: the scheme's default port. */
  port: string | null;
}

/** One entry, HOST or HOST:PORT, as the URL parser spells it; null for what is no host. */
function parseEntry(entry: string): AllowedHost | null {
  const text = entry.trim();
  const bare = ipaddr.IPv6.isValid(text) ? `[${text}]` : text;
  if (bare === "" || /[/?#@\\\s]/.test(bare)) return null;
  // Of the two schemes one keeps the port visible, whichever it is.
  const [http, https] = [URL.parse(`http://${bare}`), URL.parse(`https://${bare}`)];
  if (http === null || https === null) return null;
  const hasPort = /:\d+$/.test(bare);
  return { hostname: http.hostname, port: hasPort ? http.port || https.port : null };
}

function effectivePort(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}

/** A list is made once and asked for every address of a crawl. */
const parsedLists = new WeakMap<readonly string[], AllowedHost[]>();

function parseList(allowedHosts: readonly string[]): AllowedHost[] {
  const known = parsedLists.get(allowedHosts);
  if (known !== undefined) return known;
  const parsed = allowedHosts.map(parseEntry).filter((entry) => entry !== null);
  parsedLists.set(allowedHosts, parsed);
  return parsed;
}

function isListed(url: URL, allowedHosts: readonly string[]): boolean {
  if (allowedHosts.length === 0) return false;
  const { hostname } = url;
  return parseList(allowedHosts).some((allowed) => {
    if (allowed.hostname !== hostname) return false;
    return allowed.port === null ? url.port === "" : allowed.port === effectivePort(url);
  });
}

const HINT = "Only public sites can be audited; a local server must be allowed by name with --allow-host.";

function refuse(reason: AddressRefusal, host: string, why: string, hint = HINT): AddressVerdict {
  return { ok: false, reason, message: `The address ${host} is not allowed: ${why}. ${hint}` };
}

/** One of the listed HOSTs, on whatever port, or HOST:PORTs. */
function isOwn(url: URL, ownHosts: readonly string[]): boolean {
  if (ownHosts.length === 0) return false;
  const hostname = url.hostname.replace(/\.$/, "");
  return parseList(ownHosts).some((own) => {
    if (own.hostname.replace(/\.$/, "") !== hostname) return false;
    return own.port === null || own.port === effectivePort(url);
  });
}

/**
 * May this address be requested? `ownHosts` are those of the product itself, and never may. `allowedHosts` lets exactly the listed HOST (on the scheme's default port) or
 * HOST:PORT through, whatever they are. A name that passes may still resolve to a private address: see isPublicIp.
 */
export function isAddressAllowed(
  url: URL,
  allowedHosts: readonly string[],
  ownHosts: readonly string[] = [],
): AddressVerdict {
  if (isOwn(url, ownHosts)) {
    return refuse("own_host", url.host.slice(0, 255), "it is this very server", "Audit another site.");
  }
  if (isListed(url, allowedHosts)) return { ok: true };
  const host = url.hostname.slice(0, 255);
  const ip = parseIp(url.hostname);
  if (ip !== null) {
    if (METADATA.has(ip.toString()))
      return refuse("metadata_address", host, "it serves the metadata of a cloud machine");
    const range = rangeOf(ip);
    if (range === "unicast") return { ok: true };
    const reason = PRIVATE_RANGES.has(range) ? "private_address" : "special_address";
    return refuse(reason, host, `it is ${RANGE_WORDS[range] ?? range}, not public`);
  }
  const name = url.hostname.toLowerCase().replace(/\.+$/, "");
  const suffix = LOCAL_SUFFIXES.find((local) => name === local || name.endsWith(`.${local}`));
  if (suffix !== undefined) return refuse("local_name", host, `names under ".${suffix}" exist only inside a network`);
  if (!name.includes(".")) return refuse("single_label", host, "a name without a dot exists only inside a network");
  return { ok: true };
}
