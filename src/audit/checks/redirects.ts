import { FAILURE_WORDS } from "../crawl/failures.ts";
import type { FetchedPage, FetchFailure } from "../crawl/fetched.ts";
import type { PageCheck } from "./check.ts";
import { isSameAddress } from "./indexability.ts";
import { clip, counted, isLoopbackHost } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";

const CHAIN_HOPS = 2;
/** Google gives up here. */
const MAX_HOPS = 10;

/** "301 /old → 302 /new → /end", shortened in the middle. */
function trail({ hops, finalUrl }: FetchedPage): string {
  const steps = hops.map(({ status, url }) => `${status} ${clip(url, 100)}`);
  const shown = steps.length > 6 ? [...steps.slice(0, 3), `(${steps.length - 5} more)`, ...steps.slice(-2)] : steps;
  return [...shown, clip(finalUrl, 100)].join(" → ");
}

/** Failures that mean: whoever follows this redirect arrives nowhere. */
const NOWHERE: ReadonlySet<FetchFailure> = new Set<FetchFailure>([
  "invalid_location",
  "dns",
  "tls",
  "connection",
  "unsupported_scheme",
  "address_not_allowed",
]);

export const redirectChecks: PageCheck[] = [
  {
    id: "redir.chain",
    severity: "warning",
    title: "Redirects lead to other redirects",
    why: "Each step costs visitors time; Google follows ten at most.",
    fix: "Redirect straight to the last address, and link to that one.",
    source: REFERENCE.httpErrors,
    page: ({ fetched }) => {
      const hops = fetched.hops.length;
      if (hops < CHAIN_HOPS || fetched.failure?.code === "redirect_loop") return null;
      return {
        severity: hops >= MAX_HOPS ? "error" : "warning",
        evidence: {
          message: `${counted(hops, "redirect")} one after the other (limit 1${hops >= MAX_HOPS ? "; Google stops at 10" : ""}).`,
          measured: hops,
          limit: 1,
          found: trail(fetched),
          target: fetched.finalUrl,
        },
      };
    },
  },
  {
    id: "redir.loop",
    severity: "error",
    title: "Redirects lead in a circle",
    why: "Nobody can ever open the page.",
    fix: "Look for two rules that undo each other, often https or www against a trailing slash.",
    source: REFERENCE.redirectRfc,
    page: ({ fetched }) => {
      const seen = new Set<string>();
      const repeated = fetched.hops.some(({ url }) => seen.size === seen.add(url).size);
      const isLoop = fetched.failure?.code === "redirect_loop" || repeated;
      if (!isLoop) return null;
      const hops = fetched.hops.length;
      return {
        evidence: {
          message: `After ${counted(hops, "redirect")} an address came up again.`,
          measured: hops,
          found: trail(fetched),
        },
      };
    },
  },
  {
    id: "redir.broken-target",
    severity: "error",
    title: "Redirect leads nowhere",
    why: "Whoever follows it, person or search engine, ends at an error.",
    fix: "Redirect to a page that exists, or answer 404 or 410 at once.",
    source: REFERENCE.redirectRfc,
    page: ({ fetched }) => {
      const { hops, failure, finalStatus, botWall, finalUrl } = fetched;
      const isRedirect = hops.length > 0 || failure?.code === "invalid_location";
      if (!isRedirect || botWall !== null) return null;
      const found = trail(fetched);
      if (failure !== null) {
        if (!NOWHERE.has(failure.code)) return null;
        const last = hops.at(-1);
        const location = failure.code === "invalid_location" ? ` (Location: ${clip(last?.location ?? "none")})` : "";
        return {
          evidence: {
            message: `The redirect fails: ${FAILURE_WORDS[failure.code]}${location}.`,
            found,
            target: finalUrl,
          },
        };
      }
      if (finalStatus === null || finalStatus < 400) return null;
      return {
        evidence: {
          message: `The redirect ends at ${clip(finalUrl)}, which answers ${finalStatus}.`,
          measured: finalStatus,
          found,
          target: finalUrl,
        },
      };
    },
  },
  {
    id: "redir.http-https",
    severity: "error",
    title: "http does not lead to https",
    why: "Visitors who type the address stay on an insecure connection, and search engines may keep both versions.",
    fix: "Redirect every http address to its https twin with one 301.",
    source: REFERENCE.canonical,
    page: ({ fetched, isStart }) => {
      const start = isStart ? URL.parse(fetched.url) : null;
      if (start?.protocol !== "http:" || isLoopbackHost(start.hostname)) return null;
      // A site that could not be reached has told us nothing about https.
      if (fetched.finalStatus === null || fetched.botWall !== null) return null;
      const isSecure = fetched.finalUrl.startsWith("https:");
      const hops = fetched.hops.length;
      if (isSecure && hops <= 1) return null;
      const message = isSecure
        ? `http leads to https only after ${hops} redirects (limit 1).`
        : `${clip(fetched.url)} ends at ${clip(fetched.finalUrl)}, which is not https.`;
      return { evidence: { message, measured: hops, limit: 1, ...(hops > 0 && { found: trail(fetched) }) } };
    },
  },
  {
    id: "redir.meta-refresh",
    severity: "warning",
    title: "Page redirects with a meta refresh",
    why: "It is slower than a redirect of the server, breaks the Back button, and not every search engine follows it.",
    fix: "Answer with a 301 or 308 to the new address instead.",
    source: REFERENCE.redirects,
    page: ({ html, url }) => {
      const refresh = html?.metaRefresh ?? null;
      if (refresh === null || refresh.url === null || isSameAddress(refresh.url, url)) return null;
      const kind =
        refresh.seconds === 0
          ? "at once, which counts as permanent"
          : `after ${refresh.seconds} s, which counts as temporary`;
      return {
        evidence: {
          message: `A meta refresh leads to ${clip(refresh.url)} ${kind}.`,
          measured: refresh.seconds,
          found: `<meta http-equiv="refresh" content="${clip(refresh.raw)}">`,
          target: refresh.url,
        },
      };
    },
  },
];
