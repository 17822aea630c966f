import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvCell, csvLine } from "../../../src/http/export/csv.ts";
import { readable } from "../../../src/cli/readable.ts";
import { clip, flow, safe, widthOfText } from "../../../src/cli/text.ts";

/** Reads one line of CSV as RFC 4180 does. */
function parseCsv(line: string): string[] {
  const cells: string[] = [];
  let rest = line.replace(/\r\n$/, "");
  for (;;) {
    const match = /^(?:"((?:[^"]|"")*)"|([^,"]*))(,|$)/.exec(rest);
    if (!match) throw new Error(`no CSV: ${rest}`);
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    rest = rest.slice(match[0].length);
    if (match[3] === "") return cells;
  }
}

describe("CSV", () => {
  test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1", "＋1", "－1", "＠1", "  =1", "\u200b=1", '="x",1'])(
    "%j cannot become a formula",
    (text) => {
      const [cell = ""] = parseCsv(csvLine([text]));
      expect(cell.startsWith("'")).toBe(true);
      expect(cell.slice(1)).toBe(text);
    },
  );

  test("an ordinary text and a number stay as they are", () => {
    expect(csvLine(["a title", "https://x.example/?a=1&b=-2", 12, null])).toBe(
      "a title,https://x.example/?a=1&b=-2,12,\r\n",
    );
  });

  test("whatever is written can be read back, and no cell of text begins a formula", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" }), { minLength: 1 }), (cells) => {
        const back = parseCsv(csvLine(cells));
        expect(back).toHaveLength(cells.length);
        for (const [at, cell] of back.entries()) {
          expect(cell.replace(/^'/, "")).toBe(cells[at]?.replaceAll("\0", "\ufffd").replace(/^'/, ""));
          expect(cell).not.toMatch(/^[=+\-@]/);
        }
      }),
    );
  });

  test("quotes are doubled", () => {
    expect(csvCell('say "hi", twice')).toBe('"say ""hi"", twice"');
  });
});

describe("text for the terminal", () => {
  test("an escape sequence, a bell and a carriage return lose their power", () => {
    const hostile = "a\u001b[2Jb\u0007c\rd\u009b31me\u202ef\ud800";
    // oxlint-disable-next-line no-control-regex -- control characters are what it is about
    expect(safe(hostile)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(safe(hostile)).toContain("[2Jb");
    expect(safe(hostile).isWellFormed()).toBe(true);
  });

  test("never exceeds its columns when clipped, wide characters counted twice", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 30 }), (text, columns) => {
        expect(widthOfText(clip(text, columns))).toBeLessThanOrEqual(columns);
      }),
    );
    expect(clip("園芸用品店", 6)).toBe("園芸…");
  });

  test("parts flow onto lines of the given width", () => {
    expect(flow(["one", "two", "three"], 11, "   ", "  ")).toEqual(["one   two", "  three"]);
  });
});

describe("an answer of the server as text", () => {
  test("has names and values in columns, times as times, lists as tables", () => {
    const lines = readable(
      {
        verdict: "dead",
        detectionMs: 372_000,
        endedAt: 1_790_000_000_000,
        won: true,
        nothing: null,
        audits: [
          { id: "a", code: "instance_lost" },
          { id: "bcd", code: "heartbeat_lost" },
        ],
      },
      80,
    );
    expect(lines).toEqual([
      "verdict    dead",
      "detection  6 min 12 s",
      "ended at   2026-09-21T14:13:20Z",
      "won        yes",
      "audits",
      "  id   code",
      "  a    instance_lost",
      "  bcd  heartbeat_lost",
    ]);
  });

  test("keeps hostile text harmless", () => {
    expect(readable({ title: "\u001b]0;x\u0007" }, 80).join("")).not.toContain("\u001b");
  });
});
