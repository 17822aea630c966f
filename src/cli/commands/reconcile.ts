import { judgementLines } from "../brief.ts";
import { widthOf } from "../io.ts";
import { auditPath, print, remoteCommand } from "../remote.ts";

export const reconcile = remoteCommand({
  name: "reconcile",
  takes: ["AUDIT_ID"],
  summary: "ask, judge and act on one running audit now",
  explanation: "Asks the platform about one audit, judges it by the rule, and ends it if it is dead.",
  options: {},
  run: async ({ api, io, positionals: [id = ""] }) =>
    print(io, judgementLines(await api.call("POST", auditPath(id, "reconcile")), widthOf(io.out))),
});
