import { describe, expect, test } from "vitest";
import type { FetchedPage, FetchFailure, Hop } from "../../../src/audit/crawl/fetched.ts";
import { checksOf, finding, goodPage } from "./page-view.ts";

const START = "https://shop.example/dir/page";

/** Redirects over so many addresses to /end. */
function redirected(count: number, end: Partial<FetchedPage> = {}): Partial<FetchedPage> {
  const urls = [START, ...Array.from({ length: count }, (_, at) => `https://shop.example/hop${at + 1}`)];
  const hops: Hop[] = urls.slice(0, count).map((url, at) => ({ url, status: 301, location: urls[at + 1]! }));
  return { status: 301, finalStatus: 200, hops, finalUrl: urls[count]!, ...end };
}
const failed = (code: FetchFailure): Partial<FetchedPage> => ({
  finalStatus: null,
  failure: { code, detail: "as it happened" },
});

describe("redir.chain", () => {
  test("is a warning from two redirects on, with the whole way as evidence", () => {
    expect(finding("redir.chain", { fetched: redirected(2) })).toMatchObject({
      severity: "warning",
      evidence: {
        measured: 2,
        limit: 1,
        found: `301 ${START} → 301 https://shop.example/hop1 → https://shop.example/hop2`,
      },
    });
  });
  test("is none for one redirect", () => {
    expect(finding("redir.chain", { fetched: redirected(1) })).toBeUndefined();
  });
  test("is an error from ten on, where Google stops", () => {
    expect(finding("redir.chain", { fetched: redirected(9) })?.severity).toBe("warning");
    expect(finding("redir.chain", { fetched: redirected(10, failed("too_many_redirects")) })?.severity).toBe("error");
  });
  test("is not said of a circle, which is a fault of its own", () => {
    expect(checksOf({ fetched: redirected(3, failed("redirect_loop")) })).toEqual(["redir.loop"]);
  });
});

describe("redir.loop", () => {
  test("is an error for a circle of any length", () => {
    const self: Hop = { url: START, status: 301, location: START };
    expect(
      finding("redir.loop", { fetched: { status: 301, hops: [self], finalUrl: START, ...failed("redirect_loop") } })
        ?.severity,
    ).toBe("error");
    expect(finding("redir.loop", { fetched: redirected(4, failed("redirect_loop")) })).toBeDefined();
  });
  test("is none for a long chain that ends", () => {
    expect(finding("redir.loop", { fetched: redirected(9) })).toBeUndefined();
  });
});

describe("redir.broken-target", () => {
  test.each([404, 410, 500])("is an error when the end answers %i", (finalStatus) => {
    expect(finding("redir.broken-target", { fetched: redirected(1, { finalStatus }) })).toMatchObject({
      severity: "error",
      evidence: { measured: finalStatus, target: "https://shop.example/hop1" },
    });
  });
  test("is an error for a Location that is missing or cannot be read, or a host that does not exist", () => {
    expect(
      finding("redir.broken-target", { fetched: { ...redirected(1), ...failed("invalid_location") } }),
    ).toBeDefined();
    expect(finding("redir.broken-target", { fetched: redirected(1, failed("dns")) })).toBeDefined();
  });
  test("is none when the end answers, or is walled off, or is only slow", () => {
    expect(finding("redir.broken-target", { fetched: redirected(1) })).toBeUndefined();
    expect(
      finding("redir.broken-target", { fetched: redirected(1, { finalStatus: 403, botWall: "status 403" }) }),
    ).toBeUndefined();
    expect(finding("redir.broken-target", { fetched: redirected(1, failed("timeout_headers")) })).toBeUndefined();
  });
  test("is none for a page that fails without a redirect", () => {
    expect(finding("redir.broken-target", { fetched: { finalStatus: 404, status: 404 } })).toBeUndefined();
  });
});

describe("redir.http-https", () => {
  const http = "http://shop.example/";
  const to = (finalUrl: string, hops: number): Partial<FetchedPage> => ({
    hops: Array.from({ length: hops }, () => ({ url: http, status: 301, location: finalUrl })),
    finalUrl,
  });
  test("is an error when the start stays on http", () => {
    expect(finding("redir.http-https", { url: http, isStart: true, html: goodPage() })?.severity).toBe("error");
  });
  test("is an error when https comes after two redirects, none after one", () => {
    expect(
      finding("redir.http-https", { url: http, isStart: true, fetched: to("https://www.shop.example/", 2) })?.evidence
        .measured,
    ).toBe(2);
    expect(
      finding("redir.http-https", { url: http, isStart: true, fetched: to("https://shop.example/", 1) }),
    ).toBeUndefined();
  });
  test("is none for a start on https, for other pages, and for a loopback site", () => {
    expect(finding("redir.http-https", { isStart: true, html: goodPage() })).toBeUndefined();
    expect(finding("redir.http-https", { url: http, html: goodPage() })).toBeUndefined();
    for (const local of ["http://localhost:8080/", "http://127.0.0.1:3000/", "http://[::1]/"]) {
      expect(
        finding("redir.http-https", { url: local, siteOrigin: new URL(local).origin, isStart: true, html: goodPage() }),
      ).toBeUndefined();
    }
  });
});

describe("redir.meta-refresh", () => {
  const refresh = (content: string) => goodPage(`<meta http-equiv="refresh" content="${content}">`);
  test("says whether it counts as permanent or temporary", () => {
    expect(finding("redir.meta-refresh", { html: refresh("0;url=/new") })?.evidence.message).toContain("permanent");
    expect(finding("redir.meta-refresh", { html: refresh("5; URL='/new'") })?.evidence.message).toContain("temporary");
  });
  test("is none for a page that only reloads itself", () => {
    expect(finding("redir.meta-refresh", { html: refresh("300") })).toBeUndefined();
    expect(finding("redir.meta-refresh", { html: refresh("300;url=/dir/page") })).toBeUndefined();
  });
  test("is none in noscript, where only visitors without scripts are led", () => {
    expect(
      finding("redir.meta-refresh", {
        html: goodPage('<noscript><meta http-equiv="refresh" content="0;url=/nojs"></noscript>'),
      }),
    ).toBeUndefined();
  });
});

describe("http.5xx and http.timeout", () => {
  test("report the status, and none for 4xx, a bot wall, or the end of a redirect", () => {
    expect(finding("http.5xx", { fetched: { status: 502, finalStatus: 502 } })).toMatchObject({
      severity: "error",
      evidence: { measured: 502 },
    });
    expect(finding("http.5xx", { fetched: { status: 499, finalStatus: 499 } })).toBeUndefined();
    expect(
      finding("http.5xx", { fetched: { status: 503, finalStatus: 503, botWall: "cf-mitigated" } }),
    ).toBeUndefined();
    expect(checksOf({ fetched: redirected(1, { finalStatus: 500 }) })).toEqual(["redir.broken-target"]);
  });
  test("report time limits, and no other failure of the network", () => {
    expect(finding("http.timeout", { fetched: failed("timeout_headers") })?.severity).toBe("warning");
    expect(finding("http.timeout", { fetched: failed("timeout_body") })).toBeDefined();
    expect(finding("http.timeout", { fetched: failed("dns") })).toBeUndefined();
  });
});
