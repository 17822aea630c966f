import { createInterface } from "node:readline/promises";
import { UsageError } from "../arguments.ts";
import type { Io } from "../io.ts";
import { auditPath, print, remoteCommand } from "../remote.ts";
import { safe } from "../text.ts";

/** Asks once and says what is lost. Without a terminal nobody can answer, so --yes is needed. */
async function confirm(id: string, io: Io): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError("Without a terminal to ask, delete needs --yes.");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const question = `Delete audit ${safe(id)} with all its pages and findings, for good? [y/N] `;
    const answer = await terminal.question(question, { signal: io.signal });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

export const deleteAudit = remoteCommand({
  name: "delete",
  takes: ["AUDIT_ID"],
  summary: "remove an audit with all that it found",
  explanation: "Ends the audit if it runs, and removes it with all its pages and findings, for good.",
  options: { yes: { type: "boolean" } },
  optionsHelp: "  --yes          do not ask",
  run: async ({ api, io, values, positionals: [id = ""] }) => {
    if (values.yes !== true && !(await confirm(id, io))) {
      return print(io, ["Kept."]);
    }
    await api.call("DELETE", auditPath(id));
    return print(io, [`Deleted: audit ${safe(id)}. What it found is removed in the background.`]);
  },
});
