import { expect, test } from "vitest";
import { createScope } from "../../../src/audit/crawl/scope.ts";

const wants = (include: string[], path: string): boolean =>
  createScope("https://e.com", { include, exclude: [], subdomains: false }).judge(new URL(path, "https://e.com")) ===
  "page";

test.each([
  ["/blog", "/blog/1", true],
  ["/blog", "/a/blog", false],
  ["/blog/*/x", "/blog/1/2/x/3", true],
  ["/blog/*/x", "/blog/x", false],
  ["*.pdf", "/a/b.pdf?c", true],
  ["*.pdf", "/a/bpdf", false],
  ["/a**b", "/a--b", true],
  ["/*a*a", "/a", false],
  ["/p?q=*&r", "/p?q=1&r=2", true],
  ["*", "/", true],
])("the pattern %s beside %s", (pattern, path, expected) => {
  expect(wants([pattern], path)).toBe(expected);
});

test("a pattern of many stars takes no time", () => {
  const startedAt = performance.now();
  expect(wants([`/${"*a".repeat(200)}*b`], `/${"a".repeat(2_000)}`)).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(500);
});
