/** The files that an audit's report is written to. All are proved to be writable before the work begins. */
import type { AuditResponse } from "../http/api/schemas.ts";
import { csvReport } from "../http/export/csv-reports.ts";
import { jsonReport } from "../http/export/json.ts";
import type { ReportSource } from "../http/export/report-source.ts";
import type { Api } from "./api-client.ts";
import { openReportFile, type ReportFile } from "./report-file.ts";

export interface FileRequest {
  /** The option that asks for it, such as --json. */
  option: string;
  name: string;
  /** The server's export; null: made here, of what the API lists. */
  exports: string | null;
}

export interface ReportFiles {
  /** The names of what was written. */
  write: (api: Api, audit: AuditResponse) => Promise<string[]>;
  /** Leaves nothing half written behind. */
  discard: () => Promise<void>;
}

/** Throws UsageError when one of them cannot be written; then none is left behind. */
export async function openReportFiles(requests: readonly FileRequest[]): Promise<ReportFiles> {
  const opened: { request: FileRequest; file: ReportFile }[] = [];
  const discard = async (): Promise<void> => {
    for (const { file } of opened) await file.discard();
  };
  try {
    for (const request of requests) opened.push({ request, file: await openReportFile(request.option, request.name) });
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    discard,
    write: async (api, audit) => {
      for (const { request, file } of opened) await file.write(await textOf(api, audit, request));
      return opened.map(({ file }) => file.name);
    },
  };
}

async function textOf(
  api: Api,
  audit: AuditResponse,
  { option, exports }: FileRequest,
): Promise<AsyncIterable<string | Uint8Array>> {
  if (exports !== null) return api.export(audit.id, exports);
  const source: ReportSource = {
    audit,
    checks: await api.checks(),
    pages: () => api.pages(audit.id),
    issues: () => api.issues(audit.id),
  };
  return option === "--json" ? jsonReport(source) : csvReport(source);
}
