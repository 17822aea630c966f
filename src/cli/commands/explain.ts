import { judgementLines } from "../brief.ts";
import { widthOf } from "../io.ts";
import { auditPath, print, remoteCommand } from "../remote.ts";

export const explain = remoteCommand({
  name: "explain",
  takes: ["AUDIT_ID"],
  summary: "which row of the rule applies to an audit, with its numbers",
  explanation:
    "Says which row of the rule applies to an audit and with which numbers. Asks the platform, records nothing.",
  options: {},
  run: async ({ api, io, positionals: [id = ""] }) =>
    print(io, judgementLines(await api.call("GET", auditPath(id, "explain")), widthOf(io.out))),
});
