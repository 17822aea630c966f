/** /api/v1/audits/:id/export/FILE: the report as files, streamed. */
import { Hono } from "hono";
import { csvReport, linksCsv, pagesCsv } from "../export/csv-reports.ts";
import { htmlReport } from "../export/html-report.ts";
import { jsonReport } from "../export/json.ts";
import { sarifReport } from "../export/sarif.ts";
import { sitemapXml } from "../export/sitemap-xml.ts";
import { storedSource } from "../export/stored-source.ts";
import type { AppEnv } from "../context.ts";
import { auditNotFound, Problem } from "../problems.ts";
import { checkWords } from "./checks.ts";
import { presentAudit } from "./present-audit.ts";

export const exports = new Hono<AppEnv>();

type Source = ReturnType<typeof storedSource>;

export const EXPORTS: Readonly<Record<string, { type: string; make: (source: Source) => AsyncIterable<string> }>> = {
  "audit.json": { type: "application/json", make: jsonReport },
  "issues.csv": { type: "text/csv; charset=utf-8", make: csvReport },
  "pages.csv": { type: "text/csv; charset=utf-8", make: pagesCsv },
  "links.csv": { type: "text/csv; charset=utf-8", make: (source) => linksCsv(source.links()) },
  "issues.sarif": { type: "application/sarif+json", make: sarifReport },
  "sitemap.xml": { type: "application/xml", make: sitemapXml },
  "report.html": { type: "text/html; charset=utf-8", make: htmlReport },
};

exports.get("/:id/export/:file", async (c) => {
  const { id, file } = c.req.param();
  const format = EXPORTS[file];
  if (format === undefined) {
    throw new Problem(
      404,
      "no_such_export",
      `There is no export "${file.slice(0, 40)}".`,
      `There are ${Object.keys(EXPORTS).join(", ")}.`,
    );
  }
  const reading = await c.var.service.getStatus(id, c.var.caller.organizationId);
  if (reading === null) throw auditNotFound(id);
  const source = storedSource(
    c.var.watch.db,
    presentAudit(reading.audit, reading.now, reading.supervisor),
    checkWords(),
  );
  return c.body(toStream(format.make(source)), 200, {
    "content-type": format.type,
    "content-disposition": `attachment; filename="${id}-${file}"`,
    // Whatever a browser does with it, nothing in it runs.
    "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
  });
});

/** Made as it is read: a reader that stops costs nothing more. */
function toStream(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
