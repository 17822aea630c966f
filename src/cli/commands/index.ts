/** Every sub-command. A new one is a file beside this one and a line here. */
import type { Command } from "../command.ts";
import { audit } from "./audit.ts";
import { cancel } from "./cancel.ts";
import { deleteAudit } from "./delete.ts";
import { explain } from "./explain.ts";
import { reconcile } from "./reconcile.ts";
import { resume } from "./resume.ts";
import { runs } from "./runs.ts";
import { status } from "./status.ts";
import { sweep } from "./sweep.ts";

export const COMMANDS: readonly Command[] = [
  audit,
  status,
  cancel,
  resume,
  deleteAudit,
  explain,
  reconcile,
  sweep,
  runs,
];
