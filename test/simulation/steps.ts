/** `step.do` as the engine of Workflows has it: results are kept, failures retried, timeouts only stop the waiting. */
import type { Instance } from "./platform.ts";
import type { World } from "./world.ts";

export interface Step {
  do(name: string, config: StepConfig, work: (context: { attempt: number }) => Promise<unknown>): Promise<unknown>;
}

interface StepConfig {
  retries: { limit: number; delay: number };
  timeout: number;
}

/** `becomesPaused` is asked between steps: that is where a pause takes effect. */
export function stepOf(world: World, instance: Instance, becomesPaused: () => boolean): Step {
  return {
    do: async (name, { retries, timeout }, work) => {
      if (instance.done.has(name)) return instance.done.get(name);
      for (;;) {
        if (becomesPaused()) {
          // The platform drops the compute of a paused instance and replays it; here it only waits.
          await instance.pausedUntil?.then(() => world.wait(50));
        }
        const attempt = (instance.tries.get(name) ?? 0) + 1;
        instance.tries.set(name, attempt);
        try {
          const result = await limited(world, timeout, () => work({ attempt }));
          await world.wait(5);
          instance.done.set(name, result);
          return result;
        } catch (error) {
          const { name: kind, message } = error instanceof Error ? error : new Error(String(error));
          // A step that hung comes to life again with its retry.
          if (instance.dead?.how.startsWith("hang") === true) instance.dead = null;
          // Nothing but the text crosses a step's border.
          // oxlint-disable-next-line preserve-caught-error
          if (attempt > retries.limit) throw new Error(kind === "Error" ? message : `${kind}: ${message}`);
          await world.wait(retries.delay);
        }
      }
    },
  };
}

/** A timeout only stops the waiting: the callback runs on. */
function limited(world: World, timeout: number, work: () => Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timedOut = Object.assign(new Error(`Execution timed out after ${timeout}ms`), {
      name: "WorkflowTimeoutError",
    });
    world.after(timeout, () => reject(timedOut), world.current());
    work().then(resolve, reject);
  });
}
