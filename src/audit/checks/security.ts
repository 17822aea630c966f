import type { HtmlFacts, ResourceKind } from "../crawl/html-facts.ts";
import type { PageCheck, PageView } from "./check.ts";
import { clip, counted, isLoopbackHost, shownHtml } from "./page-facts.ts";
import { REFERENCE } from "./references.ts";

/** What can change the whole page; browsers block it. Pictures and media are only loaded, or upgraded to https. */
const ACTIVE: ReadonlySet<ResourceKind> = new Set<ResourceKind>(["script", "style", "iframe", "font", "other"]);

const isPlainHttp = (url: string): boolean =>
  url.startsWith("http:") && !isLoopbackHost(URL.parse(url)?.hostname ?? "");

/** With this directive browsers ask for https whatever the address says. */
function upgradesRequests({ fetched, html }: PageView): boolean {
  const policies = [fetched.headers["content-security-policy"], html?.contentSecurityPolicy];
  return policies.some((policy) => policy?.toLowerCase().includes("upgrade-insecure-requests") === true);
}

function mixedContent(html: HtmlFacts): { active: string[]; passive: string[] } {
  const insecure = html.resources.filter(({ url }) => isPlainHttp(url));
  const of = (isActive: boolean) => insecure.filter(({ kind }) => ACTIVE.has(kind) === isActive).map(({ url }) => url);
  const pictures = html.images.filter(({ url }) => isPlainHttp(url)).map(({ url }) => url);
  return { active: of(true), passive: [...of(false), ...pictures] };
}

/** The start page speaks for the site's headers, once it has answered. */
const answersForSite = ({ isStart, fetched }: PageView): boolean =>
  isStart && fetched.finalStatus === 200 && fetched.botWall === null && fetched.failure === null;

const HEADERS = {
  "x-content-type-options": "X-Content-Type-Options",
  "content-security-policy": "Content-Security-Policy",
  "referrer-policy": "Referrer-Policy",
} as const;

export const securityChecks: PageCheck[] = [
  {
    id: "sec.mixed",
    severity: "error",
    title: "Secure page loads parts without encryption",
    why: "Browsers block such scripts, styles and frames; pictures break the page's promise of being secure.",
    fix: "Load them with https, or send Content-Security-Policy: upgrade-insecure-requests.",
    source: REFERENCE.mixedContent,
    page: (view) => {
      const html = shownHtml(view);
      if (html === null || !view.fetched.finalUrl.startsWith("https:") || upgradesRequests(view)) return null;
      const { active, passive } = mixedContent(html);
      const first = active[0] ?? passive[0];
      if (first === undefined) return null;
      const parts = [
        ...(active.length > 0 ? [counted(active.length, "script, style or frame", "scripts, styles or frames")] : []),
        ...(passive.length > 0 ? [counted(passive.length, "image or media file")] : []),
      ];
      return {
        severity: active.length > 0 ? "error" : "warning",
        evidence: {
          message: `${parts.join(" and ")} over http: ${clip(first)}`,
          measured: active.length + passive.length,
          limit: 0,
          found: clip(first, 300),
          target: first,
        },
      };
    },
  },
  {
    id: "sec.hsts",
    severity: "notice",
    title: "Site does not insist on https",
    why: "Without HSTS the first request of a visit may go out unencrypted and be led astray.",
    fix: "Send Strict-Transport-Security: max-age=31536000; includeSubDomains once all of the site speaks https.",
    source: REFERENCE.hsts,
    page: (view) => {
      const { fetched } = view;
      if (!answersForSite(view) || !fetched.finalUrl.startsWith("https:")) return null;
      const header = fetched.headers["strict-transport-security"];
      if (header === undefined) return { evidence: { message: "No Strict-Transport-Security header." } };
      const age = /max-age\s*=\s*"?(\d+)/i.exec(header)?.[1];
      if (age !== undefined && Number(age) > 0) return null;
      return {
        evidence: {
          message: "Strict-Transport-Security has no max-age above 0, which switches it off.",
          found: clip(header),
        },
      };
    },
  },
  {
    id: "sec.headers",
    severity: "notice",
    title: "Site leaves out protective headers",
    why: "They keep a fault elsewhere from becoming an attack, and addresses from being passed on.",
    fix: "Send X-Content-Type-Options: nosniff, a Referrer-Policy, and a Content-Security-Policy that fits the site.",
    source: REFERENCE.securityHeaders,
    page: (view) => {
      if (!answersForSite(view)) return null;
      const { headers } = view.fetched;
      // Two of them may also stand in the document.
      const inDocument: Record<string, unknown> = {
        "content-security-policy": view.html?.contentSecurityPolicy,
        "referrer-policy": view.html?.referrerPolicy,
      };
      const missing = Object.entries(HEADERS).filter(([name]) => !headers[name] && !inDocument[name]);
      if (missing.length === 0) return null;
      const names = missing.map(([, shown]) => shown).join(", ");
      return {
        evidence: { message: `Missing on the start page: ${names}.`, measured: missing.length, limit: 0, found: names },
      };
    },
  },
  {
    id: "sec.form",
    severity: "error",
    title: "Form sends its data without encryption",
    why: "Everybody on the way can read what visitors type, and browsers warn of it.",
    fix: "Let the form's action begin with https.",
    source: REFERENCE.mixedContent,
    page: (view) => {
      const html = shownHtml(view);
      if (html === null || upgradesRequests(view)) return null;
      const isSecurePage = view.fetched.finalUrl.startsWith("https:");
      // On a page without https the form is no worse than its page, unless it goes elsewhere.
      const plain = html.forms.filter(
        ({ action }) => isPlainHttp(action) && (isSecurePage || !action.startsWith(`${view.siteOrigin}/`)),
      );
      const first = plain[0]?.action;
      if (first === undefined) return null;
      return {
        evidence: {
          message: `${counted(plain.length, "form")} over http: ${clip(first)}`,
          measured: plain.length,
          limit: 0,
          found: `<form action="${clip(first, 200)}">`,
          target: first,
        },
      };
    },
  },
];
