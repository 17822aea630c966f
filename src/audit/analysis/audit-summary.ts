/** The summary of an audit, as the analyzing phase stores it and the API gives it. */
import { z } from "zod";
import { SEVERITIES } from "../../storage/schema.ts";

const count = z.number().int();
const counts = z.record(z.string(), count);

const percentiles = z
  .object({ p50: z.number(), p75: z.number(), p90: z.number(), p99: z.number(), max: z.number() })
  .nullable();

/** How a category came to its points: see docs/score.md. */
const scorePart = z.object({
  category: z.string(),
  title: z.string(),
  weight: z.number(),
  points: z.number().describe("0 to 10"),
  losses: z.array(
    z.object({
      check: z.string(),
      severity: z.enum(SEVERITIES),
      share: z.number().describe("share of the site that has the fault, by template, 0 to 1"),
      points: z.number().describe("points that the rule takes, at most 2.5"),
    }),
  ),
});

const comparison = z.object({
  previousAuditId: z.string(),
  issues: z.object({ new: count, fixed: count, still: count, not_seen: count }),
  bySeverity: z.array(
    z.object({ change: z.enum(["new", "fixed", "still", "not_seen"]), severity: z.enum(SEVERITIES), count }),
  ),
  pages: z.object({ new: count, gone: count, still: count }),
});

export const auditSummary = z.object({
  score: count.nullable(),
  /** Why there is no score, when there is none. */
  scoreNote: z.string().nullable(),
  scoreParts: z.array(scorePart).nullable(),
  issues: z.object({ error: count, warning: count, notice: count }),
  pages: count,
  indexable: count,
  blocked: count,
  crawlCompleted: z.boolean(),
  /** "within robots.txt", or what robots.txt said. */
  robots: z.string(),
  checksPassed: count,
  checksTotal: count,
  byCheck: z.array(z.object({ check: z.string(), severity: z.enum(SEVERITIES), count })),
  /** The ten things to do first. */
  fixFirst: z.array(
    z.object({
      check: z.string(),
      severity: z.enum(SEVERITIES),
      title: z.string(),
      pages: count,
      examples: z.array(z.string()),
      fix: z.string(),
    }),
  ),
  /** Pages by the reason that decides whether they can be indexed. */
  indexability: counts,
  /** Pages by class of status: 2xx, 3xx, 4xx, 5xx, none. */
  statuses: counts,
  /** Pages by clicks from the start page. */
  depths: counts,
  links: z.object({
    internal: count.describe("links between pages, each pair of page and target once"),
    perPage: z.number(),
    most: count,
    withoutInlinks: count.describe("indexable pages that no page links to"),
  }),
  ttfbMs: percentiles,
  bytes: percentiles,
  /** Beside the previous completed audit of the same site; null: there is none. */
  comparison: comparison.nullable(),
});
