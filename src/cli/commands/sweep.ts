import { widthOf } from "../io.ts";
import { readable } from "../readable.ts";
import { print, remoteCommand } from "../remote.ts";

export const sweep = remoteCommand({
  name: "sweep",
  takes: [],
  summary: "reconcile every overdue audit now, as the supervisor does",
  explanation: "Runs the supervisor's sweep now: asks about every overdue audit, and ends those that are dead.",
  options: { "dry-run": { type: "boolean" }, force: { type: "boolean" } },
  optionsHelp: `  --dry-run      judge only: asks the platform, records and ends nothing
  --force        end them even if they are so many that the breaker would hold the sweep`,
  run: async ({ api, io, values }) => {
    const body = { dryRun: values["dry-run"] === true, force: values.force === true };
    return print(io, readable(await api.call("POST", "supervisor/sweep", body), widthOf(io.out)));
  },
});
