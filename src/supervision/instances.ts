/**
 * The platform's side of an audit: its Workflow instance, asked with a time limit, created, and ended. What is not said
 * in the platform's exact codes is "could not be asked", never "not found".
 */
import type { InstanceEvidence, InstanceStatusName } from "./liveness.ts";
import { INSTANCE_STATUSES } from "./liveness.ts";
import { withTimeout } from "../time-limit.ts";

/** What creating an instance brought. `unclear`: the answer is unknown, and the rule takes care. */
export type CreateOutcome =
  { kind: "created" } | { kind: "exists" } | { kind: "refused"; why: string } | { kind: "unclear"; why: string };

export interface Instances {
  ask(instanceId: string): Promise<InstanceEvidence>;
  create(instanceId: string, params: { auditId: string; attempt: number }): Promise<CreateOutcome>;
  /** True: the instance is gone or final, nothing is left to end. */
  terminate(instanceId: string): Promise<boolean>;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 300);

/** What is kept of an instance's error, which is as long as whoever threw it likes. Characters. */
const ERROR_LIMIT = 2_000;

/** The platform's error as two short texts, whatever shape it came in. */
function errorOf(error: unknown): { name: string; message: string } | string | undefined {
  if (error === undefined || error === null) return undefined;
  if (typeof error === "string") return error.slice(0, ERROR_LIMIT);
  const { name, message } = error as { name?: unknown; message?: unknown };
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  return { name: text(name).slice(0, 100), message: text(message).slice(0, ERROR_LIMIT) };
}

/** Answers to create() after which the instance certainly does not exist. */
const DEFINITE_REFUSALS =
  /instance\.(invalid|too_many|limit)|validation|too many (instances|workflows)|exceeded.{0,40}(quota|limit)|invalid (instance )?id|workflow\.not_found|10\.?0?013/i;

export function workflowInstances(
  binding: Workflow<{ auditId: string; attempt: number }>,
  timeoutMs: number,
): Instances {
  const limited = <T>(work: Promise<T>): Promise<T> => withTimeout(work, timeoutMs, "the platform did not answer");

  const ask = async (instanceId: string): Promise<InstanceEvidence> => {
    try {
      const { status, error } = await limited(binding.get(instanceId).then((instance) => instance.status()));
      const said = INSTANCE_STATUSES.find((name) => name === status) ?? ("unknown" satisfies InstanceStatusName);
      const known = errorOf(error);
      return known === undefined ? { said } : { said, error: known };
    } catch (failure) {
      const why = textOf(failure);
      return why.includes("instance.not_found") ? { said: "not_found" } : { said: "unreachable", why };
    }
  };

  return {
    ask,
    async create(instanceId, params) {
      try {
        await limited(binding.create({ id: instanceId, params, retention: RETENTION }));
        return { kind: "created" };
      } catch (failure) {
        const why = textOf(failure);
        if (why.includes("instance.already_exists")) return { kind: "exists" };
        return { kind: DEFINITE_REFUSALS.test(why) ? "refused" : "unclear", why };
      }
    },
    async terminate(instanceId) {
      const evidence = await ask(instanceId);
      if (["errored", "terminated", "complete", "not_found"].includes(evidence.said)) return true;
      if (evidence.said === "unreachable") return false;
      try {
        await limited(binding.get(instanceId).then((instance) => instance.terminate()));
        return true;
      } catch (failure) {
        return /instance\.(cannot_terminate|not_found)/.test(textOf(failure));
      }
    },
  };
}

/** What the platform keeps of an instance after its end; D1 keeps the history for longer. */
const RETENTION = { successRetention: "3 days", errorRetention: "3 days" } as const;
