import { describe, expect, test } from "vitest";
import { addShingle, createBins, mix32, signatureOf } from "../../../src/audit/crawl/minhash.ts";
import { createTrapGuard, describeTrap, isTrap } from "../../../src/audit/crawl/traps.ts";
import type { TrapGuard } from "../../../src/audit/crawl/traps.ts";
import { foldText, urlTemplate } from "../../../src/audit/crawl/url-template.ts";

const at = (path: string): URL => new URL(`https://e.com${path}`);

/** The signature of a page with these shingles. */
function signature(...shingles: number[]): string {
  const bins = createBins();
  for (const shingle of shingles) addShingle(bins, mix32(shingle * 2 + 1), mix32(shingle * 7 + 3));
  return signatureOf(bins);
}

const SAME = signature(...Array.from({ length: 300 }, (_, n) => n));
const other = (seed: number): string => signature(...Array.from({ length: 300 }, (_, n) => seed * 1000 + n));

/** Follows a space: page by page, each discovering the next, until it is refused or `limit` pages are seen. */
function follow(
  guard: TrapGuard,
  limit: number,
  address: (n: number) => string,
  page: (n: number) => { minhash?: string | null; text?: string; isOk?: boolean },
  depth: (n: number) => number = (n) => n,
): { pages: number; refusal: string | null } {
  for (let n = 1; n <= limit; n++) {
    const url = at(address(n));
    const refusal = guard.admit(url, depth(n));
    if (refusal !== null) return { pages: n - 1, refusal };
    guard.observe({ url, isOk: true, minhash: null, text: "", ...page(n) });
  }
  return { pages: limit, refusal: null };
}

describe("an address alone gives a trap away", () => {
  test.each([
    [`/${"a".repeat(2048)}`, "trap:length /"],
    ["/x/www.cnn.com/x/www.cnn.com/x/", "trap:repeat x"],
    ["/a/b/a/c/a", "trap:repeat a"],
    [`/${Array.from({ length: 31 }, (_, n) => `s${n}`).join("/")}`, "trap:depth /s0"],
    ["/list?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9", "trap:parameters /list"],
  ])("address %#", (path, start) => {
    const refusal = isTrap(at(path));
    expect(refusal).toContain(start);
    expect(refusal!.length).toBeLessThanOrEqual(340);
    expect(describeTrap(refusal!)).toMatch(/^(Addresses|Paths) /);
  });

  test.each([
    `/${"a".repeat(2000)}#${"f".repeat(500)}`,
    "/a/b/a/c",
    "/2026/2026/2026/2026",
    "/a//b///c",
    `/${Array.from({ length: 30 }, (_, n) => `s${n}`).join("/")}`,
    "/list?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8",
    "/",
  ])("address %# is fine", (path) => {
    expect(isTrap(at(path))).toBe(null);
  });
});

describe("an infinite space is stopped", () => {
  test("a calendar that leads on for ever", () => {
    const guard = createTrapGuard();
    const calendar = follow(
      guard,
      5000,
      (n) => `/calendar/${2000 + Math.floor(n / 12)}-${(n % 12) + 1}`,
      () => ({ minhash: SAME }),
    );
    expect(calendar.refusal).toBe("trap:template /calendar/{date}");
    expect(calendar.pages).toBeLessThanOrEqual(60);
    expect(describeTrap(calendar.refusal!)).toContain("/calendar/{date}");
    expect(guard.admit(at("/calendar/1900-1"), 1)).toBe("trap:template /calendar/{date}");
    expect(guard.admit(at("/about"), 1)).toBe(null);
  });

  test("a calendar whose pages have few words, by what is left without numbers and months", () => {
    const thin = follow(
      createTrapGuard(),
      5000,
      (n) => `/cal?month=${n}`,
      (n) => ({ text: `${n % 2 ? "May" : "June"} ${n}: no events` }),
    );
    expect(thin.refusal).toBe("trap:template /cal?month");
    expect(thin.pages).toBeLessThanOrEqual(60);
  });

  test("filters in every combination, however near the start", () => {
    const filters = follow(
      createTrapGuard(),
      5000,
      (n) => `/shop?color=${n % 50}&size=${n}`,
      () => ({ minhash: SAME }),
      () => 2,
    );
    expect(filters.refusal).toBe("trap:template /shop?color&size");
  });

  test("a session id in every link", () => {
    const byParameter = follow(
      createTrapGuard(),
      5000,
      (n) => `/a?sid=${n}`,
      () => ({ minhash: SAME }),
      () => 3,
    );
    expect(byParameter.refusal).toBe("trap:template /a?sid");
    const byPath = follow(
      createTrapGuard(),
      5000,
      (n) => `/a;jsessionid=A${n}`,
      () => ({ minhash: SAME }),
      () => 3,
    );
    expect(byPath.refusal).toBe("trap:template /a;{session}");
  });

  test("pages in a row that only fail", () => {
    const failing = follow(
      createTrapGuard(),
      5000,
      (n) => `/next/${n}`,
      () => ({ isOk: false }),
    );
    expect(failing).toEqual({ pages: 50, refusal: "trap:template /next/{n}" });
  });

  test("nearly alike pages with a different one now and then, after 200 addresses", () => {
    const mixed = follow(
      createTrapGuard(),
      5000,
      (n) => `/day/${n}`,
      (n) => ({ minhash: n % 40 === 0 ? other(n) : SAME }),
    );
    expect(mixed).toEqual({ pages: 200, refusal: "trap:template /day/{n}" });
  });
});

describe("a finite site is crawled whole", () => {
  test("ten thousand pages of one form and different content, a click apart", () => {
    expect(
      follow(
        createTrapGuard(),
        2000,
        (n) => `/product/${n}`,
        (n) => ({ minhash: other(n) }),
      ),
    ).toEqual({ pages: 2000, refusal: null });
  });

  test("thousands of pages that look alike, but are linked from lists", () => {
    expect(
      follow(
        createTrapGuard(),
        5000,
        (n) => `/p/${n}`,
        () => ({ minhash: SAME }),
        () => 4,
      ),
    ).toEqual({ pages: 5000, refusal: null });
  });

  test("a list of 500 pages, each leading to the next", () => {
    expect(
      follow(
        createTrapGuard(),
        500,
        (n) => `/list?page=${n}`,
        (n) => ({ minhash: other(n) }),
      ).refusal,
    ).toBe(null);
  });

  test("pages without numbers or parameters are never counted", () => {
    expect(
      follow(
        createTrapGuard(),
        500,
        (n) => `/${"ab"[n % 2]}${"x".repeat(n)}`,
        () => ({ minhash: SAME }),
      ).refusal,
    ).toBe(null);
  });
});

describe("what the guard knows", () => {
  test("survives being stored between steps", () => {
    let guard = createTrapGuard();
    let pages = 0;
    for (let n = 1; n <= 500; n++) {
      const url = at(`/cal/${n}`);
      if (guard.admit(url, n) !== null) break;
      guard.observe({ url, isOk: true, minhash: SAME, text: "" });
      pages = n;
      if (n % 10 === 0) guard = createTrapGuard(JSON.parse(JSON.stringify(guard.state())));
    }
    expect(pages).toBeGreaterThanOrEqual(50);
    expect(pages).toBeLessThanOrEqual(65);
  });

  test("is not forgotten when better pages follow", () => {
    const guard = createTrapGuard();
    follow(
      guard,
      5000,
      (n) => `/cal/${n}`,
      () => ({ minhash: SAME }),
    );
    const later = createTrapGuard(guard.state());
    for (let n = 0; n < 50; n++) later.observe({ url: at(`/cal/${n}`), isOk: true, minhash: other(n), text: "" });
    expect(later.admit(at("/cal/9999"), 1)).toBe("trap:template /cal/{n}");
  });

  test("stays small, whatever a site links to", () => {
    const guard = createTrapGuard();
    for (let n = 0; n < 30_000; n++)
      guard.admit(
        at(`/${"z".repeat(200)}${n % 5000}x${"abcdefgh"[n % 8]}${String.fromCharCode(97 + (n % 26))}/${n}?q${n}=1`),
        1,
      );
    expect(JSON.stringify(guard.state()).length).toBeLessThan(150_000);
  });
});

test.each([
  ["/a/2026-11-30/b", "/a/{date}/b"],
  ["/2026/11/30", "/{n}/{n}/{n}"],
  ["/u/123e4567-e89b-12d3-a456-426614174000", "/u/{id}"],
  ["/t/0123456789abcdef0123", "/t/{id}"],
  ["/x?b=2&a=1&a=3", "/x?a&b"],
  ["/facade/decade", "/facade/decade"],
])("the form of %s is %s", (path, form) => {
  expect(urlTemplate(at(path)).form).toBe(form);
});

test("dates are folded out of a text", () => {
  expect(foldText("Events in  March 2031 (31 days)")).toBe(foldText("events in may 2044 (30 days)"));
  expect(foldText("marching on")).toBe("marching on");
});

test("a refusal of another kind is not described", () => {
  expect([describeTrap("robots"), describeTrap("trap:unknown x"), describeTrap("")]).toEqual([null, null, null]);
});
