/** Words, addresses and numbers as the pages write them. */
import { describe, expect, test } from "vitest";
import { faultOf, readFields, startRequestOf } from "../../../src/http/pages/audits/read-start-form.ts";
import { startAuditRequest } from "../../../src/http/api/start-request.ts";
import { Address, plain, safeHref } from "../../../src/http/pages/parts/text.tsx";
import { relative } from "../../../src/http/pages/parts/time.tsx";
import { countWords } from "../../../src/http/pages/audit/timeline.tsx";
import { bytesOf, percent, plural, sentence } from "../../../src/http/pages/words.ts";
import { withQuery } from "../../../src/http/pages/parts/lists.tsx";

const htmlOf = (element: unknown): string => String(element);

describe("addresses", () => {
  test("become links for http and https only", () => {
    expect(safeHref("https://shop.example/a b")).toBe("https://shop.example/a%20b");
    for (const url of ["javascript:alert(1)", "data:text/html,x", "//shop.example", "mailto:a@b", "JaVaScRiPt:x", ""])
      expect(safeHref(url), url).toBeNull();
  });

  test("may break, and are copied whole", () => {
    const html = htmlOf(<Address url="https://shop.example/one/two?three=4" base="https://shop.example" />);
    expect(html).toContain("<wbr/>");
    expect(html.replaceAll(/<[^>]+>/g, "")).toBe("/one/two?three=4");
    expect(
      htmlOf(<Address url="https://other.example/x" base="https://shop.example" />).replaceAll(/<[^>]+>/g, ""),
    ).toBe("https://other.example/x");
  });

  test("are shown in their own script, and never as markup", () => {
    expect(htmlOf(<Address url="https://xn--bcher-kva.example/%C3%BC" />).replaceAll(/<[^>]+>/g, "")).toBe(
      "https://bücher.example/ü",
    );
    expect(htmlOf(<Address url="https://shop.example/?<script>" />)).not.toContain("<script>");
  });
});

test("crawled text keeps its joiners and loses what would disguise it", () => {
  expect(plain("a\u202Eb\u0000c\u200Dd")).toBe("a\ufffdb\ufffdc\u200Dd");
  expect(plain("\ud800x")).toBe("\ufffdx");
});

test("ages are told in whole seconds, and moments to come as such", () => {
  expect([relative(0, 400), relative(0, 4_900), relative(9_000, 4_000)]).toEqual(["0 s ago", "4 s ago", "in 5 s"]);
});

test("numbers", () => {
  expect([plural(1, "page"), plural(1_284, "page"), bytesOf(999), bytesOf(12_400), bytesOf(2_500_000)]).toEqual(["1 page", "1,284 pages", "999 B", "12.4 KB", "2.5 MB"]); // prettier-ignore
  expect([percent(0, 0), percent(1, 1_000), percent(999, 1_000), percent(1, 2), percent(5, 5)]).toEqual(["0 %", "under 1 %", "over 99 %", "50 %", "100 %"]); // prettier-ignore
  expect(countWords('{"crawled":812,"leftOut":3,"errors":1,"zero":0}')).toBe("812 crawled, 3 left out, 1 error");
  expect([sentence("silent for 5 min"), sentence("Done!"), sentence(" ")]).toEqual(["Silent for 5 min.", "Done!", ""]);
});

test("a query drops what is empty", () => {
  expect(withQuery("/x", { q: "a b&c", status: null, cursor: "" })).toBe("/x?q=a+b%26c");
  expect(withQuery("/x", { q: "" })).toBe("/x");
});

describe("the start form's fields", () => {
  test("that are empty are left to the server", () => {
    expect(startRequestOf(readFields({ url: " https://shop.example " }))).toEqual({ url: "https://shop.example" });
  });

  test("that are wrong are named by their label", () => {
    const fault = (form: Record<string, string>): string => {
      const parsed = startAuditRequest.safeParse(startRequestOf(readFields(form)));
      return parsed.success ? "" : faultOf(parsed.error);
    };
    expect(fault({ url: "" })).toBe("Give the address of the site.");
    expect(fault({ url: "x", maxPages: "many" })).toMatch(/^Pages at most: /);
    expect(fault({ url: "x", headers: "Host: evil" })).toMatch(/^Headers: /);
    expect(fault({ url: "x", list: "https://a.example", sitemapOnly: "1" })).toContain("exclude each other");
    expect(fault({ url: "shop.example", maxPages: "5", headers: "X-Key: a:b" })).toBe("");
  });
});
