import { describe, expect, test } from "vitest";
import { finding, goodPage, type Page } from "./page-view.ts";

const body = (html: string, headers: Record<string, string> = {}): Page => ({ html: goodPage("", html), headers });
const GOOD = {
  "strict-transport-security": "max-age=63072000",
  "content-security-policy": "default-src 'self'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

describe("sec.mixed", () => {
  test.each([
    '<script src="http://x.example/a.js"></script>',
    '<iframe src="http://x.example/"></iframe>',
    '<link rel=stylesheet href="http://x.example/a.css">',
  ])("is an error for what can change the page: %s", (html) => {
    expect(finding("sec.mixed", body(html))?.severity).toBe("error");
  });
  test("is a warning for pictures and media", () => {
    expect(
      finding("sec.mixed", body('<img src="http://x.example/a.png" alt><video src="http://x.example/a.mp4"></video>')),
    ).toMatchObject({
      severity: "warning",
      evidence: { measured: 2 },
    });
  });
  test("is none for links, for a page on http, and where browsers upgrade", () => {
    expect(
      finding("sec.mixed", body('<a href="http://x.example/">x</a><link rel=canonical href="http://shop.example/">')),
    ).toBeUndefined();
    const script = '<script src="http://x.example/a.js"></script>';
    expect(finding("sec.mixed", { ...body(script), url: "http://shop.example/" })).toBeUndefined();
    expect(
      finding("sec.mixed", body(script, { "content-security-policy": "upgrade-insecure-requests; default-src *" })),
    ).toBeUndefined();
    const meta = '<meta http-equiv="Content-Security-Policy" content="upgrade-insecure-requests">';
    expect(finding("sec.mixed", { html: goodPage(meta, script) })).toBeUndefined();
  });
  test("is none for scripts that are only text", () => {
    expect(
      finding(
        "sec.mixed",
        body(
          "<script>const a = '<img src=\"http://x.example/a.png\">'</script><!-- <img src=http://x.example/b.png> -->",
        ),
      ),
    ).toBeUndefined();
  });
});

describe("sec.form", () => {
  test("is an error for a form that sends to http", () => {
    expect(finding("sec.form", body('<form action="http://shop.example/login"></form>'))?.severity).toBe("error");
    expect(
      finding("sec.form", body('<form><button formaction="http://shop.example/login">x</button></form>')),
    ).toBeDefined();
  });
  test("is none for https, for none at all, and on a page that is itself on http", () => {
    expect(finding("sec.form", body('<form action="https://shop.example/login"></form><form></form>'))).toBeUndefined();
    const page = { url: "http://shop.example/", siteOrigin: "http://shop.example" };
    expect(finding("sec.form", { ...page, html: goodPage("", '<form action="/login"></form>') })).toBeUndefined();
    expect(
      finding("sec.form", { ...page, html: goodPage("", '<form action="http://other.example/login"></form>') }),
    ).toBeDefined();
  });
  test("is none for a form that is only a template", () => {
    expect(
      finding("sec.form", body('<template><form action="http://shop.example/login"></form></template>')),
    ).toBeUndefined();
  });
});

describe("sec.hsts and sec.headers", () => {
  test("are said once, on the start page", () => {
    expect(finding("sec.hsts", { html: goodPage(), isStart: true })?.severity).toBe("notice");
    expect(finding("sec.headers", { html: goodPage(), isStart: true })?.evidence.measured).toBe(3);
    expect(finding("sec.hsts", { html: goodPage() })).toBeUndefined();
    expect(finding("sec.headers", { html: goodPage() })).toBeUndefined();
  });
  test("are none where the headers are there", () => {
    expect(finding("sec.hsts", { html: goodPage(), headers: GOOD, isStart: true })).toBeUndefined();
    expect(finding("sec.headers", { html: goodPage(), headers: GOOD, isStart: true })).toBeUndefined();
  });
  test("know that max-age=0 switches HSTS off, and that it means nothing on http", () => {
    const headers = { ...GOOD, "strict-transport-security": "max-age=0" };
    expect(finding("sec.hsts", { html: goodPage(), headers, isStart: true })?.evidence.message).toContain("max-age");
    expect(finding("sec.hsts", { url: "http://shop.example/", html: goodPage(), isStart: true })).toBeUndefined();
  });
  test("accept what the document says itself", () => {
    const html = goodPage(
      '<meta http-equiv="content-security-policy" content="default-src *"><meta name="referrer" content="origin">',
    );
    expect(finding("sec.headers", { html, isStart: true })?.evidence.found).toBe("X-Content-Type-Options");
  });
  test("judge no page that failed or was walled off", () => {
    expect(
      finding("sec.headers", { isStart: true, fetched: { finalStatus: 403, botWall: "status 403" } }),
    ).toBeUndefined();
  });
});
