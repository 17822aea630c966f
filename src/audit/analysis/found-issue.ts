import type { Severity } from "../../storage/schema.ts";
import type { Evidence } from "../checks/check.ts";
import type { LinkSample } from "./samples.ts";

/** A finding that the analysis makes in memory, where SQL would be slow or cannot look at all. */
export interface FoundIssue {
  checkId: string;
  /** 0: the site as a whole. */
  urlId: number;
  severity: Severity;
  evidence: Evidence;
  sources?: LinkSample;
  sourceCount?: number;
}

/** Members that an issue names; their number is said beside them. */
export const MEMBERS_NAMED = 20;
