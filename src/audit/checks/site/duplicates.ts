import { type SQL, sql } from "drizzle-orm";
import type { SiteCheck, SiteContext } from "../check.ts";
import { evidence, finding, isAppShell, MEMBERS, ofThisAudit, pages, quoted, shown } from "./sql.ts";

/** Page 2 and later of a list shares its title and description with page 1 for a good reason. */
const isLaterPage = sql.raw(
  `(u.url glob '*[?&]page=[2-9]*' or u.url glob '*[?&]page=1[0-9]*' or u.url glob '*[?&]paged=[2-9]*'
    or u.url glob '*/page/[2-9]*' or u.url glob '*/page/1[0-9]*')`,
);

/** One finding a cluster of indexable pages that share a key, at the page with the lowest id. */
function clusters(
  context: SiteContext,
  { key, value, words, but }: { key: string; value: SQL; words: string; but: SQL },
): SQL {
  const column = sql.raw(`p.${key}`);
  return sql`
    with members as (
      select p.url_id, ${column} as key, ${value} as value, ${shown(context, "u.url")} as path,
        row_number() over (partition by ${column} order by p.url_id) as place,
        count(*) over (partition by ${column}) as size
      from ${pages(context)}
      where ${ofThisAudit(context)} and p.indexability = 'indexable' and ${column} is not null and ${but}
        and not ${isAppShell(context)}
    )
    select ${finding({
      urlId: sql`min(url_id)`,
      severity: "warning",
      evidence: evidence({
        message: sql`size || ${` pages have the same ${words}: `} || group_concat(path, ', ') filter (where place <= 3) || iif(size > 3, ' ...', '')`,
        measured: sql`size`,
        limit: 1,
        found: sql`max(value) filter (where place = 1)`,
        members: sql`json_group_array(url_id) filter (where place <= ${sql.raw(String(MEMBERS))})`,
        memberCount: sql`size`,
      }),
    })}
    from members where size > 1 group by key`;
}

export const duplicateChecks: SiteCheck[] = [
  {
    id: "title.duplicate",
    severity: "warning",
    title: "Pages share a title",
    why: "In search results they cannot be told apart, and they compete with each other.",
    fix: "Give every page a title that says what only this page offers.",
    source: "https://developers.google.com/search/docs/appearance/title-link",
    site: (context) =>
      clusters(context, {
        key: "title_key",
        value: quoted(sql`p.title`),
        words: "title",
        but: sql`not ${isLaterPage}`,
      }),
  },
  {
    id: "desc.duplicate",
    severity: "warning",
    title: "Pages share a description",
    why: "The lines below their titles in search results would be the same, so search engines write their own.",
    fix: "Describe each page in its own words, or leave the description out.",
    source: "https://developers.google.com/search/docs/appearance/snippet",
    site: (context) =>
      clusters(context, {
        key: "description_key",
        value: quoted(sql`p.description`),
        words: "description",
        but: sql`not ${isLaterPage}`,
      }),
  },
  {
    id: "content.duplicate",
    severity: "warning",
    title: "Pages share their whole main text",
    why: "Search engines keep one of them, and it may not be the one you want.",
    fix: "Name the one that counts with rel=canonical on the others, redirect them, or give each a text of its own.",
    source: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    site: (context) =>
      clusters(context, {
        key: "text_key",
        value: quoted(sql`p.title`),
        words: "main text",
        but: sql`p.word_count > 0`,
      }),
  },
  {
    id: "canon.missing",
    severity: "notice",
    title: "Duplicates without a canonical address",
    why: "Search engines choose by themselves which of the copies is shown.",
    fix: "Add rel=canonical with the preferred address to every copy, the preferred page included.",
    source: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    site: (context) => sql`
      with copies as (
        select p.url_id, p.text_key, p.indexability, p.canonical, ${shown(context, "u.url")} as path
        from ${pages(context)}
        where ${ofThisAudit(context)} and p.status = 200 and p.text_key is not null and p.word_count > 0
          and p.indexability in ('indexable', 'canonicalised', 'noindex') and not ${isAppShell(context)}
      ), clusters as (
        select url_id, path, text_key, indexability = 'indexable' and canonical is null as lacks,
          count(*) over (partition by text_key) as size,
          sum(indexability = 'indexable' and canonical is null) over (partition by text_key) as lacking
        from copies
      )
      select ${finding({
        urlId: sql`min(url_id)`,
        severity: "notice",
        evidence: evidence({
          message: sql`min(lacking) || ' of ' || min(size) || ' pages with the same main text name no canonical address: ' || min(path)`,
          measured: sql`min(lacking)`,
          limit: 0,
          members: sql`json_group_array(url_id)`,
          memberCount: sql`min(lacking)`,
        }),
      })}
      from (select *, row_number() over (partition by text_key order by url_id) as place from clusters where lacks and size > 1)
      where place <= ${sql.raw(String(MEMBERS))} group by text_key`,
  },
];
