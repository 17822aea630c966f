/**
 * The site of the benchmark in a process of its own, so that serving it takes no time from whoever crawls it. Started by
 * fork(); answers its first message, a site spec, with the site's origin, and stops when its parent goes away.
 */
import { openSite } from "../support/site.ts";
import type { SiteSpec } from "../support/site-spec.ts";

process.once("message", (spec: SiteSpec) => {
  void openSite(spec).then((site) => process.send?.(site.origin));
});
process.once("disconnect", () => process.exit());
