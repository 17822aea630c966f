/**
 * The text without the characters at both ends that `blank`, a pattern of one character, matches. Takes time that grows
 * with the text: a pattern for its end would be tried anew at each of the blanks within.
 */
export function trimEnds(text: string, blank: RegExp): string {
  let [from, to] = [0, text.length];
  while (from < to && blank.test(text[from]!)) from += 1;
  while (to > from && blank.test(text[to - 1]!)) to -= 1;
  return text.slice(from, to);
}
