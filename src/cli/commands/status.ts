import { EXIT } from "../command.ts";
import { hasColour, widthOf } from "../io.ts";
import { progressSentence } from "../progress.ts";
import { remoteCommand } from "../remote.ts";
import { reportLines } from "../report.ts";
import { painter, safe } from "../text.ts";

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
      io.out.write(`${reportLines(audit, { columns: widthOf(io.out), paint, files: [] }).join("\n")}\n`);
      return EXIT.fine;
    }
    const lines = [
      `${safe(audit.url)}   attempt ${audit.attempt}`,
      progressSentence([{ audit, at: 0 }], 0),
      ...(audit.verdict ? [`${safe(audit.verdict.kind)}: ${safe(audit.verdict.reason)}`] : []),
      ...(audit.supervisor.late ? [`The supervisor is late. ${safe(audit.supervisor.note ?? "")}`.trim()] : []),
    ];
    io.out.write(`${lines.join("\n")}\n`);
    return EXIT.fine;
  },
});
