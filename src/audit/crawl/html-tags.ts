/** What the reader needs to know of an element by its name alone (HTML, 13.2 "Parsing HTML documents"). */

export interface Tag {
  readonly name: string;
  /** May stand in the head. Any other start tag ends it. */
  readonly metadata: boolean;
  /** Text goes on across it: `<b>H</b>ello` is one word. */
  readonly inline: boolean;
  /** Kept on the stack of open elements. Elements whose end tag may be left out, and formatting, are not. */
  readonly stacked: boolean;
  /** An end tag inside cannot close an element outside. */
  readonly barrier: boolean;
  readonly isVoid: boolean;
  /** Ends svg and math when it occurs in them. */
  readonly breakout: boolean;
  /** Its content is text of another kind than the page's. */
  readonly rawText: boolean;
}

const list = (names: string): ReadonlySet<string> => new Set(names.split(" "));

const METADATA = list("base basefont bgsound link meta noframes noscript script style template title");
const INLINE = list(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub " +
    "sup time tt u var wbr",
);
const STACKED = list(
  "html body div section article main nav header footer aside table ul ol dl menu form fieldset figure blockquote " +
    "center details dialog address hgroup search template svg math foreignObject desc title mi mo mn ms mtext " +
    "annotation-xml h1 h2 h3 h4 h5 h6 object select button app-root",
);
const BARRIER = list("html table template object foreignObject");
const VOID = list("area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr");
const BREAKOUT = list(
  "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta " +
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var",
);
const RAW_TEXT = list("script style title textarea iframe xmp noembed noframes plaintext");
const OTHER = list(
  "head area image input source picture video audio embed track frame frameset td th caption use path g p li br hr",
);

function describe(name: string): Tag {
  return {
    name,
    metadata: METADATA.has(name),
    inline: INLINE.has(name),
    stacked: STACKED.has(name),
    barrier: BARRIER.has(name),
    isVoid: VOID.has(name),
    breakout: BREAKOUT.has(name),
    rawText: RAW_TEXT.has(name),
  };
}

const TAGS = new Map<string, Tag>();
for (const names of [METADATA, INLINE, STACKED, VOID, BREAKOUT, RAW_TEXT, OTHER]) {
  for (const name of names) TAGS.set(name, describe(name));
}
// The tokenizer hands names over as written; the old name of img is an alias (HTML, "in body").
TAGS.set("foreignobject", TAGS.get("foreignObject")!);

/** The element of that name in any case. Unknown names, custom elements among them, mean nothing. */
export function tagOf(name: string): Tag {
  const known = TAGS.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  return TAGS.get(lower) ?? { ...UNKNOWN, name: lower.slice(0, 64) };
}

const UNKNOWN: Tag = {
  name: "",
  metadata: false,
  inline: false,
  stacked: false,
  barrier: false,
  isVoid: false,
  breakout: false,
  rawText: false,
};
