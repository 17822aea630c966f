/** Crawled text, addresses and headers are somebody else's: no page may let them become markup, code or a disguise. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Browser } from "../http/support.ts";
import { emptyDatabase, putAudit, read, signedIn, summaryWith } from "./support.ts";

const SCRIPT = `</title><script>alert(1)</script><img src=x onerror=alert(2)>`;
const QUOTES = `" onmouseover="alert(3)" x='`;
const REVERSED = "gpj.\u202Eexe.invoice";

let browser: Browser;
let id: string;
let paths: string[];

beforeAll(async () => {
  await emptyDatabase();
  const page = {
    title: SCRIPT,
    description: QUOTES,
    lang: QUOTES,
    canonical: "javascript:alert(4)",
    links: [
      { to: "/second", anchor: SCRIPT },
      { to: "javascript:alert(5)", anchor: QUOTES },
      { to: "https://other.example/?<script>", anchor: REVERSED },
    ],
  };
  id = await putAudit({
    url: `https://site.example/?q=${encodeURIComponent(SCRIPT)}`,
    site: {
      pages: { "/": page, "/second": { title: REVERSED } },
      targets: { "javascript:alert(5)": { outcome: SCRIPT } },
    },
    issues: [
      {
        check: "title.missing",
        urlId: 1,
        evidence: { message: SCRIPT, found: `<title>${SCRIPT}`, target: "javascript:alert(6)" },
        sources: [[2, SCRIPT]],
      },
      { check: "sitemap.invalid", urlId: 0, evidence: { message: QUOTES, target: "javascript:alert(7)" } },
    ],
    status: "failed",
    columns: { error_code: "unknown", error_detail: SCRIPT, failed_phase: "crawling" },
  });
  const done = await putAudit({
    columns: {
      summary: summaryWith({
        robots: SCRIPT,
        scoreNote: SCRIPT,
        score: null,
        byCheck: [{ check: "title.missing", severity: "error", count: 1 }],
        fixFirst: [
          {
            check: "title.missing",
            severity: "error",
            title: SCRIPT,
            pages: 2,
            examples: [`https://site.example/${QUOTES}`],
            fix: QUOTES,
          },
        ],
      }),
    },
  });
  paths = [
    "/",
    "/?q=%22%3E%3Cscript%3Ealert(8)%3C/script%3E",
    `/audits/${id}`,
    `/audits/${id}/live`,
    `/audits/${id}/findings`,
    `/audits/${id}/findings?q=%22%3E%3Cscript%3E`,
    `/audits/${id}/findings/title.missing`,
    `/audits/${id}/findings/title.missing?q=%3Cscript%3E`,
    `/audits/${id}/findings/sitemap.invalid`,
    `/audits/${id}/pages`,
    `/audits/${id}/pages?q=%3Cscript%3Ealert`,
    `/audits/${id}/pages/1`,
    `/audits/${id}/pages/2`,
    `/audits/${id}/compare`,
    `/audits/${id}/attempts`,
    `/audits/${id}/exports`,
    `/audits/${id}/delete`,
    `/audits/${id}/cancel`,
    `/audits/${done}`,
    `/audits/${done}/findings`,
    "/supervisor",
    "/setup",
    "/?notice=%3Cscript%3E",
  ];
});

beforeEach(async () => {
  browser = await signedIn();
});

describe("on every page", () => {
  test("no crawled text becomes an element, an attribute or code, and nothing is styled or scripted inline", async () => {
    for (const path of paths) {
      const html = await read(browser, path);
      expect(html, path).not.toContain("<script>");
      expect(html, path).not.toMatch(/<img|<iframe|javascript:[^<"]*"/i);
      for (const tag of html.match(/<[a-z][^>]*>/gi) ?? []) {
        expect(tag, path).not.toMatch(/\s(on\w+|style)\s*=/i);
        if (/^<script/i.test(tag)) expect(tag, path).toMatch(/^<script src="\/assets\/live\.[0-9a-f]{12}\.js" defer/);
      }
    }
  });

  test("addresses of the crawled web are links only for http and https, and tell nobody where they were clicked", async () => {
    for (const path of paths) {
      const html = await read(browser, path);
      for (const [tag, href = ""] of html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>/g)) {
        expect(href, path).toMatch(/^(\/|https?:|#main)/);
        if (/^https?:/.test(href)) expect(tag, path).toMatch(/rel="noreferrer (nofollow )?noopener"/);
      }
    }
  });

  test("text that would run backwards is shown with its marks made visible", async () => {
    const html = await read(browser, `/audits/${id}/pages/1`);
    expect(html).not.toContain("\u202E");
    expect(html).toContain("gpj.\ufffdexe.invoice");
  });

  test("the browser is told to run, frame and send nothing but the product's own", async () => {
    for (const path of [...paths, "/audits/nothinghere", "/nowhere"]) {
      const { headers } = await browser.open(path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy, path).toContain("default-src 'none'");
      expect(policy, path).not.toMatch(/unsafe|\*|data:/);
      expect(policy, path).toContain("frame-ancestors 'none'");
      expect(policy, path).toContain("form-action 'self'");
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(headers.get("x-frame-options"), path).toBe("DENY");
      expect(headers.get("referrer-policy"), path).toBe("same-origin");
    }
  });
});
