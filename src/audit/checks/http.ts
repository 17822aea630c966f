import type { PageCheck } from "./check.ts";
import { REFERENCE } from "./references.ts";

export const httpChecks: PageCheck[] = [
  {
    id: "http.5xx",
    severity: "error",
    title: "Page answers with a server error",
    why: "Visitors see nothing, and search engines drop a page that fails for more than a few days.",
    fix: "Look into the server's log for this address; if the page is gone, answer 404 or 410.",
    source: REFERENCE.httpErrors,
    page: ({ fetched }) => {
      const { finalStatus: status, hops, botWall, failure } = fetched;
      // Behind a redirect the failing address is one of its own.
      if (status === null || status < 500 || hops.length > 0 || botWall !== null || failure !== null) return null;
      return {
        evidence: {
          message: `It answered ${status}, and again when it was asked a second time.`,
          measured: status,
          limit: 499,
        },
      };
    },
  },
  {
    id: "http.timeout",
    severity: "warning",
    title: "Page does not answer in time",
    why: "Visitors leave, and search engines crawl a slow site less.",
    fix: "Find out what the server waits for; cache the page or do the slow work elsewhere.",
    source: REFERENCE.httpErrors,
    page: ({ fetched: { failure } }) => {
      if (failure?.code === "timeout_headers") {
        return { evidence: { message: `No answer came, twice: ${failure.detail}`, found: failure.code } };
      }
      if (failure?.code === "timeout_body") {
        return {
          evidence: { message: `The answer began but did not end, twice: ${failure.detail}`, found: failure.code },
        };
      }
      return null;
    },
  },
];
