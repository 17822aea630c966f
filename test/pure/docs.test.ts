import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHECKS } from "../../src/audit/checks/catalogue.ts";
import { checksPage } from "../docs/checks-page.ts";
import { errorsPage } from "../docs/errors-page.ts";

const page = (name: string): string => readFileSync(join(import.meta.dirname, "../../docs", name), "utf8");

test("docs/checks.md is what the catalogue says today (npm run docs writes it)", () => {
  expect(page("checks.md")).toBe(checksPage());
});

test("no check is listed twice, and each names its words", () => {
  const ids = CHECKS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, title, why, fix } of CHECKS)
    expect([id, title, why, fix].every((text) => text.length > 3)).toBe(true);
});

test("docs/errors.md is what people are shown today (npm run docs writes it)", () => {
  expect(page("errors.md")).toBe(errorsPage());
});
