import { expect, test } from "vitest";
import { createResolver } from "../../../src/audit/crawl/html-resolve.ts";

const resolve = (raw: string, document: string, charset = "utf-8", base: string | null = null): string | null =>
  createResolver(document, base, charset).resolve(raw).url;

test("an address that every page repeats is resolved for the page's own origin, whichever was read before", () => {
  expect(resolve("/menu", "https://one.example/a/b")).toBe("https://one.example/menu");
  expect(resolve("/menu", "https://two.example/a/b")).toBe("https://two.example/menu");
  expect(resolve("/menu", "http://one.example/")).toBe("http://one.example/menu");
  expect(resolve("/menu", "https://one.example/c")).toBe("https://one.example/menu");
  expect(resolve("/menu", "https://one.example/c", "utf-8", "https://cdn.example/x/")).toBe("https://cdn.example/menu");
});

test("an address that depends on the page's path is resolved for each page", () => {
  for (const raw of ["menu", "./menu", "?page=2", "", "../menu", "//menu/"]) {
    const first = resolve(raw, "https://one.example/a/b?q");
    expect(resolve(raw, "https://one.example/c/d/e"), raw).toBe(new URL(raw, "https://one.example/c/d/e").href);
    expect(first, raw).toBe(new URL(raw, "https://one.example/a/b?q").href);
  }
});

test("a query beyond ASCII is resolved in each page's own encoding", () => {
  expect(resolve("/s?q=ü", "https://one.example/", "utf-8")).toBe("https://one.example/s?q=%C3%BC");
  expect(resolve("/s?q=ü", "https://one.example/", "windows-1252")).toBe("https://one.example/s?q=%FC");
});
