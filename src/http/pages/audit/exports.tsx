/** GET /audits/:id/exports: the report to take along. */
import type { FC } from "hono/jsx";
import type { AppContext } from "../../context.ts";
import { auditPage } from "./frame.tsx";
import { type AuditView, loadAudit } from "./load.ts";

const FILES = [
  { file: "report.html", name: "Report", what: "One page to mail or to print; it needs nothing else." },
  {
    file: "issues.csv",
    name: "Findings",
    what: "Every finding with its page, evidence and where it is linked from, for a spreadsheet.",
  },
  {
    file: "pages.csv",
    name: "Pages",
    what: "Every page with status, title, depth, size and whether it can be indexed.",
  },
  { file: "links.csv", name: "Links", what: "Every link between pages with its text." },
  { file: "audit.json", name: "All as JSON", what: "The whole audit as one document, for programs." },
  { file: "issues.sarif", name: "SARIF", what: "Findings for code hosts, which show them beside a change." },
  { file: "sitemap.xml", name: "Sitemap", what: "The indexable pages as an XML sitemap, as it should be." },
] as const;

export async function showExports(c: AppContext): Promise<Response> {
  const view = await loadAudit(c);
  return auditPage(c, view, { tab: "exports", title: "Export" }, <Files view={view} />);
}

const Files: FC<{ view: AuditView }> = ({ view: { audit, summary } }) => (
  <section aria-labelledby="exports">
    <h2 id="exports">Take it along</h2>
    <p class="lede">
      {summary === null
        ? "The audit has not completed: the files hold what was found so far, and say so."
        : "Files are made while they are downloaded, from what is stored."}
    </p>
    <ul class="files">
      {FILES.map(({ file, name, what }) => (
        <li>
          <a href={`/api/v1/audits/${audit.id}/export/${file}`} download={`${audit.id}-${file}`}>
            <b>{name}</b> <code>{file}</code>
          </a>
          <p class="quiet">{what}</p>
        </li>
      ))}
    </ul>
    <p class="quiet">
      The same by command: <code>npm run audit -- status {audit.id}</code>, or with a token from{" "}
      <code>/api/v1/audits/{audit.id}/export/…</code>
    </p>
  </section>
);
