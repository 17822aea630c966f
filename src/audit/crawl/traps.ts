/**
 * Guards against infinite spaces: calendars, filters in every combination, session ids, paths that grow. What a guard
 * refuses is kept in `audit_urls.refusal` as `trap:<kind> <form>`, so that one finding a form can be made of the rows.
 */
import { minhashSimilarity } from "./minhash.ts";
import { foldText, type UrlTemplate, urlTemplate } from "./url-template.ts";
import { parameterNames } from "./url-parameters.ts";

export const TRAP_KINDS = ["length", "depth", "repeat", "parameters", "template"] as const;
export type TrapKind = (typeof TRAP_KINDS)[number];

/** Characters. */
const MAX_LENGTH = 2_048;
/** Segments of a path. */
const MAX_SEGMENTS = 30;
const MAX_REPEATS = 2;
const MAX_PARAMETERS = 8;
/** Addresses of one template, when nearly all of them show the same. */
export const MAX_TEMPLATE_URLS = 200;
/** Pages in a row that show the same, or none. */
export const MAX_RUN = 50;
const ALIKE_SHARE = 0.95;
/** Fewer pages prove nothing. */
const LEAST_SEEN = 20;
/** Estimated Jaccard similarity of two pages that show the same. */
const ALIKE = 0.9;
/**
 * Clicks from the start. A finite site links its pages from lists, so that even thousands of them are near; an endless
 * space leads from each page to the next. Without that depth, alike pages are only a poor site.
 */
const CHAIN_DEPTH = 20;

function refusal(kind: TrapKind, form: string): string {
  return `trap:${kind} ${form}`.slice(0, 340);
}

/** The first segment of a path, as the name of the part of the site. */
function partOf(url: URL): string {
  return `/${url.pathname.split("/")[1] ?? ""}`.slice(0, 100);
}

function repeatedSegment(segments: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const segment of segments) {
    if (segment === "" || /^\d+$/.test(segment)) continue;
    const count = (counts.get(segment) ?? 0) + 1;
    if (count > MAX_REPEATS) return segment;
    counts.set(segment, count);
  }
  return null;
}

/** What an address alone gives away; null: nothing. Pure. */
export function isTrap(url: URL): string | null {
  const { href, pathname } = url;
  if (href.length - url.hash.length > MAX_LENGTH) return refusal("length", partOf(url));
  const segments = pathname.split("/").slice(1);
  const repeated = repeatedSegment(segments);
  if (repeated !== null) return refusal("repeat", repeated);
  if (segments.length > MAX_SEGMENTS) return refusal("depth", partOf(url));
  return parameterNames(url).length > MAX_PARAMETERS ? refusal("parameters", pathname) : null;
}

/** What a refusal means, as one sentence for the finding; null for a refusal of another kind. */
export function describeTrap(text: string): string | null {
  const match = /^trap:([a-z]+) (.*)$/s.exec(text);
  const form = match?.[2] ?? "";
  const words: Record<TrapKind, string> = {
    length: `Addresses under ${form} are longer than ${MAX_LENGTH} characters.`,
    depth: `Paths under ${form} have more than ${MAX_SEGMENTS} parts.`,
    repeat: `Paths repeat "${form}" ${MAX_REPEATS + 1} times or more: a link probably lacks its scheme or leading slash.`,
    parameters: `Addresses of ${form} carry more than ${MAX_PARAMETERS} parameters.`,
    template: `Ever more addresses of the form ${form} lead to nearly the same page, or to none; the crawl stopped there.`,
  };
  return TRAP_KINDS.flatMap((kind) => (kind === match?.[1] ? [words[kind]] : []))[0] ?? null;
}

/** One template's counts: form, addresses, deepest, pages seen, pages alike, run, stopped (0 or 1). */
export type TemplateCounts = [
  form: string,
  urls: number,
  deepest: number,
  seen: number,
  alike: number,
  run: number,
  stopped: 0 | 1,
];

/** Fit for JSON and small: only templates that could become a trap. */
export interface TrapGuardState {
  templates: TemplateCounts[];
}

export interface SeenPage {
  url: URL;
  /** It answered 200. */
  isOk: boolean;
  /** Signature of its main text; null when it has too few words. */
  minhash: string | null;
  /** Title and beginning of the text: compared when there is no signature. */
  text: string;
}

export interface TrapGuard {
  /** Asked for each new page address, `depth` clicks from the start: its refusal, or null. Counts it. */
  admit(url: URL, depth: number): string | null;
  /** Told of each page that was fetched, in any order. */
  observe(page: SeenPage): void;
  state(): TrapGuardState;
}

interface Template {
  urls: number;
  deepest: number;
  seen: number;
  alike: number;
  run: number;
  isStopped: boolean;
  /** What the last different pages looked like. */
  looks: { minhash: string | null; text: string }[];
}

const REMEMBERED_LOOKS = 4;
const REMEMBERED_TEMPLATES = 2_000;
const STORED_TEMPLATES = 300;
/** Fewer addresses are not worth a place in the stored state. */
const STORED_FROM = 10;

function canBeEndless({ pathVariables, parameters, hasSession }: UrlTemplate, template: Template): boolean {
  if (pathVariables + parameters === 0) return false;
  return template.deepest >= CHAIN_DEPTH || parameters >= 2 || hasSession;
}

function isAlike(page: SeenPage, text: string, { looks }: Template): boolean {
  return looks.some((look) => {
    if (page.minhash !== null && look.minhash !== null) return minhashSimilarity(page.minhash, look.minhash) >= ALIKE;
    return page.minhash === look.minhash && look.text === text;
  });
}

/**
 * A guard that learns from the pages: it stops a template when over 200 of its addresses are known and 95 % of its
 * pages look alike, or 50 in a row do or fail, and the space shows signs of being endless. Its state can be stored
 * between steps; lost, it is rebuilt by telling it the pages again.
 */
export function createTrapGuard(stored: TrapGuardState = { templates: [] }): TrapGuard {
  const templates = new Map<string, Template>();
  for (const [form, urls, deepest, seen, alike, run, stopped] of stored.templates) {
    templates.set(form, { urls, deepest, seen, alike, run, isStopped: stopped === 1, looks: [] });
  }

  function templateOf(form: string): Template {
    let template = templates.get(form);
    if (template === undefined) {
      // Most templates of a large site have one address; the first of them makes room.
      if (templates.size >= REMEMBERED_TEMPLATES) {
        for (const [oldForm, old] of templates) {
          if (old.urls <= 1 && !old.isStopped) templates.delete(oldForm);
        }
        if (templates.size >= REMEMBERED_TEMPLATES) templates.delete(templates.keys().next().value!);
      }
      template = { urls: 0, deepest: 0, seen: 0, alike: 0, run: 0, isStopped: false, looks: [] };
      templates.set(form, template);
    }
    return template;
  }

  function isEnough(kind: UrlTemplate, template: Template): boolean {
    if (!canBeEndless(kind, template)) return false;
    if (template.run >= MAX_RUN) return true;
    const isMostlyAlike = template.seen >= LEAST_SEEN && template.alike >= template.seen * ALIKE_SHARE;
    return template.urls > MAX_TEMPLATE_URLS && isMostlyAlike;
  }

  return {
    admit(url, depth) {
      const alone = isTrap(url);
      if (alone !== null) return alone;
      const kind = urlTemplate(url);
      if (kind.pathVariables + kind.parameters === 0) return null;
      const template = templateOf(kind.form);
      template.urls += 1;
      template.deepest = Math.max(template.deepest, depth);
      template.isStopped ||= isEnough(kind, template);
      return template.isStopped ? refusal("template", kind.form) : null;
    },
    observe(page) {
      const kind = urlTemplate(page.url);
      if (kind.pathVariables + kind.parameters === 0) return;
      const template = templateOf(kind.form);
      const text = foldText(page.text);
      if (page.isOk && template.looks.length === 0) {
        // Nothing to compare with yet, perhaps only because the state was stored without looks.
        template.looks.push({ minhash: page.minhash, text });
        template.seen += template.seen === 0 ? 1 : 0;
        template.alike += template.alike === 0 ? 1 : 0;
        return;
      }
      const alike = !page.isOk || isAlike(page, text, template);
      template.seen += 1;
      template.alike += alike ? 1 : 0;
      template.run = alike ? template.run + 1 : 0;
      if (alike) return;
      template.looks.push({ minhash: page.minhash, text });
      if (template.looks.length > REMEMBERED_LOOKS) template.looks.shift();
    },
    state() {
      const worth = [...templates].filter(([, { urls, isStopped }]) => isStopped || urls >= STORED_FROM);
      worth.sort(([, a], [, b]) => Number(b.isStopped) - Number(a.isStopped) || b.urls - a.urls);
      return {
        templates: worth.slice(0, STORED_TEMPLATES).map(([form, t]): TemplateCounts => {
          return [form, t.urls, t.deepest, t.seen, t.alike, t.run, t.isStopped ? 1 : 0];
        }),
      };
    },
  };
}
