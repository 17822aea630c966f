/**
 * What is wrong with a language tag, in words that follow the tag: `hreflang` as Google reads it, `lang` as BCP 47
 * (RFC 5646) defines it.
 */
import { LANGUAGES, REGIONS, SCRIPTS, WITHDRAWN_LANGUAGES } from "./language-codes.ts";

/** What people write for a country that has another code. */
const MEANT_REGION: Readonly<Record<string, string>> = { UK: "GB", EN: "GB", SP: "ES", JA: "JP", KO: "KR" };

function titleCase(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase();
}

/** The two-letter code of a language that has one, for "eng", "deu" and the like. */
function shortCode(language: string): string | null {
  if (!/^[a-z]{3}$/.test(language)) return null;
  try {
    const short = Intl.getCanonicalLocales(language)[0]!;
    return LANGUAGES.has(short) ? short : null;
  } catch {
    return null;
  }
}

function languageFault(language: string, second: string | undefined): string | null {
  if (LANGUAGES.has(language)) return null;
  const isRegion = REGIONS.has(language.toUpperCase()) || language === "uk";
  if (isRegion && second === undefined) return "is a region; a language must come first";
  if (isRegion && LANGUAGES.has(second ?? "")) return `has the region first; use "${second}-${language.toUpperCase()}"`;
  const short = shortCode(language);
  return `begins with "${language}", which is no language of ISO 639-1${short === null ? "" : `; use "${short}"`}`;
}

function regionFault(language: string, region: string): string | null {
  if (REGIONS.has(region)) return null;
  const meant = MEANT_REGION[region];
  if (meant !== undefined) return `has the region "${region}"; the code is "${language}-${meant}" (use ${meant})`;
  if (/^\d{3}$/.test(region)) return `has the region "${region}"; only countries of ISO 3166-1 count, in two letters`;
  return `has the region "${region}", which is no country of ISO 3166-1`;
}

/** Null when Google understands the value: x-default, or language[-script][-region]; the case does not matter. */
export function hreflangFault(value: string): string | null {
  const code = value.trim().slice(0, 40);
  if (code === "") return "is empty";
  if (code.toLowerCase() === "x-default") return null;
  if (code.includes("_")) {
    const mended = code.replaceAll("_", "-");
    return `has an underscore${hreflangFault(mended) === null ? `; use "${mended}"` : ""}`;
  }
  const [language = "", ...rest] = code.toLowerCase().split("-");
  const fault = languageFault(language, rest[0]);
  if (fault !== null) return fault;
  const script = rest[0]?.length === 4 && !/\d/.test(rest[0]) ? rest.shift()! : null;
  if (script !== null && !SCRIPTS.has(titleCase(script)))
    return `has the script "${script}", which is not in ISO 15924`;
  const region = rest.shift();
  const regionProblem = region === undefined ? null : regionFault(language, region.toUpperCase());
  if (regionProblem !== null) return regionProblem;
  return rest.length > 0 ? `has more than language, script and region ("${rest.join("-")}")` : null;
}

/** Null when the value can be a language tag of BCP 47 whose language exists. */
export function languageTagFault(value: string): string | null {
  const tag = value.slice(0, 100);
  if (tag.includes("_")) return `has an underscore; use "${tag.replaceAll("_", "-")}"`;
  // Tags of private use, and those from before RFC 4646 (i-klingon), are valid although Intl refuses them.
  if (/^[xi]-[a-z0-9-]+$/i.test(tag)) return null;
  let canonical: string;
  try {
    canonical = Intl.getCanonicalLocales(tag)[0]!;
  } catch {
    return "is no language tag (BCP 47)";
  }
  const language = tag.split("-")[0]!.toLowerCase();
  const isKnown = language.length !== 2 || LANGUAGES.has(language) || WITHDRAWN_LANGUAGES.has(language);
  // Four to eight letters are reserved, and no such language is registered.
  if (!isKnown || language.length > 3) return `begins with "${language}", which is no language`;
  if (/^[a-z]+-uk$/i.test(tag) || /-UK(?:-|$)/.test(canonical)) return `has the region "UK"; use "${language}-GB"`;
  return null;
}
