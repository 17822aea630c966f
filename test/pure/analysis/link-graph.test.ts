import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LinkGraph } from "../../../src/audit/analysis/link-graph.ts";
import { LINK, RESOURCE } from "../../../src/audit/crawl/link-flags.ts";

type Row = [id: number, flags?: number, anchor?: string];

/** A graph of pages 1 to n; `links[i]` are those of page i + 1. */
function graphOf(
  links: Row[][],
  options: { redirects?: Record<number, number>; wanted?: number[]; lastId?: number } = {},
) {
  const { redirects = {}, wanted = [], lastId = links.length } = options;
  const graph = new LinkGraph({
    lastId,
    pages: links.map((_, at) => ({ urlId: at + 1, targetId: redirects[at + 1] ?? null })),
    wanted,
  });
  for (const [at, own] of links.entries()) {
    graph.add({
      urlId: at + 1,
      nofollow: false,
      links: JSON.stringify(own.map(([id, flags, anchor]) => [id, flags ?? 0, anchor ?? ""])),
      resources: null,
    });
  }
  return graph;
}

describe("the link graph", () => {
  test("counts pages, not links, and leaves out a page's links to itself", () => {
    const graph = graphOf([[[2], [2, 0, "again"], [1]], [[1], [2]], [[2]]]);
    expect(graph.target(2)).toMatchObject({
      inlinks: 2,
      followInlinks: 2,
      sample: [
        [1, ""],
        [3, ""],
      ],
    });
    expect(graph.target(1)).toMatchObject({ inlinks: 1 });
    expect(graph.target(3)).toMatchObject({ inlinks: 0, sample: [] });
  });

  test("a followed link beside a nofollow one from the same page counts as followed", () => {
    expect(graphOf([[[2, LINK.nofollow], [2]], []]).target(2)).toMatchObject({ inlinks: 1, followInlinks: 1 });
    expect(graphOf([[[2, LINK.nofollow]], []]).target(2)).toMatchObject({ inlinks: 1, followInlinks: 0 });
  });

  test("a link to a redirect leads to its end, without being a link to it", () => {
    const graph = graphOf([[[2]], [], []], { redirects: { 2: 3 } });
    expect(graph.target(3)).toMatchObject({ inlinks: 0, followInlinks: 1 });
    expect([...graph.depths(1)].slice(1)).toEqual([0, 1, 1]);
  });

  test("a page's link to an address that redirects back to it does not lead to the page", () => {
    expect(graphOf([[[2]], []], { redirects: { 2: 1 } }).target(1).followInlinks).toBe(0);
  });

  test("redirects in a circle end", () => {
    const graph = graphOf([[[2]], [], []], { redirects: { 2: 3, 3: 2 } });
    expect([...graph.depths(1)].slice(1)).toEqual([0, 1, 1]);
  });

  test("keeps sources of other addresses only when they are wanted, with how they are used", () => {
    const graph = graphOf(
      [
        [
          [5, LINK.external],
          [6, LINK.external],
        ],
      ],
      { wanted: [5, 7], lastId: 7 },
    );
    graph.add({
      urlId: 1,
      nofollow: false,
      links: null,
      resources: JSON.stringify([[7, RESOURCE.image | RESOURCE.noAlt]]),
    });
    expect(graph.target(5)).toMatchObject({ inlinks: 1, uses: 1 });
    expect(graph.target(6)).toMatchObject({ inlinks: 0 });
    expect(graph.target(7)).toMatchObject({ inlinks: 1, uses: (RESOURCE.image | RESOURCE.noAlt) << 1 });
  });

  test("a sample holds twenty sources and short anchor texts", () => {
    const graph = graphOf(Array.from({ length: 30 }, (): Row[] => [[1, 0, "x".repeat(500)]]));
    const { sample, inlinks } = graph.target(1);
    expect([sample.length, inlinks]).toEqual([20, 29]);
    expect(sample[0]![1]).toHaveLength(80);
  });

  test("rows that are not what they should be are passed over", () => {
    const graph = new LinkGraph({
      lastId: 2,
      pages: [
        { urlId: 1, targetId: 99 },
        { urlId: 2, targetId: null },
      ],
      wanted: [99],
    });
    graph.add({ urlId: 1, nofollow: false, links: '[[99],["2"],[2.5],null,[-1],{},[2]]', resources: '{"a":1}' });
    expect(graph.target(2).inlinks).toBe(1);
    expect([...graph.depths(1)]).toEqual([-1, 0, 1]);
  });

  test("depths are those of a plain breadth-first search, for any graph", () => {
    const anyGraph = fc.array(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 5 }), {
      minLength: 12,
      maxLength: 12,
    });
    fc.assert(
      fc.property(anyGraph, (targets) => {
        const depths = graphOf(targets.map((own) => own.map((id): Row => [id]))).depths(1);
        const expected = Array.from({ length: 13 }, () => -1);
        expected[1] = 0;
        for (let round = 0; round < 12; round++) {
          for (const [at, own] of targets.entries()) {
            if (expected[at + 1] === round) for (const id of own) if (expected[id] === -1) expected[id] = round + 1;
          }
        }
        expect([...depths]).toEqual(expected);
      }),
    );
  });
});
