/**
 * Meta robots and X-Robots-Tag as Googlebot reads them:
 * https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag.
 */

/** What meta robots and X-Robots-Tag together mean for Googlebot. Most restrictive wins. */
export interface RobotsDirectives {
  noindex: boolean;
  nofollow: boolean;
  /** Where noindex comes from: "meta" or "header", with the text as found. */
  noindexFrom: { where: "meta" | "header"; found: string } | null;
  nofollowFrom: { where: "meta" | "header"; found: string } | null;
  /** Meta and header, both present, say different things about indexing. */
  conflict: string | null;
  unavailableAfter: string | null;
}

export interface RobotsDirectivesInput {
  /** Meta elements in document order. Those outside the head are not read: Google stops there. */
  metas: readonly { name: string; content: string; inHead: boolean }[];
  /** The X-Robots-Tag header; several joined by commas. */
  header: string | null;
  /** Milliseconds since the epoch: an unavailable_after that lies before it is a noindex. */
  now: number;
}

type Where = "meta" | "header";

interface Directive {
  where: Where;
  /** In lower case. */
  name: string;
  /** What follows the colon, trimmed. */
  value: string;
  found: string;
}

const GOOGLEBOT = "googlebot";
/** Directives that take a value; any other word before a colon names a bot. */
const WITH_VALUE = new Set(["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"]);
const WORDS = new Set(
  "all index follow none noindex nofollow noarchive nocache nosnippet notranslate noimageindex nositelinkssearchbox indexifembedded".split(
    " ",
  ),
);

const MAX_TEXT = 4_096;

/** Splits a list at its commas, but keeps a date's commas with unavailable_after. */
function pieces(text: string): string[] {
  const list: string[] = [];
  let inDate = false;
  for (const part of text.slice(0, MAX_TEXT).split(",")) {
    const piece = part.trim();
    const name = piece.split(":", 1)[0]!.trim().toLowerCase();
    const startsAnew = WORDS.has(piece.toLowerCase()) || WITH_VALUE.has(name) || /^[a-z][a-z_-]*\s*:\s*\S/i.test(piece);
    if (inDate && !startsAnew) list[list.length - 1] += `, ${piece}`;
    else if (piece !== "") list.push(piece);
    inDate = /(?:^|:\s*)unavailable_after\s*:/i.test(list.at(-1) ?? "");
  }
  return list;
}

/** Reads a list of directives; `isMeta` has no scopes in it. Keeps those that everybody or Googlebot is meant by. */
function readList(text: string, where: Where): Directive[] {
  const directives: Directive[] = [];
  let isMeant = true;
  for (const piece of pieces(text)) {
    let rest = piece;
    let [, before, after] = /^([^:]*):(.*)$/s.exec(rest) ?? [];
    if (where === "header" && before !== undefined && !WITH_VALUE.has(before.trim().toLowerCase())) {
      // A bot's name scopes everything up to the next one.
      const bot = before.trim().toLowerCase();
      isMeant = bot === GOOGLEBOT || bot === "robots";
      rest = after!.trim();
      [, before, after] = /^([^:]*):(.*)$/s.exec(rest) ?? [];
    }
    if (!isMeant || rest === "") continue;
    const name = (before ?? rest).trim().toLowerCase();
    directives.push({ where, name, value: (after ?? "").trim(), found: piece.slice(0, 200) });
  }
  return directives;
}

function readMetas(metas: RobotsDirectivesInput["metas"]): Directive[] {
  return metas
    .filter(({ name, inHead }) => inHead && /^\s*(?:robots|googlebot)\s*$/i.test(name))
    .flatMap(({ name, content }) =>
      readList(content, "meta").map((directive) => ({
        ...directive,
        found: `<meta name="${name.trim()}" content="${content.trim().slice(0, 200)}">`,
      })),
    );
}

const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*";
const DATE = new RegExp(`\\d{4}-\\d{2}|\\d{1,2}[ -]${MONTH}[ -]\\d{2}|${MONTH} \\d{1,2},? \\d{4}`, "i");

/** The time of an unavailable_after (RFC 822, RFC 850 or ISO 8601) in milliseconds since the epoch; null: unreadable. */
export function parseUnavailableAfter(text: string): number | null {
  // Date.parse makes a date of almost anything that has a number in it.
  if (!DATE.test(text)) return null;
  const at = Date.parse(text);
  if (!Number.isNaN(at)) return at;
  // RFC 850: "Wednesday, 25-Jun-26 15:00:00 PST"
  const spaced = Date.parse(text.replace(/^[a-z]+,\s*/i, "").replaceAll("-", " "));
  return Number.isNaN(spaced) ? null : spaced;
}

const SAYS = {
  index: { no: new Set(["noindex", "none"]), yes: new Set(["index", "all"]) },
  follow: { no: new Set(["nofollow", "none"]), yes: new Set(["follow", "all"]) },
};

/** What one place says about one matter: its most restrictive word; null when it says nothing. */
function word(directives: Directive[], where: Where, matter: keyof typeof SAYS): string | null {
  const here = directives.filter((directive) => directive.where === where);
  const { no, yes } = SAYS[matter];
  return (here.find(({ name }) => no.has(name)) ?? here.find(({ name }) => yes.has(name)))?.name ?? null;
}

function conflictOf(directives: Directive[]): string | null {
  for (const matter of ["index", "follow"] as const) {
    const [meta, header] = [word(directives, "meta", matter), word(directives, "header", matter)];
    if (meta === null || header === null) continue;
    const { no } = SAYS[matter];
    if (no.has(meta) !== no.has(header)) {
      return `The robots meta says "${meta}", the X-Robots-Tag header says "${header}"; the more restrictive one counts.`;
    }
  }
  return null;
}

function origin({ where, found }: Directive): { where: Where; found: string } {
  return { where, found };
}

/** What a page asks of Googlebot. Directives scoped to another bot do not count. */
export function readRobotsDirectives({ metas, header, now }: RobotsDirectivesInput): RobotsDirectives {
  const directives = [...readMetas(metas), ...readList(header ?? "", "header")];
  const expiry = directives.find(({ name }) => name === "unavailable_after");
  const expiresAt = expiry === undefined ? null : parseUnavailableAfter(expiry.value);
  const isExpired = expiresAt !== null && expiresAt <= now;
  const noindex = directives.find(({ name }) => SAYS.index.no.has(name)) ?? (isExpired ? expiry : undefined);
  const nofollow = directives.find(({ name }) => SAYS.follow.no.has(name));
  return {
    noindex: noindex !== undefined,
    nofollow: nofollow !== undefined,
    noindexFrom: noindex === undefined ? null : origin(noindex),
    nofollowFrom: nofollow === undefined ? null : origin(nofollow),
    conflict: conflictOf(directives),
    unavailableAfter: expiry?.value ?? null,
  };
}
