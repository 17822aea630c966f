import { runLines } from "../brief.ts";
import { widthOf } from "../io.ts";
import { print, remoteCommand } from "../remote.ts";

export const runs = remoteCommand({
  name: "runs",
  takes: [],
  summary: "what the supervisor did, newest first",
  explanation: "Lists the runs of the supervisor, newest first.",
  options: {},
  run: async ({ api, io }) => print(io, runLines(await api.call("GET", "supervisor/runs"), widthOf(io.out))),
});
