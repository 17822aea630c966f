/** What every page of one audit has in common: whose audit it is, and the way to its other pages. */
import type { Child, FC } from "hono/jsx";
import type { AppContext } from "../../context.ts";
import { page } from "../layout.tsx";
import { Notice } from "../notices.tsx";
import { type Tab, Tabs } from "../parts/lists.tsx";
import { StatusMark } from "../parts/marks.tsx";
import { Address, Copy, Outward } from "../parts/text.tsx";
import { DateTime } from "../parts/time.tsx";
import { count, plural } from "../words.ts";
import type { AuditView } from "./load.ts";

export type AuditTab = "overview" | "findings" | "pages" | "compare" | "attempts" | "exports" | null;

export function auditPage(
  c: AppContext,
  view: AuditView,
  options: { tab: AuditTab; title?: string },
  content: Child,
): Response | Promise<Response> {
  const title = options.title === undefined ? view.host : `${options.title} · ${view.host}`;
  return page(
    c,
    { title, section: "audits", now: view.now },
    <>
      <Notice c={c} />
      <AuditHead view={view} status={options.tab !== "overview"} />
      <Tabs label="Parts of this audit" tabs={tabsOf(view, options.tab)} />
      {content}
    </>,
  );
}

const AuditHead: FC<{ view: AuditView; status: boolean }> = ({
  view: { audit, host, kind, options, path },
  status,
}) => (
  <header class="audit-head">
    <h1>{host}</h1>
    <p class="quiet audit-facts">
      {status ? (
        <>
          <a class="plain" href={path}>
            <StatusMark kind={kind} />
          </a>
          {" · "}
        </>
      ) : null}
      <Outward url={audit.url}>
        <Address url={audit.url} />
      </Outward>{" "}
      <Copy text={audit.url} what="the address of the site" /> · asked for <DateTime at={audit.createdAt} /> ·{" "}
      {optionWords(options)}
      {audit.attempt > 1 ? ` · attempt ${audit.attempt}` : ""}
    </p>
  </header>
);

/** What was asked for beyond an address, in a few words. */
export function optionWords(options: AuditView["options"]): string {
  const {
    maxPages,
    include,
    exclude,
    subdomains,
    maxDepth,
    list,
    sitemapOnly,
    ignoreParameters,
    requestDelayMs,
    userAgent,
    secrets,
  } = options;
  const words = [
    list.length > 0
      ? `${plural(list.length, "given address", "given addresses")} only`
      : `at most ${plural(maxPages, "page")}`,
    sitemapOnly ? "sitemaps only" : null,
    maxDepth === null ? null : `at most ${plural(maxDepth, "click")} deep`,
    subdomains ? "with subdomains" : null,
    include.length > 0 ? `only ${include.slice(0, 3).join(", ")}${include.length > 3 ? ", …" : ""}` : null,
    exclude.length > 0 ? `without ${exclude.slice(0, 3).join(", ")}${exclude.length > 3 ? ", …" : ""}` : null,
    ignoreParameters.length > 0 ? `${plural(ignoreParameters.length, "parameter")} ignored` : null,
    requestDelayMs > 0 ? `${count(requestDelayMs)} ms between requests` : null,
    userAgent === null ? null : "own User-Agent",
    secrets === null ? null : "with secret headers",
  ];
  return words.filter((word) => word !== null).join(", ");
}

function tabsOf({ path, summary, audit, attempts }: AuditView, tab: AuditTab): Tab[] {
  const found = summary === null ? null : summary.issues.error + summary.issues.warning + summary.issues.notice;
  return [
    { href: path, text: "Overview", current: tab === "overview" },
    {
      href: `${path}/findings`,
      text: "Findings",
      current: tab === "findings",
      note: found === null ? null : count(found),
    },
    { href: `${path}/pages`, text: "Pages", current: tab === "pages", note: count(audit.pagesCrawled) },
    { href: `${path}/compare`, text: "Compare", current: tab === "compare" },
    { href: `${path}/attempts`, text: "Attempts", current: tab === "attempts", note: count(attempts.length) },
    { href: `${path}/exports`, text: "Export", current: tab === "exports" },
  ];
}
