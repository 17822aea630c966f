/**
 * A server that keeps the API's contract (src/http/api/schemas.ts) and tells one story: an audit that goes through its
 * phases, one step a poll, and ends as told. For tests of the command line that must not wait for a real audit.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AuditResponse, ChecksResponse, IssueResponse, PageResponse } from "../../src/http/api/schemas.ts";

const T0 = 1_790_000_000_000;

export function auditAnswer(changes: Partial<AuditResponse> = {}): AuditResponse {
  return {
    id: "fake-1",
    url: "https://shop.example/",
    siteOrigin: "https://shop.example",
    status: "running",
    attempt: 1,
    phase: "crawling",
    maxPages: 500,
    options: {
      include: [],
      exclude: [],
      subdomains: false,
      maxDepth: null,
      listed: 0,
      sitemapOnly: false,
      ignoreParameters: [],
      userAgent: null,
      requestDelayMs: 0,
      hasSecrets: false,
    },
    pagesCrawled: 0,
    pagesTotal: 0,
    createdAt: T0,
    startedAt: T0,
    endedAt: null,
    endedBy: null,
    heartbeat: { at: T0, seq: 1, dueAt: T0 + 30_000, ageMs: 4_000, overdue: false },
    verdict: null,
    errorCode: null,
    error: null,
    failedPhase: null,
    supervisor: { late: false, lastFinishedAt: T0, note: null },
    summary: null,
    now: T0 + 41_000,
    ...changes,
  };
}

export const SUMMARY: NonNullable<AuditResponse["summary"]> = {
  score: 82,
  scoreNote: null,
  issues: { error: 1, warning: 2, notice: 4 },
  pages: 1_284,
  indexable: 1_102,
  blocked: 0,
  crawlCompleted: true,
  robots: "within robots.txt",
  checksPassed: 51,
  checksTotal: 66,
  scoreParts: null,
  indexability: { indexable: 1_102, noindex: 182 },
  statuses: { "2xx": 1_284 },
  depths: { "0": 1, "1": 1_283 },
  links: { internal: 12_840, perPage: 10, most: 40, withoutInlinks: 0 },
  ttfbMs: null,
  bytes: null,
  comparison: null,
  byCheck: [
    { check: "link.broken-internal", severity: "error", count: 1 },
    { check: "title.duplicate", severity: "warning", count: 2 },
    { check: "title.length", severity: "notice", count: 4 },
  ],
  fixFirst: [
    {
      check: "link.broken-internal",
      severity: "error",
      title: "12 pages link to /spring-sale, which answers 404",
      pages: 12,
      examples: ["https://shop.example/", "https://shop.example/garden", "https://shop.example/tools"],
      fix: "remove the links or redirect the page",
    },
  ],
};

export const COMPLETED = auditAnswer({
  status: "completed",
  phase: "finishing",
  pagesCrawled: 1_284,
  pagesTotal: 1_284,
  endedAt: T0 + 41_000,
  endedBy: "workflow",
  summary: SUMMARY,
});

export const FAILED = auditAnswer({
  status: "failed",
  pagesCrawled: 812,
  pagesTotal: 1_300,
  endedAt: T0 + 400_000,
  endedBy: "watchdog",
  errorCode: "heartbeat_lost",
  failedPhase: "crawling",
  error: {
    code: "heartbeat_lost",
    title: "The run stopped sending heartbeats",
    explanation: "It was silent for 6 min 12 s although the platform still calls it running.",
    advice: "Resume goes on from here.",
    retryable: true,
    detail: null,
  },
});

export const ISSUES: IssueResponse[] = [
  {
    check: "link.broken-internal",
    severity: "error",
    url: "https://shop.example/spring-sale",
    evidence: { message: "answers 404", status: 404 },
    sources: { count: 12, sample: [{ url: "https://shop.example/", anchor: "a tenth off" }] },
  },
  {
    check: "title.duplicate",
    severity: "warning",
    url: "https://shop.example/a",
    evidence: { message: '=cmd|"/c calc"!A1, said the title' },
    sources: { count: 0, sample: [] },
  },
];

const CHECKS: ChecksResponse = {
  "link.broken-internal": { severity: "error", title: "Broken internal link", why: "w", fix: "f", source: null },
  "title.duplicate": { severity: "warning", title: "Duplicate title", why: "w", fix: "f", source: null },
};

const pageAnswer = (at: number): PageResponse => ({
  url: `https://shop.example/${at}`,
  status: 200,
  finalUrl: null,
  title: `Page ${at}`,
  description: null,
  indexability: "indexable",
  indexabilityDetail: null,
  depth: 1,
  inlinks: 1,
  wordCount: 200,
  contentType: "text/html",
  bytes: 14_000,
  ttfbMs: 12,
  truncated: false,
  failure: null,
  canonical: null,
});

interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

interface Story {
  /** What each poll of the audit sees; the last is seen for ever. */
  polls?: AuditResponse[];
  issues?: IssueResponse[];
  /** How many pages the audit has found. */
  pages?: number;
  /** Asks every request for this token. */
  token?: string;
  /** Answers instead of the story where it answers at all. */
  override?: (method: string, path: string, body: unknown) => Reply | null;
}

export interface FakeServer {
  url: string;
  /** "POST /api/v1/audits" and so on, in order. */
  requests: string[];
  bodies: unknown[];
  tokens: (string | undefined)[];
  close: () => Promise<void>;
}

const problem = (status: number, code: string, message: string): Reply => ({
  status,
  body: { error: { code, message, hint: "The hint." } },
});

/** A slice of the list, two items a page. */
function pageOf(items: readonly unknown[], query: URLSearchParams): Reply {
  const from = Number(query.get("cursor") ?? "0");
  const next = from + 2;
  return {
    status: 200,
    body: { items: items.slice(from, next), nextCursor: next < items.length ? String(next) : null },
  };
}

export async function fakeServer(story: Story = {}): Promise<FakeServer> {
  const polls = [...(story.polls ?? [COMPLETED])];
  const issues = story.issues ?? ISSUES;
  const pages = Array.from({ length: story.pages ?? 5 }, (_, at) => pageAnswer(at));
  const fake: FakeServer = { url: "", requests: [], bodies: [], tokens: [], close: async () => {} };

  const reply = (method: string, url: URL, body: unknown, token: string | undefined): Reply => {
    if (story.token !== undefined && token !== `Bearer ${story.token}`) {
      return problem(401, "unauthorized", "This server answers with a token only.");
    }
    const own = story.override?.(method, url.pathname, body);
    if (own) return own;
    const route = `${method} ${url.pathname}`;
    if (route === "POST /api/v1/audits") return { status: 201, body: { id: "fake-1", status: "running" } };
    if (route === "GET /api/v1/checks") return { status: 200, body: CHECKS };
    if (route === "GET /api/v1/audits/fake-1/issues") return pageOf(issues, url.searchParams);
    if (route === "GET /api/v1/audits/fake-1/pages") return pageOf(pages, url.searchParams);
    if (route === "GET /api/v1/audits/fake-1") {
      return { status: 200, body: (polls.length > 1 ? polls.shift() : polls[0]) ?? COMPLETED };
    }
    return problem(404, "not_found", `There is nothing at ${url.pathname}.`);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const url = new URL(request.url ?? "/", "http://localhost");
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    const method = request.method ?? "GET";
    fake.requests.push(`${method} ${url.pathname}`);
    fake.bodies.push(body);
    fake.tokens.push(request.headers.authorization);
    const answer = reply(method, url, body, request.headers.authorization);
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
  };

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  fake.url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  fake.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return fake;
}
