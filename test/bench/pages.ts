/**
 * Do the pages take longer for a large audit? One real audit of 100 pages, and a copy of it blown up to 10,000 pages and
 * 100,000 findings; the same pages are asked for both, in turns, and the rows that D1 read for each are told.
 */
import { globSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalRuntime, startLocalRuntime } from "../../src/cli/local-runtime.ts";
import { runAudit } from "./audit-run.ts";
import { type BenchSite, serveBenchSite } from "./bench-site.ts";
import { median, round } from "./measures.ts";
import type { Figures, Say } from "./parts.ts";

const SMALL = 100;
const COPIES = 100;
/** More than the addresses that the small audit knows. */
const STRIDE = 10_000;
const FINDINGS_PER_PAGE = 10;
const ROUNDS = 15;
const LARGE_ID = "0large0large0000";

const views = (id: string): Record<string, string> => ({
  list: "/",
  audit: `/audits/${id}`,
  findings: `/audits/${id}/findings`,
  one_check: `/audits/${id}/findings/title.length`,
  pages: `/audits/${id}/pages`,
  one_page: `/audits/${id}/pages/50`,
  api_audit: `/api/v1/audits/${id}`,
  api_issues: `/api/v1/audits/${id}/issues?limit=100`,
  api_pages: `/api/v1/audits/${id}/pages?limit=100`,
});

/** Copies the audit's rows, pages and addresses a hundred times over, with ten findings for each page. */
function blowUp(stateDir: string): string {
  const file = globSync(join(stateDir, "**/d1/**/*.sqlite")).find((name) => !name.includes("metadata"));
  if (file === undefined) throw new Error(`there is no database in ${stateDir}`);
  const db = new DatabaseSync(file);
  try {
    const row = db.prepare("select id from audits limit 1").get();
    const id = String(row?.id);
    const copy = (table: string, changed: Record<string, string>, from = ""): void => {
      const columns = db
        .prepare(`select name from pragma_table_info('${table}')`)
        .all()
        .map(({ name }) => String(name));
      const values = columns.map((name) => changed[name] ?? `t."${name}"`).join(", ");
      db.exec(
        `insert into ${table} (${columns.map((name) => `"${name}"`).join(", ")}) select ${values} from ${table} t ${from} where t.${table === "audits" ? "id" : "audit_id"} = '${id}'`,
      );
    };
    const times = `, (with recursive n(k) as (select 0 union all select k + 1 from n where k < ${COPIES - 1}) select k from n) n`;
    const moved = (column: string): string => `t.${column} + n.k * ${STRIDE}`;
    const audit_id = `'${LARGE_ID}'`;
    db.exec("begin");
    copy("audits", { id: audit_id, pages_crawled: String(SMALL * COPIES), pages_total: String(SMALL * COPIES) });
    for (const table of ["audit_attempts", "audit_phases", "audit_beats", "audit_discoveries"])
      copy(table, { audit_id });
    copy(
      "audit_urls",
      { audit_id, id: moved("id"), key: "t.key || '#' || n.k", url: "t.url || '?copy=' || n.k" },
      times,
    );
    copy("audit_pages", { audit_id, url_id: moved("url_id") }, times);
    db.exec(`
      insert or ignore into audit_issues (audit_id, check_id, url_id, severity, evidence)
      select '${LARGE_ID}', c.value, p.url_id, 'notice', json_object('message', 'A finding of the benchmark')
      from audit_pages p, json_each('["title.length","desc.length","img.alt","img.dims","link.depth","h1.multiple","social.og","url.quality","perf.weight","content.thin"]') c
      where p.audit_id = '${LARGE_ID}'`);
    db.exec("commit");
    const { pages, issues } = db
      .prepare(
        `select (select count(*) from audit_pages where audit_id = '${LARGE_ID}') as pages, (select count(*) from audit_issues where audit_id = '${LARGE_ID}') as issues`,
      )
      .get() as { pages: number; issues: number };
    if (pages < SMALL * COPIES || issues < SMALL * COPIES * FINDINGS_PER_PAGE)
      throw new Error(`only ${pages} pages and ${issues} findings were made`);
    return id;
  } finally {
    db.close();
  }
}

interface Asked {
  ms: number;
  rowsRead: number;
}

async function ask(runtime: LocalRuntime, path: string, measure: boolean): Promise<Asked> {
  const began = performance.now();
  const response = await fetch(runtime.url + path, {
    headers: {
      accept: path.startsWith("/api") ? "application/json" : "text/html",
      ...(measure ? { "x-measure": "1" } : {}),
    },
  });
  await response.text();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return { ms: performance.now() - began, rowsRead: Number(response.headers.get("x-d1-rows-read") ?? 0) };
}

async function start(stateDir: string, site: BenchSite): Promise<LocalRuntime> {
  const allowedHosts = [new URL(site.origin).host];
  return startLocalRuntime({ stateDirs: [stateDir], port: 0, allowedHosts, vars: { MEASURE_DB: "1" }, cron: false });
}

export async function measurePages(say: Say): Promise<Figures> {
  const stateDir = await mkdtemp(join(tmpdir(), "pulse-audit-bench-"));
  const site = await serveBenchSite(SMALL);
  try {
    const first = await start(stateDir, site);
    try {
      await runAudit(first, site);
    } finally {
      await first.stop();
    }
    const smallId = blowUp(stateDir);
    const runtime = await start(stateDir, site);
    try {
      const figures: Figures = {};
      for (const [name, smallPath] of Object.entries(views(smallId))) {
        const largePath = views(LARGE_ID)[name] ?? smallPath;
        const times = { small: [] as number[], large: [] as number[] };
        for (let n = 0; n < ROUNDS; n += 1) {
          times.small.push((await ask(runtime, smallPath, false)).ms);
          times.large.push((await ask(runtime, largePath, false)).ms);
        }
        const rows = {
          small: (await ask(runtime, smallPath, true)).rowsRead,
          large: (await ask(runtime, largePath, true)).rowsRead,
        };
        const growth = median(times.large) / median(times.small);
        say(
          `  ${name.padEnd(11)} ${median(times.small).toFixed(1)} ms and ${rows.small} rows read for ${SMALL} pages; ${median(times.large).toFixed(1)} ms and ${rows.large} for 10,000 pages and 100,000 findings`,
        );
        figures[`view_time_growth_${name}`] = round(growth);
        figures[`view_rows_read_${name}_small`] = rows.small;
        figures[`view_rows_read_${name}_large`] = rows.large;
      }
      return figures;
    } finally {
      await runtime.stop();
    }
  } finally {
    site.close();
    await rm(stateDir, { recursive: true, force: true });
  }
}
