/** An XML sitemap (sitemaps.org) of the pages that can be indexed: 50,000 addresses at most, which no audit exceeds. */
import { inPieces, type ReportSource } from "./report-source.ts";

/** The five characters that sitemaps.org asks to escape. */
const xml = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.codePointAt(0)};`);

async function* sitemap({ pages }: Pick<ReportSource, "pages">): AsyncGenerator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n';
  for await (const page of pages()) {
    if (page.indexability === "indexable") yield `  <url><loc>${xml(page.url)}</loc></url>\n`;
  }
  yield "</urlset>\n";
}

export const sitemapXml = (source: Pick<ReportSource, "pages">): AsyncIterable<string> => inPieces(sitemap(source));
