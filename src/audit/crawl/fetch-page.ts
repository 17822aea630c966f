/** One page address: asked, asked again where the catalogue says so, its HTML read in a stream. */
import type { FetchedPage } from "./fetched.ts";
import { HtmlBody } from "./html-body.ts";
import type { HtmlFacts } from "./html-facts.ts";
import { botWallEvidence, mayShowBotWall } from "./bot-wall.ts";
import { type Answer, discard, readBody, request, type RequestRules } from "./request.ts";
import { parseRetryAfter } from "./retry-after.ts";

export interface PageRules extends RequestRules {
  maxHtmlBytes: number;
  /** Before an address that failed is asked again. Milliseconds. */
  retryDelayMs: number;
  /** A longer Retry-After is not waited for. Milliseconds. */
  maxRetryAfterMs: number;
  sleep: (ms: number) => Promise<void>;
  /** Told of every answer, so that the crawl slows down and speeds up. */
  onTrouble: (pauseMs: number) => void;
  onClean: () => void;
}

export interface PageResult {
  fetched: FetchedPage;
  /** Null unless the address itself (not the end of a redirect) answered 200 with HTML. */
  html: HtmlFacts | null;
}

/** Tries of an address that answers 429 or 503, and of one that fails otherwise (the catalogue: "twice"). */
const TRIES_WHEN_RATE_LIMITED = 3;
const TRIES_WHEN_FAILING = 2;

export async function fetchPage(url: string, rules: PageRules): Promise<PageResult> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await request(url, rules);
    const status = answer.response?.status ?? null;
    const retryable = status === 429 || status === 503;
    if (retryable && attempt < TRIES_WHEN_RATE_LIMITED) {
      const asked = parseRetryAfter(answer.response?.headers.get("retry-after") ?? null, Date.now());
      const pause = asked ?? rules.retryDelayMs * 2 ** (attempt - 1);
      if (pause <= rules.maxRetryAfterMs && !isChallenge(answer)) {
        discard(answer);
        rules.onTrouble(pause);
        await rules.sleep(pause);
        continue;
      }
    }
    const failing = (status !== null && status >= 500 && !retryable) || isPassing(answer);
    if (failing && attempt < TRIES_WHEN_FAILING) {
      discard(answer);
      rules.onTrouble(0);
      await rules.sleep(rules.retryDelayMs);
      continue;
    }
    if (!failing && !retryable) rules.onClean();
    const result = await readPage(url, answer, rules);
    // A body that broke off, or never came, is asked for once more.
    if (result.fetched.failure !== null && answer.failure === null && attempt < TRIES_WHEN_FAILING) {
      rules.onTrouble(0);
      await rules.sleep(rules.retryDelayMs);
      continue;
    }
    return result;
  }
}

const isChallenge = (answer: Answer): boolean => answer.response?.headers.get("cf-mitigated") === "challenge";

/** Failures that may pass: the network's, not the address's. */
const isPassing = (answer: Answer): boolean =>
  answer.failure !== null && ["connection", "timeout_headers", "network", "dns", "tls"].includes(answer.failure.code);

async function readPage(url: string, answer: Answer, rules: PageRules): Promise<PageResult> {
  const { response } = answer;
  // Some sites hand out a cookie and lead back to the same address: that is its page, not a redirect.
  const isOwnTarget = response !== null && answer.finalUrl === url;
  const fetched: FetchedPage = {
    url,
    hops: isOwnTarget ? [] : answer.hops,
    finalUrl: answer.finalUrl,
    status: isOwnTarget ? response.status : answer.status,
    finalStatus: response?.status ?? null,
    failure: answer.failure,
    headers: response === null ? {} : boundedHeaders(response.headers),
    ttfbMs: answer.ttfbMs,
    totalMs: answer.ttfbMs,
    bytes: null,
    truncated: false,
    charset: null,
    botWall: null,
  };
  if (response === null) return { fetched, html: null };
  const startedAt = Date.now() - (answer.ttfbMs ?? 0);
  if (mayShowBotWall(response.status)) {
    fetched.botWall = botWallEvidence(response.status, response.headers, await startOfBody(response, rules));
    return { fetched, html: null };
  }
  // What a redirect leads to is an address of its own and is asked for itself.
  if (response.status !== 200 || fetched.hops.length > 0) {
    discard(answer);
    return { fetched, html: null };
  }
  const html = await readHtml(response, answer, rules, fetched);
  fetched.totalMs = Date.now() - startedAt;
  return { fetched, html };
}

/** A challenge page says so within its first kilobytes. */
async function startOfBody(response: Response, rules: PageRules): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  await readBody(response, { maxBytes: 16_384, timeoutMs: rules.bodyTimeoutMs }, (chunk) => {
    text += decoder.decode(chunk, { stream: true });
  });
  return text;
}

async function readHtml(
  response: Response,
  answer: Answer,
  rules: PageRules,
  fetched: FetchedPage,
): Promise<HtmlFacts | null> {
  const contentType = response.headers.get("content-type");
  const body = new HtmlBody({ url: fetched.url, maxBytes: rules.maxHtmlBytes, contentType });
  if (body.isHtml === false) {
    discard(answer);
    return null;
  }
  const limits = { maxBytes: rules.maxHtmlBytes, timeoutMs: rules.bodyTimeoutMs };
  const end = await readBody(response, limits, (chunk) => body.take(chunk));
  const facts = body.end();
  fetched.bytes = end.bytes;
  fetched.truncated = end.truncated;
  fetched.charset = body.charset;
  if (facts === null) return null;
  // A page that is still coming when its time is up is kept as far as it came; one that broke off is a failure.
  if (end.failure !== null && (end.bytes === 0 || end.failure.code !== "timeout_body")) fetched.failure = end.failure;
  return fetched.failure === null ? { ...facts, truncated: facts.truncated || end.truncated } : null;
}

/** Header names and values that any check reads; the rest is not kept. Bounded, since they are hostile. */
const KEPT_HEADERS = [
  "content-type",
  "content-length",
  "content-encoding",
  "x-robots-tag",
  "link",
  "server",
  "cf-mitigated",
  "retry-after",
  "strict-transport-security",
  "content-security-policy",
  "x-content-type-options",
  "referrer-policy",
  "refresh",
];

function boundedHeaders(headers: Headers): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = headers.get(name);
    if (value !== null) kept[name] = value.slice(0, 4_096);
  }
  return kept;
}
