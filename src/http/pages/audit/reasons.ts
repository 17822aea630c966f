/** The reasons that decide whether a page can be indexed, and the ways in which a request can fail, as people say them. */
export const REASON_WORDS: Readonly<Record<string, string>> = {
  indexable: "Indexable",
  "not-crawled": "Not crawled",
  "robots-blocked": "Forbidden by robots.txt",
  "network-error": "No usable answer",
  "blocked-by-bot-protection": "Our crawler was refused",
  "5xx": "Server error",
  "4xx": "Missing or refused",
  redirect: "Redirects",
  "non-html": "Not a web page",
  noindex: "Says noindex",
  canonicalised: "Names another page as canonical",
  "soft-404": "Says “not found” with status 200",
};

export const reasonWords = (reason: string): string => REASON_WORDS[reason] ?? reason;

export const failureWords = (failure: string): string => failure.replaceAll("_", " ");
