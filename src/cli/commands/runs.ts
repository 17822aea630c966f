import { printAnswer, remoteCommand } from "../remote.ts";

export const runs = remoteCommand({
  name: "runs",
  takes: [],
  summary: "what the supervisor did, newest first",
  explanation: "Lists the runs of the supervisor, newest first.",
  options: {},
  run: async ({ api, io }) => {
    const answer = await api.call("GET", "supervisor/runs");
    // A page of a list: its rows are what is wanted.
    const items = typeof answer === "object" && answer !== null && "items" in answer ? answer.items : answer;
    return printAnswer(io, items);
  },
});
