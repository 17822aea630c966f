/** Rows of an audit as the crawl would have left them, made from a short description of a site. */
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import type { AnalysisInput, AnalysisWriter } from "../../../src/audit/analysis/analysis-context.ts";
import { analyzePages } from "../../../src/audit/analysis/analyze-pages.ts";
import type { SiteContext } from "../../../src/audit/checks/check.ts";
import { LINK, RESOURCE } from "../../../src/audit/crawl/link-flags.ts";
import { openDatabase, runBatch } from "../../../src/storage/database.ts";
import { insertRows } from "../../../src/storage/insert-rows.ts";
import { SOURCE, URL_STATE } from "../../../src/storage/schema.ts";

export const ORIGIN = "https://site.example";
export const db = openDatabase(env.DB);

export interface SeededLink {
  to: string;
  anchor?: string;
  nofollow?: boolean;
  iframe?: boolean;
}

/** What is said of one address; everything else is as on a sound page of the site. Paths are on ORIGIN. */
export interface SeededPage {
  status?: number | null;
  finalStatus?: number | null;
  failure?: string;
  redirectsTo?: string;
  indexability?: string;
  detail?: string;
  noindex?: boolean;
  nofollow?: boolean;
  title?: string;
  lang?: string;
  description?: string;
  canonical?: string;
  words?: number;
  textKey?: string;
  minhash?: string;
  links?: (string | SeededLink)[];
  images?: string[];
  scripts?: string[];
  styles?: string[];
  hreflang?: [string, string][];
  extras?: Record<string, unknown>;
  fragments?: [string, string][];
  ttfbMs?: number;
  bytes?: number;
  truncated?: boolean;
  sitemap?: boolean;
}

export interface SeededTarget {
  outcome?: string;
  status?: number | null;
  failure?: string;
  bytes?: number;
  contentType?: string;
}

export interface SeededSite {
  pages: Record<string, SeededPage>;
  targets?: Record<string, SeededTarget>;
  /** Addresses that were not requested, with the reason. */
  refused?: Record<string, { reason: string; sitemap?: boolean }>;
  /** Addresses that still wait. */
  waiting?: string[];
}

const absolute = (path: string): string => (path.startsWith("/") ? ORIGIN + path : path);

function indexabilityOf(page: SeededPage, url: string): string {
  if (page.indexability !== undefined) return page.indexability;
  const status = page.status === undefined ? 200 : page.status;
  const final = page.finalStatus ?? status;
  if (page.failure !== undefined || status === null) return "network-error";
  if ([401, 403, 429, 451, 999].includes(final ?? 0)) return "blocked-by-bot-protection";
  if (final !== null && final >= 500) return "5xx";
  if (final !== null && final >= 400) return "4xx";
  if (page.redirectsTo !== undefined) return "redirect";
  if (page.noindex) return "noindex";
  return page.canonical !== undefined && absolute(page.canonical) !== url ? "canonicalised" : "indexable";
}

/** Writes the rows of an audit and returns its id. The first page is the start page. */
export async function seedAudit(site: SeededSite): Promise<string> {
  const auditId = crypto.randomUUID();
  const ids = new Map<string, number>();
  const id = (address: string): number => {
    const url = absolute(address);
    const known = ids.get(url) ?? ids.size + 1;
    ids.set(url, known);
    return known;
  };
  for (const path of Object.keys(site.pages)) id(path);
  const pageRows = Object.entries(site.pages).map(([path, page]) => {
    const status = page.status === undefined ? (page.redirectsTo === undefined ? 200 : 301) : page.status;
    const isHtml = status === 200 && page.failure === undefined;
    const links = (page.links ?? []).map((link) => (typeof link === "string" ? { to: link } : link));
    const resources = new Map<number, number>();
    const load = (paths: string[] | undefined, flag: number) =>
      paths?.forEach((at) => resources.set(id(at), (resources.get(id(at)) ?? 0) | flag));
    load(page.images, RESOURCE.image);
    load(page.scripts, RESOURCE.script);
    load(page.styles, RESOURCE.style);
    const extras = {
      ...page.extras,
      ...(page.fragments && { fragments: page.fragments.map(([to, fragment]) => [id(to), fragment]) }),
    };
    const cells: Record<string, string | number | null> = {
      audit_id: auditId,
      url_id: id(path),
      fetched_at: 0,
      status,
      final_status: page.finalStatus ?? (page.redirectsTo === undefined ? status : 200),
      failure: page.failure ?? null,
      target_id: page.redirectsTo === undefined ? null : id(page.redirectsTo),
      bytes: page.bytes ?? 10_000,
      truncated: page.truncated ? 1 : 0,
      ttfb_ms: page.ttfbMs ?? 50,
      indexability: indexabilityOf({ ...page, status }, absolute(path)),
      indexability_detail: page.detail ?? null,
      noindex: page.noindex ? 1 : 0,
      nofollow: page.nofollow ? 1 : 0,
      title: isHtml ? (page.title ?? `Title of ${path}`) : null,
      title_key: isHtml ? `${page.title ?? `Title of ${path}`}|${page.lang ?? ""}` : null,
      description: page.description ?? null,
      description_key: page.description ?? null,
      canonical: page.canonical === undefined ? null : absolute(page.canonical),
      canonical_id: page.canonical === undefined ? null : id(page.canonical),
      word_count: isHtml ? (page.words ?? 300) : null,
      text_key: isHtml ? (page.textKey ?? `text of ${path}`) : null,
      minhash: page.minhash ?? null,
      links: isHtml
        ? JSON.stringify(
            links.map((link) => [
              id(link.to),
              (link.nofollow ? LINK.nofollow : 0) |
                (link.iframe ? LINK.iframe : 0) |
                (absolute(link.to).startsWith(`${ORIGIN}/`) ? 0 : LINK.external),
              link.anchor ?? "",
            ]),
          )
        : null,
      resources: isHtml ? JSON.stringify([...resources]) : null,
      hreflang: page.hreflang ? JSON.stringify(page.hreflang.map(([lang, to]) => [lang, id(to)])) : null,
      extras: JSON.stringify(extras),
    };
    return cells;
  });
  const targetRows = Object.entries(site.targets ?? {}).map(([url, target]) => [
    auditId,
    id(url),
    0,
    target.outcome ?? "ok",
    target.status === undefined ? 200 : target.status,
    target.failure ?? null,
    target.bytes ?? null,
    target.contentType ?? null,
  ]);
  for (const path of Object.keys(site.refused ?? {})) id(path);
  for (const path of site.waiting ?? []) id(path);
  const urlRows = [...ids].map(([url, urlId]) => {
    const path = url.startsWith(`${ORIGIN}/`) ? url.slice(ORIGIN.length) : url;
    const page = site.pages[path];
    const refusal = site.refused?.[path];
    const isTarget = site.targets?.[path] !== undefined;
    const source =
      (urlId === 1 ? SOURCE.start : 0) |
      (page?.sitemap || refusal?.sitemap ? SOURCE.sitemap : 0) |
      (isTarget ? SOURCE.resource : SOURCE.link);
    const state = page || isTarget ? URL_STATE.done : refusal ? URL_STATE.refused : URL_STATE.waiting;
    return [auditId, urlId, url, url, 0, 0, source, state, refusal?.reason ?? null];
  });
  const columns = Object.keys(pageRows[0]!);
  const always = sql`1 = 1`;
  await runBatch(db, [
    ...insertRows(
      "audit_urls",
      ["audit_id", "id", "url", "key", "queue", "depth", "source", "state", "refusal"],
      urlRows,
      always,
    ),
    ...insertRows(
      "audit_pages",
      columns,
      pageRows.map((row) => columns.map((column) => row[column] ?? null)),
      always,
    ),
    ...insertRows(
      "audit_targets",
      ["audit_id", "url_id", "checked_at", "outcome", "status", "failure", "bytes", "content_type"],
      targetRows,
      always,
    ),
  ]);
  return auditId;
}

export function inputOf(auditId: string, options: Partial<SiteContext> & { robotsText?: string } = {}): AnalysisInput {
  const { robotsText, ...context } = options;
  return {
    db,
    robotsText: robotsText ?? null,
    site: {
      auditId,
      siteOrigin: ORIGIN,
      startUrl: `${ORIGIN}/`,
      crawlCompleted: true,
      discovery: {
        robots: { url: `${ORIGIN}/robots.txt`, status: 404, unreachable: false, problems: [] },
        sitemaps: [],
      },
      ...context,
    },
  };
}

export const writer: AnalysisWriter = {
  holds: sql`1 = 1`,
  save: async (statements) => void (await runBatch(db, statements)),
};

export interface SeenIssue {
  check: string;
  /** Path on the site; "site" for the site as a whole. */
  at: string;
  severity: string;
  message: string;
  evidence: Record<string, unknown>;
  sources: [string, string][];
  count: number | null;
}

const pathOf = (url: string): string => (url.startsWith(`${ORIGIN}/`) ? url.slice(ORIGIN.length) : url);

/** Analyses the audit and returns what it found. */
export async function analyse(auditId: string, options: Parameters<typeof inputOf>[1] = {}): Promise<SeenIssue[]> {
  await analyzePages(inputOf(auditId, options), writer);
  return issuesOf(auditId);
}

export async function issuesOf(auditId: string): Promise<SeenIssue[]> {
  const urls = await db.all<{ id: number; url: string }>(
    sql`select id, url from audit_urls where audit_id = ${auditId}`,
  );
  const byId = new Map(urls.map(({ id, url }) => [id, pathOf(url)]));
  const rows = await db.all<{
    check_id: string;
    url_id: number;
    severity: string;
    evidence: string;
    sources: string | null;
    source_count: number | null;
  }>(sql`select * from audit_issues where audit_id = ${auditId} order by check_id, url_id`);
  return rows.map((row) => {
    const evidence: Record<string, unknown> & { message: string } = JSON.parse(row.evidence);
    const sources: [number, string][] = JSON.parse(row.sources ?? "[]");
    return {
      check: row.check_id,
      at: row.url_id === 0 ? "site" : byId.get(row.url_id)!,
      severity: row.severity,
      message: evidence.message,
      evidence,
      sources: sources.map(([id, anchor]): [string, string] => [byId.get(id)!, anchor]),
      count: row.source_count,
    };
  });
}

/** Seeds, analyses, and gives the findings of one check as "severity at". */
export async function findingsOf(
  check: string,
  site: SeededSite,
  options: Parameters<typeof inputOf>[1] = {},
): Promise<SeenIssue[]> {
  const issues = await analyse(await seedAudit(site), options);
  return issues.filter((issue) => issue.check === check);
}

export const places = (issues: readonly SeenIssue[]): string[] => issues.map(({ severity, at }) => `${severity} ${at}`);
