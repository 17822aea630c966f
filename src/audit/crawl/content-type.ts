/** The Content-Type header, read as browsers do (https://mimesniff.spec.whatwg.org/#parsing-a-mime-type). */

export interface ContentType {
  /** "text/html", in lower case; null when the header is absent or no media type. */
  essence: string | null;
  /** The charset parameter as written, or null. */
  charset: string | null;
}

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9a-z]+";
const MEDIA_TYPE = new RegExp(`^\\s*(${TOKEN}/${TOKEN})\\s*(?:;|$)`, "i");
/** `charset=utf-8`, `charset="utf-8"`; servers also write 'utf-8'. */
const PARAMETER = /;\s*([^=;\s]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^;\s]*))/g;

function charsetOf(part: string): string {
  for (const [, name, ...values] of part.matchAll(PARAMETER)) {
    if (name!.toLowerCase() === "charset") return values.find((value) => value !== undefined) ?? "";
  }
  return "";
}

/** The pages of a site have one header or two, and each is read several times. */
const known = new Map<string, ContentType>();
const MOST_KNOWN = 50;

/** A header that was sent twice arrives joined by commas: the last media type counts, its charset may come earlier. */
export function parseContentType(header: string | null | undefined): Readonly<ContentType> {
  const text = (header ?? "").slice(0, 1_000);
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const parsed = parse(text);
  known.set(text, parsed);
  return parsed;
}

function parse(header: string): ContentType {
  let essence: string | null = null;
  let charset: string | null = null;
  for (const part of header.match(/(?:[^,"]|"[^"]*"?)+/g) ?? []) {
    const found = MEDIA_TYPE.exec(part)?.[1]?.toLowerCase();
    if (found === undefined || found === "*/*") continue;
    if (found !== essence) charset = null;
    essence = found;
    const value = charsetOf(part);
    if (value !== "") charset = value;
  }
  return { essence, charset };
}
