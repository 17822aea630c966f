import { describe, expect, test } from "vitest";
import { nearDuplicateIssues, nearDuplicates, type SignedText } from "../../../src/audit/analysis/near-duplicates.ts";
import { MINHASH_VALUES, mix32 } from "../../../src/audit/crawl/minhash.ts";

const value = (seed: number, at: number): string =>
  (mix32(seed * 128 + at) >>> 0).toString(16).padStart(8, "0").slice(0, 4);

/** A signature of which the first `changed` values are `salt`'s own and the rest are `base`'s. */
const signature = (base: number, changed = 0, salt = 0): string =>
  Array.from({ length: MINHASH_VALUES }, (_, at) => value(at < changed ? 100_000 + salt : base, at)).join("");

const page = (urlId: number, minhash: string, textKey: string | null = null): SignedText => ({
  urlId,
  minhash,
  textKey,
});

describe("near duplicates", () => {
  test("12 of 128 values may differ (0.906), 13 may not (0.898)", () => {
    expect(nearDuplicates([page(1, signature(1)), page(2, signature(1, 12, 2))])).toEqual([
      { leader: 1, members: [1, 2], least: 116 / 128 },
    ]);
    expect(nearDuplicates([page(1, signature(1)), page(2, signature(1, 13, 2))])).toEqual([]);
  });

  test("a chain of small differences does not join what differs much", () => {
    const clusters = nearDuplicates([
      page(1, signature(1)),
      page(2, signature(1, 12, 2)),
      page(3, signature(1, 24, 2)),
    ]);
    expect(clusters).toEqual([{ leader: 1, members: [1, 2], least: 116 / 128 }]);
  });

  test("equal texts are one page: alone they are no near duplicates", () => {
    expect(nearDuplicates([page(1, signature(1), "same"), page(2, signature(1), "same")])).toEqual([]);
    const clusters = nearDuplicates([
      page(1, signature(1), "same"),
      page(2, signature(1), "same"),
      page(3, signature(1, 5, 3), "other"),
    ]);
    expect(clusters[0]?.members).toEqual([1, 3]);
  });

  test("a signature of another length is passed over", () => {
    expect(nearDuplicates([page(1, "abc"), page(2, "abc")])).toEqual([]);
  });

  test("the issue says how many pages and how much alike", () => {
    const texts = Array.from({ length: 30 }, (_, at) => page(at + 1, signature(1, at % 6, at)));
    const [issue] = nearDuplicateIssues(nearDuplicates(texts));
    expect(issue).toMatchObject({
      checkId: "content.near-dup",
      urlId: 1,
      severity: "notice",
      evidence: {
        message: "30 pages have nearly the same main text: at least 96 % alike by estimate (limit 90 %)",
        memberCount: 30,
      },
    });
    expect(issue?.evidence.members).toHaveLength(20);
  });

  test("10,000 pages, half of them of one template and half unlike each other, take a second or so", () => {
    const texts = Array.from({ length: 10_000 }, (_, at) =>
      page(at + 1, at % 2 === 0 ? signature(1, at % 12, at) : signature(50_000 + at)),
    );
    const startedAt = performance.now();
    const clusters = nearDuplicates(texts);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(clusters).toHaveLength(1);
    expect(clusters[0]?.members).toHaveLength(5_000);
  });
});
