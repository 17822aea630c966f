import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  allowAllRobots,
  disallowAllRobots,
  parseRobots,
  ROBOTS_MAX_BYTES,
  robotsAvailability,
} from "../../../src/audit/crawl/robots.ts";
import type { Robots } from "../../../src/audit/crawl/robots.ts";

const FOLDER = "../shared/conformance/robots";
const isAbsent = !existsSync(FOLDER);
const vectorSchema = z.array(
  z.object({ robots: z.string(), url: z.string(), ua: z.string(), expect: z.enum(["ALLOWED", "DISALLOWED"]) }),
);

/** "+/path" is allowed and "-/path" is not, for a product token. */
function expectPaths(robots: Robots, token: string, ...paths: string[]): void {
  const origin = "https://example.com";
  const judged = paths.map(
    (path) => (robots.isAllowed(new URL(origin + path.slice(1)), token) ? "+" : "-") + path.slice(1),
  );
  expect(judged, token).toEqual(paths);
}

const read = (name: string): Robots =>
  parseRobots(readFileSync(`${FOLDER}/${name}`), { url: "http://example.org/robots.txt" });
const linesOf = (robots: Robots): number[] => robots.problems.map((problem) => problem.line);

describe.skipIf(isAbsent)("public conformance data (skipped where ../shared/conformance is absent)", () => {
  test("all 400 of Google's expectations are met", () => {
    const vectors = vectorSchema.parse(JSON.parse(readFileSync(`${FOLDER}/google-robotstxt-spec-400.json`, "utf8")));
    const missed = vectors.filter((vector) => {
      const allowed = parseRobots(Buffer.from(vector.robots, "base64")).isAllowed(vector.url, vector.ua);
      return allowed !== (vector.expect === "ALLOWED");
    });
    expect(vectors).toHaveLength(400);
    expect(missed).toEqual([]);
  });

  const FILES: Record<string, (robots: Robots) => void> = {
    "astore.amazon.com-robots.txt": (robots) => {
      expectPaths(robots, "anybot", "+/", "+/x");
      expect(robots.crawlDelaySeconds("anybot")).toBe(5);
    },
    "crawl-delay-group-merging.txt": (robots) => {
      expectPaths(robots, "mybot", "-/private/", "+/login/", "+/");
      expectPaths(robots, "yourbot", "-/private/", "-/login/", "+/");
      expectPaths(robots, "other", "+/private/", "+/login/");
      expect(["mybot", "yourbot", "other"].map((token) => robots.crawlDelaySeconds(token))).toEqual([10, null, 30]);
    },
    // A product token has no digits: bot1 to bot4 are all "bot", and a crawler that calls itself bot1 is not meant.
    "directive-typos-robots.txt": (robots) => {
      expectPaths(
        robots,
        "bot",
        "+/desallow/",
        "-/dissalow/",
        "-/useragent/",
        "-/useg-agent/",
        "-/useragent-no-colon/",
      );
      expectPaths(robots, "bot1", "+/dissalow/");
      expect(linesOf(robots)).toEqual([2, 3, 5, 8, 11, 11]);
    },
    "dos-line-endings.txt": (robots) => {
      expectPaths(robots, "anybot", "+/");
      expect(robots.crawlDelaySeconds("anybot")).toBe(1);
    },
    "extended-standard-robots.txt": (robots) => {
      expectPaths(robots, "bot", "+/", "+/0100-0600");
      expect(robots.problems).toEqual([]);
    },
    "extension-robots.txt": (robots) => {
      expectPaths(robots, "mybot", "-/private/", "+/secret/", "+/admin/");
      expectPaths(robots, "otherbot", "-/admin/", "+/private/");
      expectPaths(robots, "third", "+/private/", "+/admin/");
      expect(robots.sitemaps).toEqual(["http://example.org/sitemap.xml"]);
      expect(linesOf(robots)).toEqual([4]);
    },
    "extensions-group-merging.txt": (robots) => {
      expectPaths(robots, "mybot", "-/private/", "-/login/", "+/x");
      expectPaths(robots, "yourbot", "-/private/", "-/login/", "+/x");
      expectPaths(robots, "other", "+/llms.txt", "-/x");
    },
    "format-errors-robots.txt": (robots) => {
      expectPaths(robots, "bot", "-/whitespace-before-colon/", "-/no-colon/", "-/no-colon-useragent/");
      expectPaths(robots, "bot", "+/whitespace-before-colon", "-/", "-/x");
      expect(robots.sitemaps).toEqual(["http://example.org/sitemap.xml"]);
      expect(linesOf(robots)).toEqual([3, 5, 11]);
    },
    "malformed-path.txt": (robots) => {
      expectPaths(robots, "bot", "-/wiki/Wikipedia_talk:Mediation_Committee/x", "+/wiki/Wikipedia_talk", "+/");
      expectPaths(robots, "bot", "-/wiki/Wikipedia_talk%3Mediation_Committee/");
    },
    "many-user-agents.txt": (robots) => {
      expect(robots.groups[0]!.tokens.length).toBeGreaterThan(50);
      expectPaths(robots, "OutfoxBot", "-/", "-/x");
      expectPaths(robots, "getright", "-/x");
      expectPaths(robots, "Wget", "-/x");
      expectPaths(robots, "unlisted", "+/");
    },
    "merge-rules.txt": (robots) => {
      expectPaths(robots, "testy", "-/foo", "-/tmp/bar");
      // Equal rules of merged groups: allow wins.
      expectPaths(robots, "wget", "+/foo/bar", "-/tmp/bar", "+/ckh/bar", "+/x");
      expectPaths(robots, "other", "-/foo/bar", "-/tmp/bar", "+/x");
    },
    "precedence-of-rules.txt": (robots) => {
      expectPaths(robots, "testy", "+/foo/bar/x", "-/foo/box", "-/foo", "+/x");
      // "/*" is longer than "/" and shorter than the rest.
      expectPaths(robots, "wget", "+/foo", "+/index.html", "-/x", "+/");
    },
    "relative-sitemap-robots.txt": (robots) => {
      expect(robots.sitemaps).toEqual(["http://example.org/sitemap.xml"]);
      expect(robots.problems).toMatchObject([{ line: 1 }]);
      expectPaths(robots, "bot", "-/cache/x", "-/files/", "+/cache");
    },
    "rfc9309-example-longest-match-robots.txt": (robots) => {
      expectPaths(robots, "foobot", "+/example/page/", "-/example/page/disallowed.gif", "+/other");
    },
    "rfc9309-example-rule-group-merging.txt": (robots) => {
      expectPaths(robots, "ExampleBot", "-/foo", "-/bar", "-/baz", "+/x");
      expectPaths(robots, "BazBot", "+/foo", "-/baz");
      expectPaths(robots, "other", "-/foo", "-/bar", "+/baz");
    },
    "rfc9309-example-simple-robots.txt": (robots) => {
      expectPaths(robots, "foobot", "-/", "+/example/page.html", "+/example/allowed.gif", "-/x");
      expectPaths(robots, "barbot", "-/example/page.html", "+/example/");
      expectPaths(robots, "bazbot", "-/example/page.html", "+/x");
      expectPaths(robots, "quxbot", "+/", "+/example/page.html", "+/a.gif");
      expectPaths(robots, "other", "-/a.gif", "+/a.gift", "-/example/x", "+/publications/", "+/");
    },
    "robots-with-utf16be-bom.txt": (robots) => {
      expectPaths(robots, "other", "-/login.aspx", "-/a/output/print", "+/");
      expect(robots.sitemaps).toEqual(["http://www.newsweek.com/sitemap_index.xml"]);
      expect(linesOf(robots)).toEqual([1]);
    },
    "robots-with-utf16le-bom.txt": (robots) => {
      expectPaths(robots, "Googlebot", "-/login.aspx", "-/search.aspx", "+/");
      expect(robots.sitemaps).toEqual(["http://www.newsweek.com/sitemap_index.xml"]);
      expect(linesOf(robots)).toEqual([1]);
    },
    "robots-with-utf8-bom.txt": (robots) => {
      expectPaths(robots, "other", "-/login.aspx", "-/a/output/print", "+/");
      expect(robots.problems).toEqual([]);
    },
    "sitemap-robots-dedup.txt": (robots) => {
      expect(robots.sitemaps).toEqual(["http://example.org/sitemap.xml"]);
      expectPaths(robots, "bot", "+/");
    },
    "sitemap-robots.txt": (robots) => {
      expect(robots.sitemaps).toEqual([
        "http://domain.com/sitemap.xml",
        "http://domain.com/dir/MixedCased-sitemap.xml",
      ]);
      expectPaths(robots, "bot", "+/");
    },
    "twitter.com-robots.txt": (robots) => {
      for (const token of ["Googlebot", "other"])
        expectPaths(robots, token, "-/a?b", "-/x/with_friends", "+/x", "+/with_friends");
      expect(["Googlebot", "slurp", "msnbot", "x"].map((token) => robots.crawlDelaySeconds(token))).toEqual([
        null,
        1,
        10,
        null,
      ]);
    },
    "wildcards.txt": (robots) => {
      expectPaths(
        robots,
        "bot",
        "-/wishlist/x",
        "+/wishlist/universal/x",
        "-/gp/registry/wishlist/7/reserve",
        "-/a/gcrnsts/b",
      );
      expectPaths(robots, "bot", "-/gp/wishlist/x", "+/gp/wishlist/vendor-button", "+/gp/registry", "+/");
    },
    "www.flot.com-robots.txt": (robots) => {
      expectPaths(robots, "bot", "-/bitrix/x", "-/img/", "+/images", "+/");
      expect(robots.sitemaps).toEqual(["http://flot.com/sitemap_index.xml"]);
      expect(robots.problems).toEqual([]);
    },
  };

  test("no file is left without an expectation", () => {
    expect(readdirSync(FOLDER).filter((name) => name.endsWith(".txt"))).toEqual(Object.keys(FILES));
  });

  test.each(Object.keys(FILES))("%s means what RFC 9309 and Google say", (name) => {
    FILES[name]!(read(name));
  });
});

describe("groups", () => {
  test("a delay or a sitemap between two user agents does not part them", () => {
    const robots = parseRobots("User-agent: a\nCrawl-delay: 1\nSitemap: https://e.com/s\nUser-agent: b\nDisallow: /\n");
    expectPaths(robots, "a", "-/");
    expectPaths(robots, "b", "-/");
  });

  test("a group of its own, even an empty one, keeps the rules for everybody away", () => {
    const robots = parseRobots("User-agent: *\nDisallow: /\nCrawl-delay: 9\n\nUser-agent: PulseAudit\nDisallow:\n");
    expectPaths(robots, "pulseaudit", "+/x");
    expect(robots.crawlDelaySeconds("PulseAudit")).toBe(null);
    expectPaths(robots, "pulse", "-/x");
  });

  test("an empty Disallow clears no other rule", () => {
    expectPaths(parseRobots("User-agent: *\nDisallow: /a\nDisallow:\n"), "bot", "-/a", "+/b");
  });

  test("rules before any group are ignored and reported", () => {
    const robots = parseRobots("Disallow: /a\nUser-agent: *\nDisallow: /b\n");
    expectPaths(robots, "bot", "+/a", "-/b");
    expect(robots.problems).toEqual([
      { line: 1, message: 'The rule "/a" comes before any User-agent line and is ignored.' },
    ]);
  });

  test("an absurd delay is not taken", () => {
    const robots = parseRobots("User-agent: *\nCrawl-delay: -1\nCrawl-delay: soon\nCrawl-delay: 0.5\n");
    expect(robots.crawlDelaySeconds("bot")).toBe(0.5);
  });
});

describe("matching", () => {
  test("the deciding rule is told with its line", () => {
    const robots = parseRobots("User-agent: *\nDisallow: /shop # not yet\nAllow: /shop/*.html$\n");
    expect(robots.judge(new URL("https://e.com/shop/a?b"), "bot")).toEqual({
      allowed: false,
      rule: { allow: false, path: "/shop", line: 2 },
    });
    expect(robots.judge(new URL("https://e.com/shop/a.html"), "bot").rule?.line).toBe(3);
    expect(robots.judge(new URL("https://e.com/"), "bot")).toEqual({ allowed: true, rule: null });
  });

  test("both sides may be encoded or not", () => {
    const robots = parseRobots("User-agent: *\nDisallow: /ü\nDisallow: /caf%c3%a9\nDisallow: /a%2fb\n");
    expectPaths(robots, "bot", "-/%C3%BC", "-/ü", "-/café", "-/a%2Fb", "+/a/b");
  });

  test("invalid bytes in one line void neither the line nor the file", () => {
    const bytes = Buffer.concat([
      Buffer.from("User-agent: *\nDisallow: /"),
      Buffer.of(0xe4),
      Buffer.from("x\nDisallow: /b\n"),
    ]);
    expectPaths(parseRobots(bytes), "bot", "-/%E4x", "-/b", "+/c");
  });

  test("a star or dollar that means itself is written as an escape", () => {
    const robots = parseRobots("User-agent: *\nDisallow: /file-%2A.html\nDisallow: /cost-%24\nDisallow: /in$side\n");
    expectPaths(robots, "bot", "-/file-*.html", "+/file-x.html", "-/cost-$5", "-/in$side", "+/in");
  });

  test("many stars against a long path cost no more than a moment", () => {
    const robots = parseRobots(`User-agent: *\nDisallow: /${"*a".repeat(2000)}$\n`);
    const start = performance.now();
    expectPaths(robots, "bot", `+/${"a".repeat(2000)}b`);
    expect(performance.now() - start).toBeLessThan(200);
  });

  test("a query without a path is matched with the root in front", () => {
    expect(parseRobots("User-agent: *\nDisallow: /?x\n").isAllowed("https://e.com?x=1", "bot")).toBe(false);
  });

  test("addresses without a robots.txt are not judged", () => {
    const robots = disallowAllRobots();
    expect(robots.isAllowed("data:text/html,x", "bot")).toBe(true);
    expect(robots.isAllowed(new URL("file:///etc"), "bot")).toBe(true);
  });
});

describe("what the file is", () => {
  test("a web page yields no rules and is reported", () => {
    const robots = parseRobots("\n<!DOCTYPE html>\n<p>User-agent: *\nDisallow: /\n");
    expectPaths(robots, "bot", "+/");
    expect(robots.problems[0]?.message).toContain("web page");
  });

  test("what lies beyond 500 KiB is ignored, the cut line included, and reported", () => {
    const start = "User-agent: *\nDisallow: /a\n";
    const filler = `#${"x".repeat(ROBOTS_MAX_BYTES - start.length - "Disallow: /".length - 2)}\n`;
    const robots = parseRobots(`${start}${filler}Disallow: /private\nDisallow: /b\n`);
    expectPaths(robots, "bot", "-/a", "+/b", "+/x", "+/private");
    expect(robots.problems[0]?.message).toContain("larger than 512000 bytes");
  });

  test("a line of more than 16,664 bytes is cut and reported", () => {
    const robots = parseRobots(`User-agent: *\nDisallow: /${"a".repeat(20_000)}\nDisallow: /b\n`);
    expect(robots.problems).toMatchObject([{ line: 2 }]);
    expectPaths(robots, "bot", "-/b", `-/${"a".repeat(17_000)}`, "+/aaa");
  });

  test("the line numbers are right with every line ending", () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      const robots = parseRobots(["# x", "", "User-agent: *", "Disalow: /a", "Noindex: /", "Sitemaps: /s"].join(end));
      expect(linesOf(robots), JSON.stringify(end)).toEqual([4, 6, 6]);
    }
  });

  test("a broken file reports a bounded number of bounded problems", () => {
    const robots = parseRobots(`Disallow: /${"a".repeat(5000)}\n`.repeat(90));
    expect(robots.problems.length).toBeLessThan(60);
    expect(Math.max(...robots.problems.map(({ message }) => message.length))).toBeLessThanOrEqual(300);
  });

  test("nothing at all allows everything", () => {
    expectPaths(parseRobots(""), "bot", "+/");
    expectPaths(parseRobots(new Uint8Array()), "bot", "+/");
    expectPaths(allowAllRobots(), "bot", "+/");
    expectPaths(disallowAllRobots(), "bot", "-/", "-/x");
  });
});

test.each([
  [200, "read"],
  [301, "allow_all"],
  [403, "allow_all"],
  [404, "allow_all"],
  [429, "disallow_all"],
  [500, "disallow_all"],
  [null, "disallow_all"],
])("a robots.txt that answers %s means %s", (status, expected) => {
  expect(robotsAvailability(status)).toBe(expected);
});

test("lines of white space cost no time", () => {
  const line = `Disallow: /a${" ".repeat(16_000)}b`;
  const startedAt = performance.now();
  parseRobots(`User-agent: *\n${`${line}\n`.repeat(30)}`, { url: "https://e.com/robots.txt" });
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
