/** Small text helpers of the HTML reader. */

/** One line: runs of white space become one space, the ends are trimmed, the length is bounded. */
export function oneLine(text: string, maxLength: number): string {
  const line = text
    .slice(0, maxLength * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > maxLength ? line.slice(0, maxLength) : line;
}

/** Whether HTML counts the text as white space only; a no-break space or a byte order mark is not (HTML, "ASCII whitespace"). */
export function isHtmlSpace(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code !== 32 && (code > 13 || code < 9 || code === 11)) return false;
  }
  return true;
}
