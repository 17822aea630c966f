/** Every check there is. Adding one means adding an entry to one of the files listed here. */
import type { Severity } from "../../storage/schema.ts";
import { canonicalChecks } from "./canonical.ts";
import type {
  Check,
  CrawlCheck,
  DiscoveryCheck,
  Evidence,
  Finding,
  PageCheck,
  PageView,
  SiteContext,
} from "./check.ts";
import { contentChecks } from "./content.ts";
import { headChecks } from "./head.ts";
import { hreflangChecks } from "./hreflang.ts";
import { httpChecks } from "./http.ts";
import { imageChecks } from "./images.ts";
import { indexingChecks } from "./indexing.ts";
import { linkChecks } from "./links.ts";
import { mobileChecks } from "./mobile.ts";
import { isMachineAddress } from "./page-facts.ts";
import { performanceChecks } from "./performance.ts";
import { redirectChecks } from "./redirects.ts";
import { robotsChecks } from "./robots.ts";
import { securityChecks } from "./security.ts";
import { ANALYSED_CHECKS, SITE_CHECKS } from "./site/index.ts";
import { sitemapChecks } from "./sitemaps.ts";
import { socialChecks } from "./social.ts";
import { structuredDataChecks } from "./structured-data.ts";
import { titleChecks } from "./titles.ts";
import { trapChecks } from "./traps.ts";

const PAGE_CHECKS: readonly PageCheck[] = [
  ...httpChecks,
  ...redirectChecks,
  ...indexingChecks,
  ...headChecks,
  ...canonicalChecks,
  ...hreflangChecks,
  ...linkChecks,
  ...titleChecks,
  ...contentChecks,
  ...structuredDataChecks,
  ...imageChecks,
  ...securityChecks,
  ...mobileChecks,
  ...socialChecks,
  ...performanceChecks,
];

const DISCOVERY_CHECKS: readonly DiscoveryCheck[] = [...robotsChecks, ...sitemapChecks];
const CRAWL_CHECKS: readonly CrawlCheck[] = [...trapChecks, ...ANALYSED_CHECKS];

export const CHECKS: readonly Check[] = [...PAGE_CHECKS, ...DISCOVERY_CHECKS, ...CRAWL_CHECKS, ...SITE_CHECKS];

const BY_ID = new Map(CHECKS.map((check) => [check.id, check]));

export function checkById(id: string): Check | undefined {
  return BY_ID.get(id);
}

export interface PageFinding {
  check: string;
  severity: Severity;
  evidence: Evidence;
}

/** About the site as a whole, or about the address of its robots.txt or sitemap. */
export interface DiscoveryFinding extends PageFinding {
  url: string | null;
}

const MAX_MESSAGE = 600;
const MAX_FOUND = 1_000;
const MAX_URL = 2_048;

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1)}…` : text);

/** Evidence quotes hostile pages: whatever a check puts in, it stays small enough for its row. */
function bounded(evidence: Evidence): Evidence {
  const { message, found, target } = evidence;
  return {
    ...evidence,
    message: cut(message, MAX_MESSAGE),
    ...(found !== undefined && { found: cut(found, MAX_FOUND) }),
    ...(target !== undefined && { target: cut(target, MAX_URL) }),
  };
}

function findingOf(check: PageCheck | DiscoveryCheck, finding: Finding): PageFinding {
  return { check: check.id, severity: finding.severity ?? check.severity, evidence: bounded(finding.evidence) };
}

/** Everything that is wrong with one page, seen alone. Pure; at most one finding a check. */
export function judgePage(view: PageView): PageFinding[] {
  if (isMachineAddress(view.url)) return [];
  const findings: PageFinding[] = [];
  for (const check of PAGE_CHECKS) {
    const finding = check.page(view);
    if (finding !== null) findings.push(findingOf(check, finding));
  }
  return findings;
}

/** Everything that robots.txt and the sitemaps show before a page is read. Pure. */
export function judgeDiscovery(context: SiteContext): DiscoveryFinding[] {
  return DISCOVERY_CHECKS.flatMap((check) =>
    check.discovery(context).map((finding) => ({ ...findingOf(check, finding), url: finding.url ?? null })),
  );
}
