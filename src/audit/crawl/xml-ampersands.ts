/**
 * The fault that sitemaps have most often: "&" written as it is in an address. An XML parser takes what follows for the
 * name of an entity and loses everything up to the next ";", so it is escaped before the parser sees it.
 */

/** What may follow a "&" that is none of these faults. */
const REFERENCE = /&(?:#\d{1,8}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{0,31});/iy;
const INTEREST = /&|<!/g;
const LONGEST_REFERENCE = 35;
const CDATA = "<![CDATA[";
const COMMENT = "<!--";

export interface AmpersandFixer {
  /** The text with bare ampersands escaped; a piece of its end may be kept back until the next call. */
  write(text: string): string;
  end(): string;
}

/** `onBare` is told how many characters into the text of this call (what was kept back included) a fault lies. */
export function createAmpersandFixer(onBare: (text: string, at: number) => void): AmpersandFixer {
  let held = "";
  /** What ends the section in which "&" means itself; null outside. */
  let section: "]]>" | "-->" | null = null;

  function fix(text: string, isEnd: boolean): string {
    let fixed = "";
    let from = 0;
    let at = 0;
    const hold = (start: number): string => {
      held = text.slice(start);
      return fixed + text.slice(from, start);
    };
    for (;;) {
      if (section !== null) {
        const end = text.indexOf(section, at);
        // Two characters of the end may have come already.
        if (end === -1) return isEnd ? fixed + text.slice(from) : hold(Math.max(at, text.length - 2));
        at = end + 3;
        section = null;
      }
      INTEREST.lastIndex = at;
      const next = INTEREST.exec(text);
      if (next === null) return text.endsWith("<") && !isEnd ? hold(text.length - 1) : fixed + text.slice(from);
      at = next.index;
      const lookahead = text[at] === "&" ? LONGEST_REFERENCE : CDATA.length;
      if (!isEnd && text.length - at < lookahead) return hold(at);
      if (text.startsWith(CDATA, at)) {
        section = "]]>";
        at += CDATA.length;
      } else if (text.startsWith(COMMENT, at)) {
        section = "-->";
        at += COMMENT.length;
      } else if (text[at] === "&") {
        REFERENCE.lastIndex = at;
        if (!REFERENCE.test(text)) {
          onBare(text, at);
          fixed += `${text.slice(from, at)}&amp;`;
          from = at + 1;
        }
        at += 1;
      } else {
        at += 2;
      }
    }
  }

  return {
    write(text) {
      const whole = held + text;
      held = "";
      return fix(whole, false);
    },
    end() {
      const whole = held;
      held = "";
      return fix(whole, true);
    },
  };
}
