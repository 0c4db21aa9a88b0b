import { constants } from "node:fs";
import { access, type FileHandle, mkdir, open, rename, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Storage } from "./storage.ts";

/** Keys are made by this service, of names and ids: nothing that leads out of the directory. */
const KEY = /^[a-z]+(?:\/[0-9a-f-]{36})+$/;

export const localDirectory = (configured: string | null) =>
  configured ?? join(tmpdir(), "multi-organization-service");

/**
 * Files in a directory, in development a temporary one. A file appears under its name only when all of it is on the
 * disk, so that a crash leaves it whole or not there.
 */
export function localStorage(directory: string | null): Storage {
  const root = resolve(localDirectory(directory));
  const makeRoot = async () => {
    const first = await mkdir(root, { recursive: true });
    if (first !== undefined) await syncNames(dirname(root), dirname(first));
  };
  const place = (key: string) => {
    if (!KEY.test(key)) throw new Error(`Not a storage key: ${key}`);
    const path = join(root, key);
    return { path, partial: `${path}.partial`, folder: dirname(path) };
  };

  return {
    async put(key, bytes) {
      const { path, partial, folder } = place(key);
      await makeRoot();
      await mkdir(folder, { recursive: true });
      await withFile(await open(partial, "w", 0o600), async (file) => {
        await file.writeFile(bytes);
        await file.sync();
      });
      await rename(partial, path);
      // The name itself, too, has to get to the disk, and those of its folders, whichever upload makes them.
      await syncNames(folder, root);
    },
    async get(key) {
      const { path } = place(key);
      const isThere = await unlessAbsent(access(path, constants.R_OK).then(() => true));
      return isThere ? Bun.file(path).stream() : null;
    },
    async delete(key) {
      const { path, partial } = place(key);
      await Promise.all([unlessAbsent(unlink(path)), unlessAbsent(unlink(partial))]);
    },
    async check() {
      await makeRoot();
      await access(root, constants.W_OK);
      return true;
    },
  };
}

/** Null for a file that is not there, also where a part of its path is no directory; other failures are failures. */
async function unlessAbsent<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw error;
  });
}

/** Gets to the disk which names there are in a folder, and in those above it up to another one. */
async function syncNames(folder: string, upTo: string): Promise<void> {
  for (let place = folder; ; place = dirname(place)) {
    await withFile(await open(place, "r"), (names) => names.sync());
    if (place === upTo || place === dirname(place)) return;
  }
}

async function withFile(file: FileHandle, work: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await work(file);
  } finally {
    await file.close();
  }
}
