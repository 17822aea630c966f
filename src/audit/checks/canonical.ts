import type { CanonicalTag } from "../crawl/html-facts.ts";
import { dedupeKey } from "../crawl/url.ts";
import type { PageCheck } from "./check.ts";
import { canonicalFault, effectiveCanonical } from "./indexability.ts";
import { clip, registrableDomain } from "./page-facts.ts";
import { pageNumberBehindFirst } from "./pagination.ts";
import { REFERENCE } from "./references.ts";

const shown = ({ raw, where }: CanonicalTag): string =>
  where === "header" ? `Link: <${clip(raw, 200)}>; rel="canonical"` : `<link rel="canonical" href="${clip(raw, 200)}">`;

const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i;

function keyOf({ url, raw }: CanonicalTag): string {
  const parsed = url === null ? null : URL.parse(url);
  return parsed === null ? raw.trim() : dedupeKey(parsed);
}

export const canonicalChecks: PageCheck[] = [
  {
    id: "canon.multiple",
    severity: "error",
    title: "Page names several canonical addresses",
    why: "When they differ, Google ignores all of them.",
    fix: "Keep one, in the head or in the Link header.",
    source: REFERENCE.canonical,
    page: ({ html }) => {
      const counting = html?.canonicals.filter(({ where, raw }) => where !== "body" && raw.trim() !== "") ?? [];
      if (counting.length < 2) return null;
      const values = new Map(counting.map((canonical) => [keyOf(canonical), canonical]));
      if (values.size < 2) return null;
      const tags = [...values.values()];
      return {
        evidence: {
          message: `${values.size} different canonicals (limit 1): ${clip(tags.map(({ raw }) => raw).join(", "), 300)}.`,
          measured: values.size,
          limit: 1,
          found: tags.slice(0, 3).map(shown).join(" "),
        },
      };
    },
  },
  {
    id: "canon.invalid",
    severity: "error",
    title: "Canonical cannot be used",
    why: "Search engines ignore it and choose by themselves which address to show.",
    fix: "Give one full https address without a fragment, in the head.",
    source: REFERENCE.canonical,
    page: ({ html }) => {
      // One that a broken head has pushed into the body is reported there.
      const isLost = html?.headBrokenBy?.lost.includes("canonical") === true;
      const faulty = html?.canonicals
        .map((canonical) => ({ canonical, fault: canonicalFault(canonical) }))
        .find(({ canonical, fault }) => fault !== null && !(isLost && canonical.where === "body"));
      if (faulty === undefined) return null;
      return {
        evidence: {
          message: `The canonical ${faulty.fault}: ${clip(faulty.canonical.raw) || "no value"}.`,
          found: shown(faulty.canonical),
        },
      };
    },
  },
  {
    id: "canon.relative",
    severity: "notice",
    title: "Canonical is a relative address",
    why: "It works, but a copy of the page on another host or protocol then names itself.",
    fix: "Write the full address, with https and the host.",
    source: REFERENCE.canonical,
    page: ({ html }) => {
      const relative = html?.canonicals.find((canonical) => {
        const raw = canonical.raw.trim();
        return canonicalFault(canonical) === null && !raw.startsWith("//") && !HAS_SCHEME.test(raw);
      });
      return relative === undefined
        ? null
        : {
            evidence: {
              message: `The canonical is written "${clip(relative.raw)}", without a host.`,
              found: shown(relative),
            },
          };
    },
  },
  {
    id: "canon.cross-host",
    severity: "notice",
    title: "Canonical is on another domain",
    why: "The page asks search engines to show the other site instead. Right for syndicated texts only.",
    fix: "If this site should be found, name its own address.",
    source: REFERENCE.canonical,
    page: ({ html, fetched }) => {
      const canonical = html === null ? null : effectiveCanonical(html, fetched.finalUrl);
      if (canonical === null || canonical === fetched.finalUrl) return null;
      const [target, own] = [URL.parse(canonical), URL.parse(fetched.finalUrl)];
      if (target === null || own === null) return null;
      const [there, here] = [registrableDomain(target.hostname), registrableDomain(own.hostname)];
      if (there === here) return null;
      return { evidence: { message: `The canonical is on ${there}, the page on ${here}.`, target: canonical } };
    },
  },
  {
    id: "canon.pagination-root",
    severity: "warning",
    title: "Later page of a list names the first as its canonical",
    why: "It asks search engines to ignore this page, and with it what only this page links to.",
    fix: "Let every page of the list be its own canonical.",
    source: REFERENCE.pagination,
    page: ({ html, fetched }) => {
      const canonical = html === null ? null : effectiveCanonical(html, fetched.finalUrl);
      if (canonical === null) return null;
      const number = pageNumberBehindFirst(canonical, fetched.finalUrl);
      if (number === null) return null;
      return {
        evidence: {
          message: `This is page ${number}, its canonical is page 1: ${clip(canonical)}`,
          measured: number,
          limit: 1,
          target: canonical,
        },
      };
    },
  },
];
