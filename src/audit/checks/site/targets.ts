/**
 * Pieces for checks about addresses that are no pages: `t` is audit_targets, `u` audit_urls, `i` audit_inlinks, which
 * the analysis has filled for every target that is broken, blocked or heavy.
 */
import { type SQL, sql } from "drizzle-orm";
import { USED_BY_LINK, usedAs } from "../../analysis/link-graph.ts";
import { RESOURCE } from "../../crawl/link-flags.ts";
import type { SiteContext } from "../check.ts";
import { answered } from "./sql.ts";

/** Targets that some page leads to. */
export const targets = ({ auditId }: SiteContext): SQL =>
  sql`audit_inlinks i cross join audit_targets t on t.audit_id = ${auditId} and t.url_id = i.url_id
    cross join audit_urls u on u.audit_id = ${auditId} and u.id = i.url_id`;

const bit = (mask: number): SQL => sql.raw(`(i.uses & ${mask}) <> 0`);

export const isLinked: SQL = bit(USED_BY_LINK);
export const isImage: SQL = bit(usedAs(RESOURCE.image));

/** The address is on the audited origin. */
export const isOnSite = ({ siteOrigin }: SiteContext): SQL =>
  sql`substr(u.url, 1, ${sql.raw(String(siteOrigin.length + 1))}) = ${`${siteOrigin}/`}`;

export const isBroken: SQL = sql.raw("t.outcome in ('broken', 'failed')");

/** "answers 404", "has a host name that does not resolve". */
export const targetAnswer: SQL = answered(sql.raw("t.status"), sql.raw("t.failure"));
