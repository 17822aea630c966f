import type { PageCheck } from "./check.ts";
import {
  type Found,
  hasValue,
  isObject,
  isReference,
  type JsonLdObject,
  objectsOf,
  typesOf,
  valuesOf,
} from "./json-ld.ts";
import { clip, counted, shownHtml } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";
import { RICH_RESULTS, type RichResult } from "./rich-results.ts";

/** The reader keeps that much of one script; what was cut cannot be judged. */
const CUT_AT = 65_536;
const BLANK = /^\s*$/;

/** Older pages wrap the data so that old browsers would not show it. */
const unwrapped = (text: string): string =>
  text
    .replace(/^\s*(?:<!--|\/\*\s*<!\[CDATA\[\s*\*\/|\/\/\s*<!\[CDATA\[|<!\[CDATA\[)/, "")
    .replace(/(?:-->|\/\*\s*\]\]>\s*\*\/|\/\/\s*\]\]>|\]\]>)\s*$/, "");

/** Where JSON ends to be JSON, in the parser's own words; null when it is fine. */
function parse(text: string): { value: unknown; error: string | null } {
  try {
    return { value: JSON.parse(unwrapped(text)) as unknown, error: null };
  } catch (error) {
    return { value: null, error: error instanceof Error ? error.message : String(error) };
  }
}

const judgeable = (scripts: readonly string[]): string[] => scripts.filter((text) => text.length < CUT_AT);

/** The alternatives of a requirement ("ratingCount|reviewCount") of which an object has none. */
function missingOf(object: JsonLdObject, required: readonly string[]): string[] {
  return required
    .filter((requirement) => !requirement.split("|").some((property) => hasValue(object, property)))
    .map((requirement) => requirement.split("|").join(" or "));
}

/** Properties that are missing, those of inner objects with their path. */
function missingIn(object: JsonLdObject, rich: RichResult): string[] {
  const missing = missingOf(object, rich.required);
  for (const [property, required] of Object.entries(rich.within ?? {})) {
    const inner = valuesOf(object[property])
      .filter(isObject)
      .filter((value) => !isReference(value));
    for (const value of inner) {
      const path = missingOf(value, required).map((name) => `${property}.${name}`);
      missing.push(...path.filter((name) => !missing.includes(name)));
    }
  }
  return missing;
}

/**
 * Only what can become a rich result of this page: the objects of the document itself, and reviews within them. What
 * another object merely mentions (the product that an offer is for) needs no more than a name.
 */
function isJudged({ object, parent, property }: Found): boolean {
  if (isReference(object)) return false;
  return parent === null || property === "mainEntity" || property === "review" || property === "video";
}

interface Shortfall {
  rich: RichResult;
  type: string;
  missing: string[];
}

function shortfalls(scripts: readonly string[]): Shortfall[] {
  const found: Shortfall[] = [];
  for (const text of judgeable(scripts)) {
    for (const item of objectsOf(parse(text).value).filter(isJudged)) {
      const types = typesOf(item.object);
      // A car that is a Product as well is one thing, judged once for each rich result.
      for (const rich of RICH_RESULTS) {
        const type = types.find((name) => rich.types.includes(name));
        const missing = type === undefined ? [] : missingIn(item.object, rich);
        if (type !== undefined && missing.length > 0) found.push({ rich, type, missing });
      }
    }
  }
  return found;
}

export const structuredDataChecks: PageCheck[] = [
  {
    id: "sd.parse",
    severity: "error",
    title: "Structured data cannot be read",
    why: "A single misplaced comma makes search engines ignore the whole block.",
    fix: "Mend the JSON; the Rich Results Test shows the place.",
    source: REFERENCE.structuredData,
    page: (view) => {
      const html = shownHtml(view);
      if (html === null || html.truncated) return null;
      const broken = judgeable(html.jsonLd)
        .filter((text) => !BLANK.test(text))
        .map((text) => ({ text, error: parse(text).error }))
        .filter(({ error }) => error !== null);
      const first = broken[0];
      if (first === undefined) return null;
      return {
        evidence: {
          message: `${counted(broken.length, "JSON-LD block is", "JSON-LD blocks are")} no valid JSON: ${clip(first.error!, 160)}`,
          measured: broken.length,
          limit: 0,
          found: clip(first.text, 200),
        },
      };
    },
  },
  {
    id: "sd.required",
    severity: "warning",
    title: "Structured data lacks what Google requires",
    why: "Without its required properties it cannot become a rich result.",
    fix: "Add the properties that are named, with what the page shows.",
    source: REFERENCE.richResults,
    page: (view) => {
      const html = shownHtml(view);
      if (html === null || html.truncated || html.jsonLd.length === 0) return null;
      const found = shortfalls(html.jsonLd);
      const first = found[0];
      if (first === undefined) return null;
      const more =
        found.length > 1
          ? ` ${counted(found.length - 1, "other object lacks", "other objects lack")} something too.`
          : "";
      return {
        evidence: {
          message: `${first.type} (${first.rich.name}) lacks ${first.missing.join(", ")}.${more}`,
          measured: first.missing.length,
          limit: 0,
          found: `${first.type}: ${first.missing.join(", ")}`,
          target: first.rich.source,
        },
      };
    },
  },
];
