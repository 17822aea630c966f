/** Where to go after signing in. Anything that could lead to another site leads to the start page instead. */
const ELSEWHERE = "https://elsewhere.invalid";

export function nextPage(asked: string | undefined): string {
  if (asked === undefined || asked.length > 2_000 || !/^\/(?![/\\])/.test(asked)) return "/";
  // The URL parser drops tabs and line breaks and turns backslashes, as browsers do.
  const url = URL.parse(asked, ELSEWHERE);
  if (url === null || url.origin !== ELSEWHERE || url.pathname.startsWith("//")) return "/";
  return /^\/sign-(in|out)$/.test(url.pathname) ? "/" : url.pathname + url.search;
}
