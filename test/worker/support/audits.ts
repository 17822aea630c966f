/**
 * Audits in tests: started and read through the product's own front door, on sites of this test's own, with short
 * limits. The Worker, its Workflows and the test share one `env`, so that a var set here counts for all of them.
 */
import { env, exports } from "cloudflare:workers";
import { afterEach, expect, onTestFinished, vi } from "vitest";
import type { AuditResponse, IssueResponse, PageResponse } from "../../../src/http/api/schemas.ts";
import { createSite, type Site, type SiteSpec } from "../../support/sites.ts";

const BASE = "http://localhost";

/** Waits that nobody needs in a test; each test may set its own. */
const TEST_VARS: Record<string, string> = {
  LOCAL_MODE: "1",
  UNSAFE_LIMITS: "1",
  RETRY_DELAY_MS: "20",
  HEADERS_TIMEOUT_MS: "1500",
  BODY_TIMEOUT_MS: "1500",
  MAX_RETRY_AFTER_MS: "5000",
  CAPACITY_PER_ORGANIZATION: "50",
};

const vars = env as unknown as Record<string, string>;
const before = { ...vars };

/** Sets wrangler vars until the end of the test. */
export function setVars(values: Record<string, string>): void {
  Object.assign(vars, values);
}

/** Takes a var away until the end of the test. */
export function unsetVar(name: string): void {
  delete vars[name];
}

function resetVars(): void {
  for (const name of Object.keys(vars)) if (typeof vars[name] === "string" && !(name in before)) delete vars[name];
  Object.assign(vars, TEST_VARS);
}

resetVars();
afterEach(resetVars);

/** A site that audits of this test may reach; closed when the test ends. */
export async function openSite(spec: SiteSpec): Promise<Site> {
  const site = await createSite(spec);
  allowHost(site.host);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await site.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { ...site, close };
}

export function allowHost(host: string): void {
  setVars({ ALLOWED_HOSTS: [vars.ALLOWED_HOSTS, host].filter(Boolean).join(",") });
}

export function callApi(path: string, init: RequestInit = {}): Promise<Response> {
  return exports.default.fetch(`${path.startsWith("http") ? "" : BASE}${path}`, init);
}

export const postJson = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  callApi(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** The JSON of an answer that must be a success. */
export async function readOk<T>(answer: Response | Promise<Response>): Promise<T> {
  const response = await answer;
  const text = await response.text();
  expect(response.status, text).toBeLessThan(300);
  return JSON.parse(text) as T;
}

export async function startAudit(url: string, options: Record<string, unknown> = {}): Promise<string> {
  const { id } = await readOk<AuditResponse>(postJson("/api/v1/audits", { url, ...options }));
  return id;
}

export const readAudit = (id: string): Promise<AuditResponse> => readOk(callApi(`/api/v1/audits/${id}`));

/** Polls until the condition holds. */
export async function waitUntil<T>(read: () => Promise<T>, holds: (value: T) => boolean, timeout = 50_000): Promise<T> {
  const last: { value?: T } = {};
  const asked = async (): Promise<boolean> => holds((last.value = await read()));
  await vi.waitUntil(asked, { timeout, interval: 30 }).catch((error: unknown) => {
    throw new Error(`waited in vain; the last that was seen: ${JSON.stringify(last.value)}`, { cause: error });
  });
  return last.value as T;
}

/** The audit once it is over; a run that never ends fails the test. */
export const waitForEnd = (id: string, timeout?: number): Promise<AuditResponse> =>
  waitUntil(
    () => readAudit(id),
    (audit) => audit.status !== "running",
    timeout,
  );

/** All items of a list, page after page. */
export async function readAll<T>(path: string, limit = 200): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { items: T[]; nextCursor: string | null } = await readOk(callApi(`${path}?limit=${limit}${next}`));
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

export interface Outcome {
  site: Site;
  audit: AuditResponse;
  pages: PageResponse[];
  issues: IssueResponse[];
  /** The page at a path of the site. */
  page: (path: string) => PageResponse | undefined;
  /** "check path" of every finding. */
  findings: string[];
}

export async function outcomeOf(id: string, site: Site): Promise<Outcome> {
  const audit = await waitForEnd(id);
  const pages = await readAll<PageResponse>(`/api/v1/audits/${id}/pages`);
  const issues = await readAll<IssueResponse>(`/api/v1/audits/${id}/issues`);
  const pathOf = (url: string): string => (url.startsWith(site.origin) ? url.slice(site.origin.length) : url);
  return {
    site,
    audit,
    pages,
    issues,
    page: (path) => pages.find(({ url }) => pathOf(url) === path),
    findings: issues.map(({ check, url }) => `${check} ${pathOf(url)}`),
  };
}

/** Audits a site from its start page (or `path`) to the end. */
export async function auditSite(
  spec: SiteSpec | Site,
  { path = "/", ...options }: { path?: string; maxPages?: number } = {},
): Promise<Outcome> {
  const site = "origin" in spec ? spec : await openSite(spec);
  return outcomeOf(await startAudit(site.origin + path, options), site);
}

/** Rows of the database, for what no door shows. */
export async function rows<T = Record<string, unknown>>(query: string, ...values: unknown[]): Promise<T[]> {
  const { results } = await env.DB.prepare(query)
    .bind(...values)
    .all<T>();
  return results;
}

/** A small page that links to the given addresses. */
export const linkPage = (title: string, ...hrefs: string[]): { body: string } => ({
  body: `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1>${hrefs
    .map((href) => `<p><a href="${href}">to ${href}</a></p>`)
    .join("")}</body></html>`,
});

/** The paths that a site was asked for, in order. */
export const askedPaths = async (site: Site): Promise<string[]> => (await site.requests()).map(({ path }) => path);

/** How often each path was asked for. */
export async function askedTimes(site: Site): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const path of await askedPaths(site)) times[path] = (times[path] ?? 0) + 1;
  return times;
}
