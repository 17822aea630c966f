/** What the launcher and its runtime process tell each other. */

export interface StartMessage {
  kind: "start";
  /** Folders for the state, the first free one is taken. Absolute. */
  stateDirs: string[];
  /** 0: any free port. */
  port: number;
  vars: Record<string, string>;
  /** Whether to call `scheduled()` as the platform's cron would. */
  cron: boolean;
  verbose: boolean;
}

export interface ReadyMessage {
  kind: "ready";
  url: string;
  stateDir: string;
  cronIntervalMs: number;
  /** Limits under which healthy audits may be killed (UNSAFE_LIMITS=1), each in a sentence. */
  warnings: string[];
}

export interface FailedMessage {
  kind: "failed";
  reason: "state_in_use" | "port_taken" | "config" | "start";
  message: string;
}

export type FromChild = ReadyMessage | FailedMessage;
