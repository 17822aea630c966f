/** Sites that cannot be audited: each ends with its code and a sentence that says why, and none hangs. */
import { expect, test } from "vitest";
import { auditSite, openSite, rows, setVars, startAudit, waitForEnd } from "../support/audits.ts";

const html = { "content-type": "text/html" };

test.each([
  ["answers 500", { fallback: { status: 500, body: "oops" } }, "site_unreachable", /answered 500/],
  ["answers 404", { fallback: { status: 404, body: "no" } }, "site_unreachable", /answered 404/],
  ["answers 403", { fallback: { status: 403, body: "no" } }, "site_blocked", /answered 403/],
  [
    "shows a bot wall",
    { fallback: { status: 503, headers: { ...html, "cf-mitigated": "challenge" }, body: "Just a moment..." } },
    "site_blocked",
    /answered 503/,
  ],
  [
    "is no HTML",
    { routes: { "/": { headers: { "content-type": "application/pdf" }, body: "%PDF" } } },
    "site_not_html",
    /application\/pdf, not an HTML page/,
  ],
  ["redirects for ever", { routes: { "/": { endlessRedirect: true } } }, "site_unreachable", /too many redirects/],
  ["redirects in a circle", { routes: { "/": { redirect: "/" } } }, "site_unreachable", /in a circle/],
  ["redirects nowhere", { routes: { "/": { status: 301 } } }, "site_unreachable", /does not say where/],
  [
    "redirects to a private address",
    { routes: { "/": { redirect: "http://10.0.0.1/" } } },
    "site_unreachable",
    /10\.0\.0\.1 is not allowed/,
  ],
  [
    "redirects to another scheme",
    { routes: { "/": { redirect: "ftp://files.example/" } } },
    "site_unreachable",
    /neither http nor https/,
  ],
  ["hangs up", { fallback: { destroy: "before-headers" as const } }, "site_unreachable", /dropped the connection/],
  [
    "hangs up in its page",
    { routes: { "/": { body: "<p>half", destroy: "mid-body" as const } } },
    "site_unreachable",
    /./,
  ],
])("a site that %s fails with its code and says why", async (_, spec, code, detail) => {
  const { audit, pages } = await auditSite(spec);
  expect(audit).toMatchObject({ status: "failed", errorCode: code, endedBy: "workflow" });
  expect(audit.error?.detail).toMatch(detail);
  expect(audit.error?.title).not.toBe("");
  // What was found is kept: one page, the start page, with its own verdict.
  expect(pages).toHaveLength(1);
});

test("a site that never sends headers fails as unreachable once its time is over", async () => {
  const { audit, page } = await auditSite({ fallback: { hang: "headers" } });
  expect(audit).toMatchObject({ status: "failed", errorCode: "site_unreachable" });
  expect(audit.error?.detail).toMatch(/did not answer in time/);
  expect(page("/")).toMatchObject({ failure: "timeout_headers", indexability: "network-error" });
});

test("a host that does not resolve fails as unreachable and says so", async () => {
  const id = await startAudit("http://no-such-host.pulse-audit-tests.example/");
  const audit = await waitForEnd(id);
  expect(audit).toMatchObject({ status: "failed", errorCode: "site_unreachable" });
  // Its robots.txt was never asked, so that nothing is said of it.
  const issues = await rows("select check_id from audit_issues where audit_id = ?", id);
  expect(issues).not.toContainEqual({ check_id: "robots.unreachable" });
  expect(audit.error?.detail).toMatch(/the host name does not resolve/);
});

test("a host that does not resolve is told apart from a bad certificate, also over https", async () => {
  const audit = await waitForEnd(await startAudit("https://no-such-host.pulse-audit-tests.example/"));
  expect(audit.error?.detail).toMatch(/the host name does not resolve/);
});

test("a port where nobody listens fails as unreachable and says so", async () => {
  const gone = await openSite({});
  await gone.close();
  const audit = await waitForEnd(await startAudit(gone.origin));
  expect(audit).toMatchObject({ status: "failed", errorCode: "site_unreachable" });
  expect(audit.error?.detail).toMatch(/refused or dropped the connection/);
});

test("https on a port that speaks http fails as unreachable and says so", async () => {
  const site = await openSite({});
  const audit = await waitForEnd(await startAudit(`https://${site.host}/`));
  expect(audit).toMatchObject({ status: "failed", errorCode: "site_unreachable" });
  expect(audit.error?.detail).toMatch(/secure connection/);
});

test("a body that never ends is read up to its limit, and the page says that it was cut", async () => {
  setVars({ MAX_HTML_BYTES: "200000", BODY_TIMEOUT_MS: "20000" });
  const body = "<p>on and on</p>".repeat(500);
  const { audit, page } = await auditSite({ routes: { "/": { endless: "body", headers: html, body } } });
  expect(audit.status).toBe("completed");
  expect(page("/")).toMatchObject({ truncated: true, bytes: 200_000 });
});

test("a page that stops in the middle is kept as far as it came", async () => {
  const { audit, page } = await auditSite({
    routes: { "/": { hang: "body", body: `<title>First half</title>${"<p>words</p>".repeat(200)}` } },
  });
  expect(audit.status).toBe("completed");
  expect(page("/")).toMatchObject({ truncated: true, title: "First half" });
});

test("a site of one empty page completes with that page", async () => {
  const { audit, pages } = await auditSite({ routes: { "/": { body: "", headers: html } } });
  expect(audit).toMatchObject({ status: "completed", pagesCrawled: 1 });
  expect(pages).toHaveLength(1);
});

test("a start page that lies behind patterns of an endless space is audited all the same", async () => {
  const query = Array.from({ length: 12 }, (_, n) => `p${n}=1`).join("&");
  const { audit, pages } = await auditSite({ routes: { "/": { body: "<title>x</title>" } } }, { path: `/?${query}` });
  expect(audit.status).toBe("completed");
  expect(pages).toHaveLength(1);
});
