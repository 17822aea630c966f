/** How long a text looks: in characters as people count them, and in pixels of a search result. */

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\ud840-\ud87f][\udc00-\udfff]/;
/** Texts longer than this are long in any measure. */
const MAX_MEASURED = 2_000;

/** Graphemes; the wide characters of Chinese, Japanese and Korean, which say and take twice as much, count two. */
export function lengthOf(text: string): number {
  const measured = text.slice(0, MAX_MEASURED);
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/.test(measured)) return text.length;
  let length = 0;
  for (const { segment } of segmenter.segment(measured)) length += WIDE.test(segment) ? 2 : 1;
  return length + (text.length - measured.length);
}

/** Advance widths of Arial in thousandths of its size, from "space" to "~". */
const ARIAL = (
  "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 " +
  "584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 " +
  "667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 " +
  "278 556 500 722 500 500 500 334 260 334 584"
)
  .split(" ")
  .map(Number);

/** Size of the title of a result on Google's desktop page, in pixels. */
const TITLE_SIZE = 20;
const WIDE_ADVANCE = 1_000;
const USUAL_ADVANCE = 556;

function advanceOf(char: string): number {
  const code = char.charCodeAt(0);
  if (code >= 32 && code < 127) return ARIAL[code - 32]!;
  return WIDE.test(char) ? WIDE_ADVANCE : USUAL_ADVANCE;
}

/** About how wide a title is in a search result: in Arial at 20 pixels. */
export function titleWidth(title: string): number {
  // Accents add no width to their letters.
  const plain = title
    .slice(0, MAX_MEASURED)
    .normalize("NFD")
    .replace(/\p{M}+/gu, "");
  let width = 0;
  for (const char of plain) width += advanceOf(char);
  return Math.round((width * TITLE_SIZE) / 1_000);
}
