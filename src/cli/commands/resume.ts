import { auditPath, printAudit, remoteCommand } from "../remote.ts";

export const resume = remoteCommand({
  name: "resume",
  takes: ["AUDIT_ID"],
  summary: "go on with a failed or canceled audit from its last phase",
  explanation: "Goes on with a failed or canceled audit under a new attempt. Pages already crawled are kept.",
  options: {},
  run: async ({ api, io, positionals: [id = ""] }) => printAudit(io, await api.call("POST", auditPath(id, "resume"))),
});
