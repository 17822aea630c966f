import { auditPath, printAudit, remoteCommand } from "../remote.ts";

export const cancel = remoteCommand({
  name: "cancel",
  takes: ["AUDIT_ID"],
  summary: "end a running audit, also one whose compute is gone",
  explanation: "Ends a running audit. What it found is kept, and resume goes on from there.",
  options: {},
  run: async ({ api, io, positionals: [id = ""] }) => printAudit(io, await api.call("POST", auditPath(id, "cancel"))),
});
