/** Finding and ending processes by their group. The runtime is the leader of a group of its own, workerd is in it. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

interface ProcessInfo {
  pid: number;
  group: number;
  args: string;
}

/** From /proc where there is one, since small containers have no `ps`. */
function listFromProc(): ProcessInfo[] {
  const found: ProcessInfo[] = [];
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      // "pid (name) state ppid pgrp ...": the name may hold anything, so count from its closing bracket.
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (fields[0] === "Z") continue;
      const args = readFileSync(`/proc/${entry}/cmdline`, "utf8").replaceAll("\0", " ");
      found.push({ pid: Number(entry), group: Number(fields[2]), args });
    } catch {
      // It ended while we looked.
    }
  }
  return found;
}

function listFromPs(): ProcessInfo[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,pgid=,command="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    return match ? [{ pid: Number(match[1]), group: Number(match[2]), args: match[3] ?? "" }] : [];
  });
}

function list(): ProcessInfo[] {
  try {
    return process.platform === "linux" ? listFromProc() : listFromPs();
  } catch {
    return [];
  }
}

/** The arguments that a living process was started with; null if there is none of that id. */
export function argsOf(pid: number): string | null {
  return list().find((process_) => process_.pid === pid)?.args ?? null;
}

/** The living members of a process group. */
export function membersOf(group: number): { pid: number; args: string }[] {
  return list().filter((process_) => process_.group === group);
}

/** Ends every process of the group at once; quiet if there is none left. */
export function killGroup(group: number): void {
  try {
    process.kill(process.platform === "win32" ? group : -group, "SIGKILL");
  } catch {
    // Nobody left to end.
  }
}
