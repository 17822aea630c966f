import { beforeAll, describe, expect, test } from "vitest";
import { createSite } from "../../support/sites.ts";
import { allowHost, callApi, linkPage, outcomeOf, startAudit } from "../support/audits.ts";

const HOSTILE = '</title><script>alert(1)</script>=HYPERLINK("http://evil.example","x")';

let id: string;
let origin: string;

async function exported(
  file: string,
): Promise<{ status: number; type: string | null; headers: Headers; text: string }> {
  const response = await callApi(`/api/v1/audits/${id}/export/${file}`);
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    headers: response.headers,
    text: new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(await response.arrayBuffer()),
  };
}

describe("the exports of an audit", () => {
  beforeAll(async () => {
    const site = await createSite({
      routes: {
        "/": linkPage("Home", "/a", "/gone"),
        "/a": {
          headers: { "content-type": "text/html; charset=utf-8" },
          body: `<html lang=en><head><title>=1+1 &lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title></head><body><h1>A</h1><a href="/b?x=1&amp;y=2">next &amp; last</a></body></html>`,
        },
        "/b": linkPage(HOSTILE, "/"),
      },
    });
    allowHost(site.host);
    ({ origin } = site);
    id = await startAudit(site.origin);
    await outcomeOf(id, site);
    await site.close();
  });

  test("as JSON hold the audit, its pages, its issues and the words of its checks", async () => {
    const { status, type, text } = await exported("audit.json");
    expect([status, type]).toEqual([200, "application/json"]);
    const report = JSON.parse(text) as {
      audit: { id: string };
      pages: { url: string }[];
      issues: { check: string }[];
      checks: Record<string, unknown>;
    };
    expect(report.audit.id).toBe(id);
    expect(report.pages.map(({ url }) => url)).toContain(`${origin}/b?x=1&y=2`);
    expect(report.issues.length).toBeGreaterThan(0);
    for (const { check } of report.issues) expect(report.checks).toHaveProperty([check]);
  });

  test("as CSV never hand a formula to a spreadsheet", async () => {
    for (const file of ["issues.csv", "pages.csv", "links.csv"]) {
      const { status, text } = await exported(file);
      expect(status).toBe(200);
      expect(text.startsWith("\ufeff")).toBe(true);
      const cells = text.split(/[\r\n,]+/).map((cell) => cell.replace(/^"/, ""));
      expect(cells.filter((cell) => /^[=+@]/.test(cell))).toEqual([]);
    }
    expect((await exported("pages.csv")).text).toContain("'=1+1");
  });

  test("as CSV of links name both ends, the words of the link and what the target answered", async () => {
    const { text } = await exported("links.csv");
    expect(text).toContain(`${origin}/,${origin}/gone,`);
    expect(text.split("\r\n").find((line) => line.includes("/gone"))).toMatch(/,404$/);
  });

  test("as SARIF have a rule for every result", async () => {
    const { type, text } = await exported("issues.sarif");
    expect(type).toBe("application/sarif+json");
    const log = JSON.parse(text) as {
      version: string;
      runs: { tool: { driver: { rules: { id: string }[] } }; results: { ruleId: string; level: string }[] }[];
    };
    expect(log.version).toBe("2.1.0");
    const [run] = log.runs;
    const rules = new Set(run!.tool.driver.rules.map((rule) => rule.id));
    expect(run!.results.length).toBeGreaterThan(0);
    for (const { ruleId, level } of run!.results) {
      expect(rules).toContain(ruleId);
      expect(["error", "warning", "note"]).toContain(level);
    }
  });

  test("as a sitemap list the pages that can be indexed, and no others", async () => {
    const { text } = await exported("sitemap.xml");
    expect(text).toContain(`<loc>${origin}/b?x=1&#38;y=2</loc>`);
    expect(text).not.toContain("/gone");
  });

  test("as an HTML report show hostile text as text, load nothing and run nothing", async () => {
    const { text, headers } = await exported("report.html");
    expect(text).toMatch(/default-src 'none'/);
    expect(headers.get("content-security-policy")).toContain("sandbox");
    expect(headers.get("content-disposition")).toContain("attachment");
    expect(text).not.toMatch(/<script|<img|<link|\son[a-z]+=/i);
    expect(text).toContain("&lt;script&gt;");
    expect(text.trimEnd().endsWith("</html>")).toBe(true);
    // Every element closes once, and findings stand in the list of their check.
    for (const name of ["html", "body", "main", "section", "ul"]) {
      expect(text.split(`</${name}>`).length, name).toBe(text.match(new RegExp(`<${name}[\\s>]`, "g"))!.length + 1);
    }
    expect(text).toMatch(/<section>\s*<h3>[^]*?<ul>\s*<li>/);
    expect(text).not.toMatch(/<\/ul>\s*<\/section>\s*<li>/);
    expect(text.split("</html>")).toHaveLength(2);
  });

  test("that do not exist are refused with those that do", async () => {
    const { status, text } = await exported("audit.exe");
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({
      error: { code: "no_such_export", hint: expect.stringContaining("issues.csv") },
    });
  });
});
