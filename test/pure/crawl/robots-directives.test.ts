import { describe, expect, test } from "vitest";
import { parseUnavailableAfter, readRobotsDirectives } from "../../../src/audit/crawl/robots-directives.ts";

const NOW = Date.UTC(2026, 10, 30);
const meta = (content: string, name = "robots", inHead = true) => ({ name, content, inHead });
const read = (metas: ReturnType<typeof meta>[], header: string | null = null) =>
  readRobotsDirectives({ metas, header, now: NOW });
/** "in" for noindex, "nf" for nofollow. */
const short = (metas: ReturnType<typeof meta>[], header: string | null = null): string => {
  const { noindex, nofollow } = read(metas, header);
  return `${noindex ? "in" : "--"} ${nofollow ? "nf" : "--"}`;
};

describe("X-Robots-Tag", () => {
  test.each([
    ["noindex", "in --"],
    ["NoIndex , NOFOLLOW", "in nf"],
    ["none", "in nf"],
    ["all", "-- --"],
    ["noindex, googlebot: nofollow", "in nf"],
    ["otherbot: noindex, nofollow", "-- --"],
    ["otherbot: noindex, googlebot: nofollow", "-- nf"],
    ["googlebot: noindex, otherbot: nofollow", "in --"],
    ["unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", "in --"],
    ["otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST", "-- --"],
    ["max-snippet:-1, max-image-preview:large, noindex", "in --"],
    ["googlebot-news: noindex", "-- --"],
    ["noindexer", "-- --"],
    ["", "-- --"],
  ])("%j is %s", (header, expected) => {
    expect(short([], header)).toBe(expected);
  });
});

describe("meta robots", () => {
  test.each([
    [[meta("noindex")], "in --"],
    [[meta("index, follow"), meta("noindex", "GoogleBot")], "in --"],
    [[meta("noindex", "bingbot")], "-- --"],
    [[meta("noindex", "robots", false)], "-- --"],
    [[meta("max-image-preview:large, none")], "in nf"],
    [[meta("")], "-- --"],
  ])("%j is %s", (metas, expected) => {
    expect(short(metas)).toBe(expected);
  });
});

test("where a directive comes from is told as found", () => {
  const both = read([meta("nofollow")], "googlebot: noindex");
  expect(both.noindexFrom).toEqual({ where: "header", found: "googlebot: noindex" });
  expect(both.nofollowFrom).toEqual({ where: "meta", found: '<meta name="robots" content="nofollow">' });
});

describe("a conflict", () => {
  test("is a meta and a header that disagree", () => {
    expect(read([meta("index, follow")], "noindex").conflict).toContain(
      'says "index", the X-Robots-Tag header says "noindex"',
    );
    expect(read([meta("nofollow")], "all").conflict).toContain('"nofollow"');
  });

  test("is none when one of them says nothing about it, or both the same", () => {
    expect(read([meta("max-snippet:-1")], "noindex").conflict).toBe(null);
    expect(read([meta("index")], "bingbot: noindex").conflict).toBe(null);
    expect(read([meta("none")], "noindex, nofollow").conflict).toBe(null);
    expect(read([meta("nofollow")], "noindex").conflict).toBe(null);
  });
});

describe("unavailable_after", () => {
  test("keeps a date with commas whole and becomes noindex once it has passed", () => {
    const past = read([meta("unavailable_after: Wed, 25 Nov 2026 15:00:00 GMT, nofollow")]);
    expect(past).toMatchObject({ noindex: true, nofollow: true, unavailableAfter: "Wed, 25 Nov 2026 15:00:00 GMT" });
    const future = read([], "unavailable_after: Thu, 31 Dec 2026 15:00:00 GMT");
    expect(future).toMatchObject({ noindex: false, unavailableAfter: "Thu, 31 Dec 2026 15:00:00 GMT" });
  });

  test.each([
    ["2026-11-30", Date.UTC(2026, 10, 30)],
    ["25 Jun 2010 15:00:00 PST", Date.UTC(2010, 5, 25, 23)],
    ["Friday, 25-Jun-10 15:00:00 GMT", Date.UTC(2010, 5, 25, 15)],
    ["Jun 25, 2010 15:00 GMT", Date.UTC(2010, 5, 25, 15)],
    ["never 12", null],
    ["", null],
  ])("%j is %j", (text, expected) => {
    expect(parseUnavailableAfter(text)).toBe(expected);
  });
});
