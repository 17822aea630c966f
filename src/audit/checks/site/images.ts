import { sql } from "drizzle-orm";
import type { SiteCheck } from "../check.ts";
import { counted, evidence, finding, shown } from "./sql.ts";
import { isBroken, isImage, targetAnswer, targets } from "./targets.ts";

const IMAGES = "https://developers.google.com/search/docs/appearance/google-images";

/** Bytes; 200 KB. */
export const HEAVY_IMAGE = 200_000;

export const imageChecks: SiteCheck[] = [
  {
    id: "img.broken",
    severity: "error",
    title: "Image does not load",
    why: "Visitors see a gap or a broken symbol instead of it.",
    fix: "Correct the address of the image, or put the file back.",
    source: IMAGES,
    site: (context) => sql`
      select ${finding({
        urlId: sql`i.url_id`,
        severity: "error",
        evidence: evidence({
          message: sql`${counted(sql`i.inlinks`, "page shows", "pages show")} || ' the image ' || ${shown(context, "u.url")} || ', which ' || ${targetAnswer}`,
          measured: sql`ifnull(t.status, t.failure)`,
        }),
        sources: sql`i.sample`,
        sourceCount: sql`i.inlinks`,
      })}
      from ${targets(context)} where i.audit_id = ${context.auditId} and ${isImage} and ${isBroken}`,
  },
  {
    id: "img.size",
    severity: "notice",
    title: "Image is heavy",
    why: "Large images make pages slow, most of all on phones.",
    fix: "Scale the image to the size at which it is shown, and use a modern format such as WebP or AVIF.",
    source: IMAGES,
    site: (context) => sql`
      select ${finding({
        urlId: sql`i.url_id`,
        severity: "notice",
        evidence: evidence({
          message: sql`${shown(context, "u.url")} || ' has ' || (t.bytes / 1000) || ' KB (limit ${sql.raw(String(HEAVY_IMAGE / 1000))} KB); ' || ${counted(sql`i.inlinks`, "page shows it", "pages show it")}`,
          measured: sql`t.bytes`,
          limit: HEAVY_IMAGE,
        }),
        sources: sql`i.sample`,
        sourceCount: sql`i.inlinks`,
      })}
      from ${targets(context)}
      where i.audit_id = ${context.auditId} and ${isImage} and t.outcome = 'ok' and t.bytes > ${sql.raw(String(HEAVY_IMAGE))}`,
  },
];
