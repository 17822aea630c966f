/** A file that is proved to be writable before the work begins, and appears under its name only when it is whole. */
import { constants } from "node:fs";
import { access, open, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError } from "./arguments.ts";
import { codeOf } from "./errors.ts";

export interface ReportFile {
  /** As the user wrote it. */
  name: string;
  write: (text: AsyncIterable<string | Uint8Array>) => Promise<void>;
  /** Leaves nothing behind; does nothing once it is written. */
  discard: () => Promise<void>;
}

const REASONS: Record<string, string> = {
  ENOENT: "its folder does not exist",
  EACCES: "no permission",
  EPERM: "no permission",
  EROFS: "the file system is read-only",
  EISDIR: "it is a folder",
  ENOTDIR: "part of its path is no folder",
  ENOSPC: "the disk is full",
};

function cannotWrite(option: string, name: string, error: unknown): UsageError {
  return new UsageError(`${option} ${name}: cannot be written, ${REASONS[codeOf(error)] ?? String(error)}.`);
}

/** Throws UsageError when nothing can be written there. */
export async function openReportFile(option: string, name: string): Promise<ReportFile> {
  const path = resolve(name);
  try {
    const existing = await stat(path).catch(() => null);
    if (existing?.isDirectory()) throw Object.assign(new Error("folder"), { code: "EISDIR" });
    if (existing) await access(path, constants.W_OK);
    // A pipe or a device cannot be replaced, only written to.
    if (existing && !existing.isFile()) return await direct(path, name);
    return await whole(path, name);
  } catch (error) {
    throw cannotWrite(option, name, error);
  }
}

async function direct(path: string, name: string): Promise<ReportFile> {
  const handle = await open(path, "w");
  let closed = false;
  const discard = async (): Promise<void> => {
    if (!closed) await handle.close();
    closed = true;
  };
  return {
    name,
    write: async (text) => {
      await handle.writeFile(text);
      await discard();
    },
    discard,
  };
}

async function whole(path: string, name: string): Promise<ReportFile> {
  const part = `${path}.${process.pid}.part`;
  await stat(dirname(path));
  const handle = await open(part, "wx");
  let done = false;
  const discard = async (): Promise<void> => {
    if (done) return;
    done = true;
    await handle.close();
    await rm(part, { force: true });
  };
  return {
    name,
    write: async (text) => {
      try {
        await handle.writeFile(text);
        await handle.close();
        done = true;
        await rename(part, path);
      } catch (error) {
        await discard();
        throw error;
      }
    },
    discard,
  };
}
