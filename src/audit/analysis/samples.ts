/** Up to 20 places that lead to an address, with the words of the link, kept small: an audit may hold 300,000. */

export const SAMPLE_SIZE = 20;
/** Characters of one anchor text in a sample. */
export const ANCHOR_LENGTH = 80;
/** Anchor texts that are kept once and shared: those of menus come back on every page. */
const SHARED_ANCHORS = 20_000;

export type LinkSample = [urlId: number, anchor: string][];

export class AnchorTexts {
  readonly #known = new Map<string, string>();

  /** The text itself, cut to its limit; the same string object for the same text. */
  share(text: unknown): string {
    if (typeof text !== "string") return "";
    const short = text.length > ANCHOR_LENGTH ? `${text.slice(0, ANCHOR_LENGTH - 1)}…` : text;
    const known = this.#known.get(short);
    if (known !== undefined) return known;
    if (this.#known.size < SHARED_ANCHORS) this.#known.set(short, short);
    return short;
  }
}
