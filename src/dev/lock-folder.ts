import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Locks a folder, so that only one `bun run dev` uses it. Returns a function that releases the lock. Replaces a
 * stale lock, whose process has ended, or whose process id now belongs to another program.
 * @throws if another `bun run dev` uses the folder
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, "dev.pid");
  const pid = Number(await readFile(file, "utf8").catch(() => ""));
  if (pid > 0 && pid !== process.pid && (await isDev(pid))) {
    throw new Error(`bun run dev is already running here, as process ${pid}`);
  }
  await writeFile(file, String(process.pid));
  return () => rm(file, { force: true });
}

async function isDev(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => null);
  // Without /proc only the existence of the process can be checked, not its program.
  return command === null || command.includes("dev.ts");
}
