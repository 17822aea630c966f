/** The site's robots.txt, asked with the crawler's own User-Agent, and what its status means (RFC 9309, 2.3.1). */
import type { DiscoveryFacts } from "../checks/check.ts";
import { type Answer, readBody, request, type RequestRules } from "./request.ts";
import {
  allowAllRobots,
  disallowAllRobots,
  parseRobots,
  ROBOTS_MAX_BYTES,
  type Robots,
  robotsAvailability,
} from "./robots.ts";

export interface FetchedRobots {
  robots: Robots;
  /** As received; null where there are no rules to keep. */
  text: string | null;
  facts: DiscoveryFacts["robots"];
}

/** Problems of one file that are reported. */
const MAX_PROBLEMS = 100;

export async function fetchRobots(siteOrigin: string, rules: RequestRules, pauseMs: number): Promise<FetchedRobots> {
  const url = `${siteOrigin}/robots.txt`;
  let answer = await request(url, rules);
  // A passing fault must not stop an audit: everything that would forbid the whole site is asked once more.
  if (robotsAvailability(statusOf(answer)) === "disallow_all") {
    answer.response?.body?.cancel().catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    answer = await request(url, rules);
  }
  const status = statusOf(answer);
  const availability = robotsAvailability(status);
  const facts = { url, status, unreachable: availability === "disallow_all", problems: [] };
  if (availability !== "read" || answer.response === null) {
    answer.response?.body?.cancel().catch(() => {});
    return { robots: availability === "disallow_all" ? disallowAllRobots() : allowAllRobots(), text: null, facts };
  }
  const bytes = await collect(answer.response, rules.bodyTimeoutMs);
  const robots = parseRobots(bytes, { url });
  const problems = robots.problems.slice(0, MAX_PROBLEMS).map(({ line, message }) => ({ line, message }));
  return { robots, text: decode(bytes), facts: { ...facts, problems } };
}

/** Redirects that lead nowhere are like a missing file; what did not answer at all is null. */
function statusOf({ response, failure, hops }: Answer): number | null {
  if (response !== null) return response.status;
  return failure !== null && hops.length > 0 && /redirect|location|scheme/.test(failure.code) ? 404 : null;
}

async function collect(response: Response, timeoutMs: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  // One byte more than is read, so that the parser can see and say that the file is too long.
  await readBody(response, { maxBytes: ROBOTS_MAX_BYTES + 1, timeoutMs }, (chunk) => {
    chunks.push(chunk);
  });
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

function decode(bytes: Uint8Array): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}
