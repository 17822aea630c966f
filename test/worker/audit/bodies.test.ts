import { expect, test } from "vitest";
import { auditSite, linkPage, openSite, setVars } from "../support/audits.ts";

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
/** Text in a single-byte or UTF-16 encoding, from its character codes. */
const latin = (text: string): string => base64(Uint8Array.from(text, (char) => char.charCodeAt(0)));
const utf16 = (text: string): string =>
  base64(
    Uint8Array.from([
      0xff,
      0xfe,
      ...Array.from(text).flatMap((char) => [char.charCodeAt(0) & 0xff, char.charCodeAt(0) >> 8]),
    ]),
  );
const utf8 = (text: string): string => base64(new TextEncoder().encode(text));
const html = (contentType: string, bodyBase64: string) => ({ headers: { "content-type": contentType }, bodyBase64 });

test("the encoding of a page is taken from its BOM, then its header, then its meta tag, then guessed", async () => {
  const { page } = await auditSite({
    routes: {
      "/": linkPage("Start", "/header", "/bom", "/meta", "/guess", "/utf8", "/utf16"),
      "/header": html("text/html; charset=windows-1251", latin("<title>\xcf\xf0\xe8\xe2\xe5\xf2</title>")),
      "/bom": html("text/html; charset=iso-8859-1", utf8("\ufeff<title>Grüße</title>")),
      "/meta": html("text/html", latin('<meta charset="iso-8859-2"><title>\xb1</title>')),
      "/guess": html("text/html", latin("<title>caf\xe9 \x80</title>")),
      "/utf8": html("text/html", utf8("<title>日本</title>")),
      "/utf16": html("text/html", utf16("<title>wide</title>")),
    },
  });
  const titles = ["/header", "/bom", "/meta", "/guess", "/utf8", "/utf16"].map((path) => page(path)?.title);
  expect(titles).toEqual(["Привет", "Grüße", "ą", "café €", "日本", "wide"]);
});

test("the query of a link is asked for in the encoding of its page", async () => {
  const { site } = await auditSite({
    routes: {
      "/": html("text/html; charset=windows-1251", latin('<title>x</title><a href="/s?q=\xf4">search</a>')),
      "/s": { body: "<title>found</title>" },
    },
  });
  expect((await site.requests()).map(({ path }) => path)).toContain("/s?q=%F4");
});

test("of a body that is no HTML nothing but the beginning is read", async () => {
  const site = await openSite({
    routes: {
      "/": linkPage("Start", "/film.mp4", "/data", "/feed", "/paper.pdf"),
      "/film.mp4": { headers: { "content-type": "video/mp4" }, endless: "body", body: "x".repeat(60_000) },
      "/data": { headers: { "content-type": "" }, body: `{"json": "${"x".repeat(2_000)}"}` },
      "/feed": { headers: { "content-type": "application/rss+xml" }, body: "<rss><a href='/never'>x</a></rss>" },
      "/paper.pdf": { headers: { "content-type": "application/pdf" }, body: "%PDF <a href='/never'>x</a>" },
    },
  });
  const { page, pages, audit } = await auditSite(site);
  expect(audit.status).toBe("completed");
  expect(pages).toHaveLength(5);
  for (const path of ["/film.mp4", "/feed", "/paper.pdf"]) {
    expect(page(path)).toMatchObject({ indexability: "non-html", bytes: null, status: 200 });
  }
  expect((await site.requests()).filter(({ path }) => path === "/film.mp4")).toHaveLength(1);
});

test("a page without Content-Type is read when it begins like HTML", async () => {
  const { page } = await auditSite({
    routes: {
      "/": linkPage("Start", "/untyped", "/json"),
      "/untyped": { headers: { "content-type": "" }, body: "<title>No type</title><p>words</p>" },
      "/json": { headers: { "content-type": "" }, body: '{"a": "<p>no</p>"}' },
    },
  });
  expect(page("/untyped")).toMatchObject({ title: "No type" });
  expect(page("/json")).toMatchObject({ indexability: "non-html", title: null });
});

test("a compressed bomb is read up to the limit of decoded bytes", async () => {
  setVars({ MAX_HTML_BYTES: "300000", BODY_TIMEOUT_MS: "20000" });
  const { page, audit } = await auditSite({
    routes: { "/": { gzip: true, repeat: 20_000, body: "<p>boom</p>".repeat(100) } },
  });
  expect(audit.status).toBe("completed");
  expect(page("/")).toMatchObject({ truncated: true, bytes: 300_000 });
});

test("a body that claims to be compressed and is not is a failure of that page alone", async () => {
  const { page, audit } = await auditSite({
    routes: {
      "/": linkPage("Start", "/broken"),
      "/broken": { headers: { "content-encoding": "gzip", "content-type": "text/html" }, body: "plain text" },
    },
  });
  expect(audit).toMatchObject({ status: "completed", pagesCrawled: 2 });
  expect(page("/broken")).toMatchObject({ failure: "network", indexability: "network-error" });
});

test("a page with hostile markup, names and texts is kept within bounds, and does not stop the others", async () => {
  const links = Array.from({ length: 12_000 }, (_, n) => `<a href="/l/${n}">${"\u0001\u{1F600}é".repeat(60)}</a>`).join(
    "",
  );
  const far = "y".repeat(7_900);
  const { audit, page } = await auditSite(
    {
      routes: {
        "/": linkPage("Start", "/many", "/long", "/fine"),
        "/many": { body: `<title>${"t".repeat(100_000)}</title>${links}` },
        "/long": {
          body: `<base href="/${far}/">${Array.from({ length: 3_000 }, (_, n) => `<a href="${n}">n</a>`).join("")}`,
        },
        "/fine": linkPage("Fine"),
      },
    },
    { maxPages: 4 },
  );
  expect(audit).toMatchObject({ status: "completed", pagesCrawled: 4 });
  expect(page("/fine")).toMatchObject({ title: "Fine" });
  expect(page("/many")!.title!.length).toBeLessThanOrEqual(500);
});
