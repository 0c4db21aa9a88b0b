import { constants } from "node:fs";
import { access, type FileHandle, mkdir, open, rename, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Storage } from "./storage.ts";

/** Keys are made by this service, of names and ids: nothing that leads out of the directory. */
const KEY = /^[a-z]+(?:\/[0-9a-f-]{36})+$/;

/**
 * Files in a directory, in development a temporary one. A file appears under its name only when all of it is on the
 * disk, so that a crash leaves it whole or not there.
 */
export function localStorage(directory: string | null): Storage {
  const root = directory ?? join(tmpdir(), "multi-organization-service");
  const place = (key: string) => {
    if (!KEY.test(key)) throw new Error(`Not a storage key: ${key}`);
    const path = join(root, key);
    return { path, partial: `${path}.partial`, folder: dirname(path) };
  };

  return {
    async put(key, bytes) {
      const { path, partial, folder } = place(key);
      await mkdir(folder, { recursive: true });
      await withFile(await open(partial, "w", 0o600), async (file) => {
        await file.writeFile(bytes);
        await file.sync();
      });
      await rename(partial, path);
      // The name itself, too, has to get to the disk.
      await withFile(await open(folder, "r"), (names) => names.sync());
    },
    async get(key) {
      const file = Bun.file(place(key).path);
      return (await file.exists()) ? file.stream() : null;
    },
    async delete(key) {
      const { path, partial } = place(key);
      await Promise.all([remove(path), remove(partial)]);
    },
    async check() {
      await mkdir(root, { recursive: true });
      await access(root, constants.W_OK);
      return true;
    },
  };
}

/** Where a part of the path is no directory, there is no file either. `rm` does not tell the two apart from others. */
async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  });
}

async function withFile(file: FileHandle, work: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await work(file);
  } finally {
    await file.close();
  }
}
