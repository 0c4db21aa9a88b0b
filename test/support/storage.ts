import { afterAll } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a storage folder for one test file, which is removed after it. */
export async function ownStorage() {
  const folder = await mkdtemp(join(tmpdir(), "storage-test-"));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    folder,
    environment: { STORAGE_DRIVER: "local", STORAGE_DIR: folder },
    /** Returns the keys of all stored objects, including unfinished files but not the storage's marker and probes. */
    async keys(): Promise<string[]> {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .filter((key) => !/(^|\/)(installation\/|\.probe-)/.test(key))
        .sort();
    },
  };
}
