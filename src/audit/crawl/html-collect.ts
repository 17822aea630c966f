/**
 * Collects what the reader finds in a document, within bounds. Addresses are kept as written until the end, because a
 * `<base>` further down also counts for what stands above it.
 */
import type { CanonicalTag, HtmlFacts, ImageFact, LinkFact, ResourceKind } from "./html-facts.ts";
import { createResolver, type Resolver } from "./html-resolve.ts";
import { oneLine } from "./html-text.ts";
import { parseMetaRefresh } from "./html-urls.ts";
import type { TextSummary } from "./main-text.ts";

/** Enough for any honest page; a hostile one must not fill the memory or the database. */
const MAX = {
  links: 10_000,
  images: 3_000,
  resources: 2_000,
  anchors: 2_000,
  few: 50,
  hreflangs: 500,
  forms: 200,
  openGraph: 60,
  anchorLength: 256,
  textLength: 1_000,
  sample: 5,
  sampleLength: 200,
  jsonLdBytes: 65_536,
} as const;

interface RawLink {
  href: string;
  anchor: string;
  nofollow: boolean;
  empty: boolean;
  kind: LinkFact["kind"];
}

type HeadTag = "title" | "canonical" | "robots" | "hreflang";

export type Collector = ReturnType<typeof createCollector>;

/** Adds unless the list is full. */
function put<T>(into: T[], item: T, max: number): void {
  if (into.length < max) into.push(item);
}

export function createCollector() {
  const links: RawLink[] = [];
  const images: { src: string; alt: string | null; hasSize: boolean; fromSrcset: boolean }[] = [];
  const resources: { src: string; kind: ResourceKind }[] = [];
  const canonicals: { href: string; where: "head" | "body" }[] = [];
  const hreflangs: { lang: string; href: string; inHead: boolean }[] = [];
  const forms: string[] = [];
  const anchors = new Set<string>();
  const openGraph = new Map<string, string>();
  const uncrawlable: HtmlFacts["uncrawlable"] = { count: 0, sample: [] };
  const titles: string[] = [];
  const descriptions: string[] = [];
  const h1s: string[] = [];
  const robotsMetas: HtmlFacts["robotsMetas"] = [];
  const jsonLd: string[] = [];
  let titlesOutsideHead = 0;
  let lang: string | null = null;
  let viewport: string | null = null;
  let baseHref: string | null = null;
  let refresh: string | null = null;
  let contentSecurityPolicy: string | null = null;
  let referrerPolicy: string | null = null;
  let headBrokenBy: HtmlFacts["headBrokenBy"] = null;
  let scriptBytes = 0;
  let emptyAppRoot = false;

  return {
    title(text: string, inHead: boolean) {
      if (inHead) put(titles, oneLine(text, MAX.textLength), MAX.few);
      else titlesOutsideHead++;
    },
    description: (content: string) => put(descriptions, oneLine(content, 2 * MAX.textLength), MAX.few),
    h1(text: string) {
      const line = oneLine(text, MAX.textLength);
      if (line !== "") put(h1s, line, MAX.few);
    },
    lang(value: string) {
      lang ??= oneLine(value, 100);
    },
    viewport(content: string) {
      viewport ??= oneLine(content, MAX.textLength);
    },
    base(href: string) {
      baseHref ??= href;
    },
    refresh(content: string) {
      refresh ??= content.slice(0, 10_000);
    },
    contentSecurityPolicy(content: string) {
      contentSecurityPolicy ??= oneLine(content, 4_000);
    },
    referrerPolicy(content: string) {
      referrerPolicy ??= oneLine(content, 100);
    },
    robots(name: string, content: string, inHead: boolean) {
      put(robotsMetas, { name: name.slice(0, 100), content: oneLine(content, MAX.textLength), inHead }, MAX.few);
    },
    openGraph(property: string, content: string) {
      const key = property.slice(0, 100);
      if (openGraph.size < MAX.openGraph && !openGraph.has(key))
        openGraph.set(key, oneLine(content, 2 * MAX.textLength));
    },
    canonical: (href: string, inHead: boolean) => put(canonicals, { href, where: inHead ? "head" : "body" }, MAX.few),
    hreflang: (tag: string, href: string, inHead: boolean) =>
      put(hreflangs, { lang: oneLine(tag, 100), href, inHead }, MAX.hreflangs),
    link: (link: RawLink) => put(links, link, MAX.links),
    uncrawlable(sample: string) {
      uncrawlable.count++;
      put(uncrawlable.sample, oneLine(sample, MAX.sampleLength), MAX.sample);
    },
    image: (src: string, alt: string | null, hasSize: boolean, fromSrcset: boolean) =>
      put(images, { src, alt: alt === null ? null : oneLine(alt, MAX.textLength), hasSize, fromSrcset }, MAX.images),
    resource: (src: string, kind: ResourceKind) => put(resources, { src, kind }, MAX.resources),
    form: (action: string) => put(forms, action, MAX.forms),
    jsonLd: (text: string) => put(jsonLd, text.slice(0, MAX.jsonLdBytes), MAX.few),
    anchor(id: string) {
      if (anchors.size < MAX.anchors && id !== "" && id.length <= MAX.anchorLength) anchors.add(id);
    },
    scriptText(length: number) {
      scriptBytes += length;
    },
    appRootIsEmpty() {
      emptyAppRoot = true;
    },
    headBroken(tag: string) {
      headBrokenBy ??= { tag, lost: [] };
    },
    /** Something that was meant for the head stands after the element that ended it. */
    lost(what: HeadTag) {
      if (headBrokenBy !== null && !headBrokenBy.lost.includes(what)) headBrokenBy.lost.push(what);
    },
    /** How many links and images there are so far: whether something stands between two places. */
    visibleItems: () => links.length + images.length,

    end(documentUrl: string, charset: string | null, text: TextSummary, truncated: boolean): HtmlFacts {
      const resolver = createResolver(documentUrl, baseHref, charset);
      const metaRefresh = refreshOf(refresh, resolver);
      if (metaRefresh?.url) {
        links.push({ href: metaRefresh.url, anchor: "", nofollow: false, empty: false, kind: "meta-refresh" });
      }
      return {
        titles,
        titlesOutsideHead,
        descriptions,
        h1s,
        lang,
        viewport,
        base: resolver.base,
        canonicals: canonicals.map(({ href, where }) => canonicalOf(href, where, resolver)),
        robotsMetas,
        hreflangs: hreflangs.map(({ lang: tag, href, inHead }) => ({
          lang: tag,
          href: href.slice(0, MAX.textLength),
          url: resolver.resolve(href).url,
          inHead,
        })),
        metaRefresh,
        headBrokenBy,
        links: linkFacts(links, resolver, uncrawlable),
        uncrawlable,
        images: imageFacts(images, resolver),
        resources: resourceFacts(resources, resolver),
        forms: forms.flatMap((action) => {
          const { url } = resolver.resolve(action);
          return url === null ? [] : [{ action: url }];
        }),
        jsonLd,
        openGraph: Object.fromEntries(openGraph),
        anchors: [...anchors],
        ...text,
        scriptBytes,
        emptyAppRoot,
        truncated,
        contentSecurityPolicy,
        referrerPolicy,
      };
    },
  };
}

function refreshOf(content: string | null, resolver: Resolver): HtmlFacts["metaRefresh"] {
  const parsed = content === null ? null : parseMetaRefresh(content);
  if (content === null || parsed === null) return null;
  const url = parsed.url === null ? null : resolver.resolve(parsed.url).url;
  return { seconds: parsed.seconds, url, raw: oneLine(content, MAX.textLength) };
}

/** Unlike a link, a canonical keeps its fragment: it makes the address invalid, and the check must see it. */
function canonicalOf(href: string, where: "head" | "body", resolver: Resolver): CanonicalTag {
  const raw = href.slice(0, 2_048);
  return { raw, url: href.trim() === "" ? null : resolver.resolve(href).href, where };
}

/** Cloudflare hides e-mail addresses behind this path; its script puts a mailto link there, no page exists. */
const EMAIL_PROTECTION = "/cdn-cgi/l/email-protection";

function fragmentOf(href: string): string | null {
  const hash = href.indexOf("#");
  return hash === -1 ? null : href.slice(hash + 1, hash + 1 + MAX.anchorLength).trimEnd();
}

function linkFacts(raw: RawLink[], resolver: Resolver, uncrawlable: HtmlFacts["uncrawlable"]): LinkFact[] {
  const firstTo = new Map<string, LinkFact>();
  const others = new Set<string>();
  const facts: LinkFact[] = [];
  for (const { href, anchor, nofollow, empty, kind } of raw) {
    const { url, isBroken } = resolver.resolve(href);
    if (isBroken && kind === "a") {
      uncrawlable.count++;
      put(uncrawlable.sample, oneLine(`<a href="${href}">`, MAX.sampleLength), MAX.sample);
    }
    if (url === null || url.includes(EMAIL_PROTECTION)) continue;
    const fact: LinkFact = { url, fragment: fragmentOf(href), anchor, nofollow, emptyAnchor: empty, kind };
    // Most addresses are linked once: only of the others is a key put together.
    const first = firstTo.get(url);
    if (first === undefined) {
      firstTo.set(url, fact);
    } else {
      const key = keyOf(fact);
      if (key === keyOf(first) || others.has(key)) continue;
      others.add(key);
    }
    facts.push(fact);
  }
  return facts;
}

const keyOf = ({ url, fragment, anchor, nofollow, emptyAnchor, kind }: LinkFact): string =>
  `${url}\n${fragment ?? "\r"}\n${nofollow ? "n" : ""}${emptyAnchor ? "e" : ""}${kind}\n${anchor}`;

function imageFacts(
  raw: { src: string; alt: string | null; hasSize: boolean; fromSrcset: boolean }[],
  resolver: Resolver,
): ImageFact[] {
  const seen = new Set<string>();
  const facts: ImageFact[] = [];
  for (const { src, alt, hasSize, fromSrcset } of raw) {
    const { url } = resolver.resolve(src);
    if (url === null) continue;
    const key = `${url}\n${alt ?? "\r"}\n${hasSize}${fromSrcset}`;
    if (seen.has(key)) continue;
    seen.add(key);
    facts.push({ url, alt, hasSize, fromSrcset });
  }
  return facts;
}

function resourceFacts(raw: { src: string; kind: ResourceKind }[], resolver: Resolver): HtmlFacts["resources"] {
  const seen = new Set<string>();
  const facts: HtmlFacts["resources"] = [];
  for (const { src, kind } of raw) {
    const { url } = resolver.resolve(src);
    if (url === null || seen.has(kind + url)) continue;
    seen.add(kind + url);
    facts.push({ url, kind });
  }
  return facts;
}
