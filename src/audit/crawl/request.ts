/**
 * One address asked, its redirects followed by hand: every hop is checked against the address rules, cookies live only
 * within the chain, and each wait for headers goes through the throttle and has a limit.
 */
import { isAddressAllowed } from "./addresses.ts";
import { type CookieJar, createCookieJar, maySendCredentials } from "./cookies.ts";
import { classifyFetchError, explainFailure, isUnexplained, originError, rethrowPlatformLimit } from "./failures.ts";
import type { FetchFailure, Hop } from "./fetched.ts";
import { opensPort } from "./open-port.ts";
import type { Throttle } from "./throttle.ts";
import { parseHttpUrl, requestHref } from "./url.ts";

/** Google stops at ten (G-http); so do we. */
export const MAX_REDIRECTS = 10;

/**
 * All the waiting for headers along one chain of redirects, in units of the limit for one wait: a chain of slow answers
 * must not take eleven times as long as a page may.
 */
const CHAIN_WAITS = 3;

/** The longest that one request can take from its turn to the end of its body. Milliseconds. */
export const requestLimitMs = (limits: { headersTimeoutMs: number; bodyTimeoutMs: number }): number =>
  CHAIN_WAITS * limits.headersTimeoutMs + limits.bodyTimeoutMs;

export interface RequestRules {
  userAgent: string;
  allowedHosts: readonly string[];
  /** Hosts of the product itself, which are never asked. */
  ownHosts?: readonly string[];
  headersTimeoutMs: number;
  bodyTimeoutMs: number;
  throttle: Pick<Throttle, "run">;
  fetch: (input: string, init: RequestInit) => Promise<Response>;
  /** Sent to the audited site only, and never from https down to http. */
  siteHeaders?: { site: URL; headers: Readonly<Record<string, string>> };
  /** Asked for each address that a redirect leads to; null: no rules. */
  robotsAllow?: ((url: string) => boolean | Promise<boolean>) | null;
  /** Once aborted, nothing more is asked: the step that wanted it is over. */
  stop?: AbortSignal;
}

export interface Answer {
  hops: Hop[];
  finalUrl: string;
  /** The status of the requested address itself. */
  status: number | null;
  response: Response | null;
  failure: { code: FetchFailure; detail: string } | null;
  ttfbMs: number | null;
  /** Ends the body: after the answer's time, or when it is not wanted. */
  abort: AbortController;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Asks for `url`. Whoever gets a response must read its body or cancel it (see readBody, discard). What goes wrong with
 * the address is in the answer; thrown is only what no address is to blame for: a limit of the platform, or `stop`.
 */
export async function request(url: string, rules: RequestRules, method: "GET" | "HEAD" = "GET"): Promise<Answer> {
  const hops: Hop[] = [];
  const cookies = createCookieJar();
  let current = url;
  let waitLeftMs = CHAIN_WAITS * rules.headersTimeoutMs;
  let answer: Omit<Answer, "hops" | "status" | "finalUrl">;
  for (;;) {
    const refusal = await refuse(current, rules, hops.length > 0);
    if (refusal !== null) {
      answer = { response: null, failure: refusal, ttfbMs: null, abort: new AbortController() };
      break;
    }
    const limitMs = Math.max(1, Math.min(waitLeftMs, rules.headersTimeoutMs));
    const { waitedMs, ...asked } = await askOnce(current, rules, { method, cookies, limitMs });
    answer = asked;
    waitLeftMs -= waitedMs;
    const { response } = answer;
    if (response === null || !REDIRECTS.has(response.status)) break;
    const location = response.headers.get("location");
    hops.push({ url: current, status: response.status, location: location?.slice(0, 2_048) ?? null });
    cookies.store(current, response.headers);
    discard(answer);
    const next = follow(current, location);
    const failure = typeof next === "string" ? loopOrLimit(next, hops, cookies.header(next) !== null) : next;
    if (failure !== null) {
      answer = { ...answer, response: null, failure };
      break;
    }
    current = next as string;
  }
  return { ...answer, hops, finalUrl: current, status: hops[0]?.status ?? answer.response?.status ?? null };
}

async function refuse(url: string, rules: RequestRules, isHop: boolean): Promise<Answer["failure"]> {
  const verdict = isAddressAllowed(new URL(url), rules.allowedHosts, rules.ownHosts);
  if (!verdict.ok) return { code: "address_not_allowed", detail: verdict.message };
  if (isHop && rules.robotsAllow && !(await rules.robotsAllow(url))) return { code: "robots_disallowed", detail: url };
  return null;
}

/** The next address, or why there is none. The fragment of a redirect is of no use to a crawler. */
function follow(from: string, location: string | null): string | NonNullable<Answer["failure"]> {
  if (location === null || location.trim() === "")
    return { code: "invalid_location", detail: "the Location header is missing" };
  const parsed = parseHttpUrl(location, from);
  if (parsed.ok) return requestHref(parsed.url);
  const code = parsed.reason === "unsupported_scheme" ? "unsupported_scheme" : "invalid_location";
  return { code, detail: parsed.message };
}

/**
 * A hop that comes back to where it was is a loop, unless a cookie was given on the way: then the same address may
 * answer differently, once.
 */
function loopOrLimit(next: string, hops: readonly Hop[], hasCookie: boolean): Answer["failure"] {
  if (hops.length > MAX_REDIRECTS) {
    return { code: "too_many_redirects", detail: `${hops.length} redirects, the limit is ${MAX_REDIRECTS}` };
  }
  const visits = hops.filter((hop) => hop.url === next).length;
  return visits < (hasCookie ? 2 : 1) ? null : { code: "redirect_loop", detail: `${next} comes up again` };
}

async function askOnce(
  url: string,
  rules: RequestRules,
  how: { method: string; cookies: CookieJar; limitMs: number },
): Promise<Pick<Answer, "response" | "failure" | "ttfbMs" | "abort"> & { waitedMs: number }> {
  const abort = new AbortController();
  const headers: Record<string, string> = {
    "user-agent": rules.userAgent,
    accept: "text/html,application/xhtml+xml,*/*;q=0.8",
    "accept-encoding": "gzip, br",
  };
  const { method, cookies, limitMs } = how;
  const cookie = cookies.header(url);
  if (cookie !== null) headers.cookie = cookie;
  if (rules.siteHeaders !== undefined && maySendCredentials(rules.siteHeaders.site, new URL(url))) {
    // In lower case, as ours are: a name that differs in case only would be sent beside ours.
    for (const [name, value] of Object.entries(rules.siteHeaders.headers)) {
      const key = name.toLowerCase();
      headers[key] = key === "cookie" && cookie !== null ? `${cookie}; ${value}` : value;
    }
  }
  return rules.throttle.run(async () => {
    rules.stop?.throwIfAborted();
    const startedAt = Date.now();
    const waited = (): number => Date.now() - startedAt;
    const timer = setTimeout(() => abort.abort("headers"), limitMs);
    try {
      const response = await rules.fetch(url, { method, headers, redirect: "manual", signal: abort.signal });
      const waitedMs = waited();
      const failure = originError(response.status, response.headers);
      if (failure === null) return { response, failure, ttfbMs: waitedMs, abort, waitedMs };
      response.body?.cancel().catch(() => {});
      return { response: null, failure, ttfbMs: waitedMs, abort, waitedMs };
    } catch (error) {
      rethrowPlatformLimit(error);
      const failure = abort.signal.aborted
        ? outOfTime(limitMs, rules)
        : isUnexplained(error)
          ? await explainFailure(new URL(url), opensPort)
          : classifyFetchError(error);
      return { response: null, failure, ttfbMs: null, abort, waitedMs: waited() };
    } finally {
      clearTimeout(timer);
    }
  });
}

/** Out of time: for one answer, or for all the redirects on the way to it. */
const outOfTime = (limitMs: number, { headersTimeoutMs }: RequestRules): NonNullable<Answer["failure"]> =>
  limitMs < headersTimeoutMs
    ? { code: "too_many_redirects", detail: `together they took longer than ${CHAIN_WAITS * headersTimeoutMs} ms` }
    : { code: "timeout_headers", detail: `no answer within ${headersTimeoutMs} ms` };

/** Gives the body up; an unread body would keep its connection. */
export function discard(answer: Pick<Answer, "response" | "abort">): void {
  answer.response?.body?.cancel().catch(() => {});
}

/** The runtime hands bodies over in pieces of 4 KB unless asked for more, and every piece costs a turn of its event loop. */
const READ_BYTES = 16_384;

type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;

function readerOf(body: ReadableStream<Uint8Array>): BodyReader {
  try {
    const reader = body.getReader({ mode: "byob" });
    return { read: () => reader.read(new Uint8Array(READ_BYTES)), cancel: (reason) => reader.cancel(reason) };
  } catch {
    // Not a stream of bytes: no response of the network, but one that code has made.
    return body.getReader();
  }
}

export interface BodyEnd {
  bytes: number;
  truncated: boolean;
  failure: { code: FetchFailure; detail: string } | null;
}

/**
 * Streams a body into `take` until it ends, `maxBytes` decoded bytes have come, `take` returns false, or `timeoutMs`
 * is over. What has come is kept: a failure in the middle is reported beside it. Never throws.
 */
export async function readBody(
  response: Response,
  limits: { maxBytes: number; timeoutMs: number },
  take: (chunk: Uint8Array) => boolean | void,
): Promise<BodyEnd> {
  let bytes = 0;
  if (response.body === null) return { bytes, truncated: false, failure: null };
  const reader = readerOf(response.body);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    reader.cancel("body timeout").catch(() => {});
  }, limits.timeoutMs);
  const timedOut = { code: "timeout_body" as const, detail: `not finished within ${limits.timeoutMs} ms` };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (late) return { bytes, truncated: true, failure: timedOut };
      if (done) return { bytes, truncated: false, failure: null };
      const room = limits.maxBytes - bytes;
      const chunk = value.byteLength > room ? value.subarray(0, room) : value;
      bytes += chunk.byteLength;
      const goOn = take(chunk);
      if (goOn === false || value.byteLength > room) {
        reader.cancel("enough").catch(() => {});
        return { bytes, truncated: value.byteLength > room, failure: null };
      }
    }
  } catch (error) {
    return { bytes, truncated: true, failure: late ? timedOut : classifyFetchError(error) };
  } finally {
    clearTimeout(timer);
  }
}
