/**
 * The encoding that a document declares within its first bytes ("prescan a byte stream to determine its encoding",
 * https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding).
 */

const SPACE = /[\t\n\f\r ]/;

interface Attributes {
  values: Map<string, string>;
  /** Where the tag ends. */
  end: number;
}

const ATTRIBUTE =
  /[\t\n\f\r /]*(?:(>)|([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >"'][^\t\n\f\r >]*|(?=>))))?)/y;

/** The attributes of the tag whose name has just ended; the first of a name counts. */
function readAttributes(text: string, from: number): Attributes {
  const values = new Map<string, string>();
  ATTRIBUTE.lastIndex = from;
  let end = from;
  for (let match = ATTRIBUTE.exec(text); match !== null; match = ATTRIBUTE.exec(text)) {
    end = ATTRIBUTE.lastIndex;
    if (match[1] !== undefined) return { values, end };
    const name = match[2]!.toLowerCase();
    if (!values.has(name)) values.set(name, match[3] ?? match[4] ?? match[5] ?? "");
  }
  return { values, end: Math.max(end, from) };
}

/** `charset=...` anywhere in a meta's content ("extracting a character encoding from a meta element"). */
export function charsetOfContent(content: string): string | null {
  const match = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"']+))/i.exec(content);
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? null;
}

/** A meta declares by charset, or by content when http-equiv says Content-Type; in any order. */
function charsetOfMeta({ values }: Attributes): string | null {
  const charset = values.get("charset");
  if (charset !== undefined) return charset.trim();
  if (values.get("http-equiv")?.trim().toLowerCase() !== "content-type") return null;
  return charsetOfContent(values.get("content") ?? "");
}

/**
 * The label in the first `<meta>` that declares one, else in an XML declaration at the very start; null without. Takes
 * the first 1,024 bytes as a string of one character each. Labels that `isKnown` refuses are passed over.
 */
export function prescanCharset(text: string, isKnown: (label: string) => boolean): string | null {
  let at = 0;
  while ((at = text.indexOf("<", at)) !== -1) {
    if (text.startsWith("<!--", at)) {
      // "<!-->" is a whole comment.
      const close = text.indexOf("-->", at + 2);
      if (close === -1) break;
      at = close + 3;
    } else if (/^<meta[\t\n\f\r /]/i.test(text.slice(at, at + 6))) {
      const attributes = readAttributes(text, at + 5);
      const label = charsetOfMeta(attributes);
      if (label !== null && isKnown(label)) return label;
      at = attributes.end;
    } else if (/^<\/?[a-z]/i.test(text.slice(at, at + 3))) {
      while (at < text.length && !SPACE.test(text[at]!) && text[at] !== ">") at++;
      at = readAttributes(text, at).end;
    } else if (/^<[!/?]/.test(text.slice(at, at + 2))) {
      const close = text.indexOf(">", at);
      if (close === -1) break;
      at = close + 1;
    } else {
      at++;
    }
  }
  const xml = /^<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)["']/.exec(text)?.[1];
  return xml !== undefined && isKnown(xml) ? xml : null;
}
