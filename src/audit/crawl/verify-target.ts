/**
 * Does an address that pages point at exist? Asked with HEAD first, then with GET: many servers answer HEAD wrongly.
 * What refuses our crawler is told apart from what is broken.
 */
import type { FetchFailure } from "./fetched.ts";
import { botWallEvidence, mayShowBotWall } from "./bot-wall.ts";
import { type Answer, discard, request, requestLimitMs, type RequestRules } from "./request.ts";

export type TargetOutcome = "ok" | "broken" | "blocked" | "failed";

export interface VerifiedTarget {
  outcome: TargetOutcome;
  status: number | null;
  failure: FetchFailure | null;
  bytes: number | null;
  contentType: string | null;
  detail: string | null;
}

/** Failures that speak of the address itself and count as broken once they have come twice (the catalogue). */
const LASTING: ReadonlySet<FetchFailure> = new Set<FetchFailure>(["dns", "tls"]);
/** Failures that no second request would change. */
const CERTAIN: ReadonlySet<FetchFailure> = new Set<FetchFailure>([
  "address_not_allowed",
  "unsupported_scheme",
  "redirect_loop",
  "too_many_redirects",
  "invalid_location",
]);

/** The longest that one target can take. Milliseconds. */
export const targetLimitMs = (rules: RequestRules): number => 2 * requestLimitMs(rules);

export async function verifyTarget(url: string, rules: RequestRules): Promise<VerifiedTarget> {
  const head = await request(url, rules, "HEAD");
  if (isGood(head)) return judge(head);
  if (head.failure !== null && CERTAIN.has(head.failure.code)) return judge(head);
  discard(head);
  const get = await request(url, rules, "GET");
  discard(get);
  return judge(get);
}

const isGood = ({ response }: Answer): boolean => response !== null && response.status >= 200 && response.status < 300;

function judge(answer: Answer): VerifiedTarget {
  const { response, failure } = answer;
  const length = Number(response?.headers.get("content-length") ?? Number.NaN);
  const target = {
    status: response?.status ?? null,
    failure: failure?.code ?? null,
    bytes: Number.isSafeInteger(length) ? length : null,
    contentType: response?.headers.get("content-type")?.slice(0, 200) ?? null,
  };
  if (response === null) {
    const broken = failure !== null && (LASTING.has(failure.code) || CERTAIN.has(failure.code));
    const outcome = failure?.code === "address_not_allowed" ? "blocked" : broken ? "broken" : "failed";
    return { ...target, outcome, detail: failure?.detail.slice(0, 300) ?? null };
  }
  const { status } = response;
  if (status < 400) return { ...target, outcome: "ok", detail: null };
  if (mayShowBotWall(status) && status !== 503) {
    return { ...target, outcome: "blocked", detail: botWallEvidence(status, response.headers, "") };
  }
  return { ...target, outcome: status >= 500 ? "failed" : "broken", detail: null };
}

/** What robots.txt forbids is not asked for: whether it is there cannot be said. */
export const forbiddenTarget = (): VerifiedTarget => ({
  outcome: "blocked",
  status: null,
  failure: "robots_disallowed",
  bytes: null,
  contentType: null,
  detail: "robots.txt forbids the address",
});
