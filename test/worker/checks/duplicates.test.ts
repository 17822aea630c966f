import { describe, expect, test } from "vitest";
import { sql } from "drizzle-orm";
import { runBatch } from "../../../src/storage/database.ts";
import { analyse, db, findingsOf, places, seedAudit } from "../support/seed.ts";

describe("title.duplicate", () => {
  test("pages with one title are one finding that names them", async () => {
    const issues = await findingsOf("title.duplicate", {
      pages: {
        "/": {},
        "/a": { title: "Shop" },
        "/b": { title: "Shop" },
        "/c": { title: "Shop" },
        "/d": { title: "Shop" },
      },
    });
    expect(issues).toMatchObject([
      {
        severity: "warning",
        at: "/a",
        message: "4 pages have the same title: /a, /b, /c ...",
        evidence: { measured: 4, found: "Shop", members: [2, 3, 4, 5], memberCount: 4 },
      },
    ]);
  });

  test("another language, a copy, a hidden page, and page 2 of a list do not count", async () => {
    const title = "Shop";
    const issues = await findingsOf("title.duplicate", {
      pages: {
        "/": { title, lang: "en" },
        "/de": { title, lang: "de" },
        "/copy": { title, lang: "en", canonical: "/" },
        "/hidden": { title, lang: "en", noindex: true },
        "/list?page=2": { title, lang: "en" },
        "/list/page/3": { title, lang: "en" },
        "/old": { title, lang: "en", redirectsTo: "/" },
      },
    });
    expect(issues).toEqual([]);
  });

  test("app shells share a title only until their scripts run", async () => {
    const auditId = await seedAudit({
      pages: { "/": { title: "App" }, "/a": { title: "App" }, "/b": { title: "App" } },
    });
    const shell = (urlId: number) => sql`
      insert into audit_issues (audit_id, check_id, url_id, severity, evidence)
      values (${auditId}, 'content.js-shell', ${urlId}, 'notice', '{"message":""}')`;
    await runBatch(db, [shell(2), shell(3)]);
    expect((await analyse(auditId)).filter(({ check }) => check === "title.duplicate")).toEqual([]);
  });
});

test("desc.duplicate: pages that share a description are one finding; pages without one are none", async () => {
  const issues = await findingsOf("desc.duplicate", {
    pages: {
      "/": {},
      "/a": { description: "Same" },
      "/b": { description: "Same" },
      "/c": { description: "Other" },
      "/d": {},
    },
  });
  expect(places(issues)).toEqual(["warning /a"]);
});

describe("content.duplicate", () => {
  test("pages with the same main text are one finding; copies that name their original are none", async () => {
    const issues = await findingsOf("content.duplicate", {
      pages: {
        "/": {},
        "/a": { textKey: "x" },
        "/b": { textKey: "x" },
        "/c": { textKey: "y" },
        "/d": { textKey: "y", canonical: "/c" },
        "/empty": { textKey: "z", words: 0 },
        "/empty2": { textKey: "z", words: 0 },
      },
    });
    expect(places(issues)).toEqual(["warning /a"]);
    expect(issues[0]!.message).toBe("2 pages have the same main text: /a, /b");
  });
});

describe("content.near-dup", () => {
  const signature = (first: string) => first.padEnd(4, "A").repeat(10) + "BCDE".repeat(118);

  test("pages with nearly the same text are one finding; copies, hidden pages, app shells and equal texts are none", async () => {
    const issues = await findingsOf("content.near-dup", {
      pages: {
        "/": { minhash: "ZZZZ".repeat(128) },
        "/a": { minhash: signature("x") },
        "/b": { minhash: signature("y") },
        "/equal": { minhash: signature("x"), textKey: "text of /a" },
        "/copy": { minhash: signature("z"), canonical: "/a" },
        "/hidden": { minhash: signature("w"), noindex: true },
        "/shell": { minhash: signature("v"), extras: { jsShell: true } },
      },
    });
    expect(issues).toMatchObject([{ severity: "notice", at: "/a", evidence: { members: [2, 3], measured: 0.92 } }]);
  });
});

describe("canon.missing", () => {
  test("a page with a known copy and no canonical is a notice; with a canonical, or without a copy, none", async () => {
    const issues = await findingsOf("canon.missing", {
      pages: {
        "/": {},
        "/a": { textKey: "x" },
        "/a?ref=1": { textKey: "x", canonical: "/a" },
        "/b": { textKey: "y", canonical: "/b" },
        "/b?ref=1": { textKey: "y", canonical: "/b" },
        "/alone": {},
      },
    });
    expect(places(issues)).toEqual(["notice /a"]);
    expect(issues[0]!.message).toBe("1 of 2 pages with the same main text name no canonical address: /a");
  });
});
