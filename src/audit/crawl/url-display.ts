/** Addresses as people read them. For display only: what is stored and requested keeps its encoded form. */

/** RFC 3492 with the parameters of IDNA. Returns null for what is no punycode. */
function decodePunycode(encoded: string): string | null {
  const [base, tMin, tMax, skew, damp] = [36, 1, 26, 38, 700];
  const dash = encoded.lastIndexOf("-");
  const output = dash > 0 ? Array.from(encoded.slice(0, dash), (char) => char.codePointAt(0)!) : [];
  let [code, at, bias] = [128, 0, 72];
  for (let index = dash > 0 ? dash + 1 : 0; index < encoded.length;) {
    const before = at;
    for (let weight = 1, k = base; ; k += base) {
      const digit = Number.parseInt(encoded[index++] ?? "", 36);
      if (Number.isNaN(digit)) return null;
      // parseInt counts 0-9 before a-z, punycode after.
      const value = digit < 10 ? digit + 26 : digit - 10;
      at += value * weight;
      const threshold = k <= bias ? tMin : k >= bias + tMax ? tMax : k - bias;
      if (value < threshold) break;
      weight *= base - threshold;
      if (weight > 0x7fffffff || at > 0x7fffffff) return null;
    }
    const length = output.length + 1;
    let delta = before === 0 ? Math.floor((at - before) / damp) : Math.floor((at - before) / 2);
    delta += Math.floor(delta / length);
    let k = 0;
    for (; delta > ((base - tMin) * tMax) / 2; k += base) delta = Math.floor(delta / (base - tMin));
    bias = k + Math.floor(((base - tMin + 1) * delta) / (delta + skew));
    code += Math.floor(at / length);
    at %= length;
    if (code > 0x10ffff) return null;
    output.splice(at++, 0, code);
  }
  return String.fromCodePoint(...output);
}

/** Controls, formats (bidi marks, zero width), unassigned code points and every kind of space. */
const UNSEEN = /[\p{C}\p{Z}]/u;

/** A host name with its `xn--` labels in Unicode; a label that does not survive the way back stays as it is. */
export function displayHost(hostname: string): string {
  if (!hostname.includes("xn--")) return hostname;
  return hostname
    .split(".")
    .map((label) => {
      if (!label.startsWith("xn--")) return label;
      const decoded = decodePunycode(label.slice(4));
      if (decoded === null || UNSEEN.test(decoded)) return label;
      return URL.parse(`http://${decoded}`)?.hostname === label ? decoded : label;
    })
    .join(".");
}

/** Decodes runs of escapes that are UTF-8 text beyond ASCII and can be seen; everything else stays. */
function displayEscapes(text: string): string {
  return text.replace(/(?:%[89a-f][0-9a-f])+/gi, (run) => {
    try {
      const decoded = decodeURIComponent(run);
      return UNSEEN.test(decoded) ? run : decoded;
    } catch {
      return run;
    }
  });
}

/** An address for people: international host names and non-ASCII paths in their own script. Never to be requested. */
export function displayUrl(url: URL | string): string {
  const parsed = typeof url === "string" ? URL.parse(url) : url;
  if (parsed === null) return String(url);
  const port = parsed.port === "" ? "" : `:${parsed.port}`;
  const rest = displayEscapes(parsed.pathname + parsed.search + parsed.hash);
  return `${parsed.protocol}//${displayHost(parsed.hostname)}${port}${rest}`;
}
