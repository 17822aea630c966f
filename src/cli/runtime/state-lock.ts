/**
 * One runtime at a time for each state folder: two would write into the same database files. The lock also remembers
 * the runtime's process group, so that what a killed runtime left behind can be ended by the next one.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { codeOf } from "../errors.ts";
import { argsOf, killGroup, membersOf } from "./process-group.ts";

const LOCK = "pulse-runtime.json";

const holderSchema = z.object({
  pid: z.number().int().min(2),
  /** Address of the holder's server, once it has one. */
  url: z.string().optional(),
});
export type Holder = z.infer<typeof holderSchema>;

function read(file: string): Holder | null {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
}

/** A process id is used again sooner or later: only a process of our kind holds the lock. */
const isRuntime = (pid: number): boolean => argsOf(pid)?.includes("runtime/child.ts") ?? false;

/** Only what is ours: a group with that number may be somebody else's by now. */
function endLeftovers(pid: number): void {
  const members = membersOf(pid);
  if (members.length > 0 && members.every((member) => member.args.includes("workerd"))) killGroup(pid);
}

/** Takes the folder for this process. Returns null when that worked, else who has it. Makes the folder if need be. */
export function takeState(dir: string, self: Holder): Holder | null {
  mkdirSync(dir, { recursive: true });
  const file = join(dir, LOCK);
  for (let tries = 0; ; tries++) {
    try {
      writeFileSync(file, JSON.stringify(self), { flag: "wx" });
      return null;
    } catch (error) {
      if (codeOf(error) !== "EEXIST" || tries === 3) throw error;
    }
    const holder = read(file);
    if (holder && holder.pid !== self.pid && isRuntime(holder.pid)) return holder;
    if (holder) endLeftovers(holder.pid);
    rmSync(file, { force: true });
  }
}

/** Writes down where the server of this state answers. */
export function announce(dir: string, self: Holder): void {
  writeFileSync(join(dir, LOCK), JSON.stringify(self));
}

export function releaseState(dir: string, pid: number): void {
  const file = join(dir, LOCK);
  if (read(file)?.pid === pid) rmSync(file, { force: true });
}
