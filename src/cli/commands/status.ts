import { auditBrief } from "../brief.ts";
import { hasColour, widthOf } from "../io.ts";
import { print, remoteCommand } from "../remote.ts";
import { reportLines } from "../report.ts";
import { painter } from "../text.ts";

export const status = remoteCommand({
  name: "status",
  takes: ["AUDIT_ID"],
  summary: "how far an audit is, or its report",
  explanation: "Says how far an audit is; prints its report once it has ended.",
  options: {},
  run: async ({ api, io, positionals: [id = ""] }) => {
    const audit = await api.audit(id);
    if (audit.status !== "running") {
      const paint = painter(hasColour(io.out, io.env));
      return print(io, reportLines(audit, { columns: widthOf(io.out), paint, files: [] }));
    }
    return print(io, auditBrief(audit));
  },
});
