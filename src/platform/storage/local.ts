import { constants } from "node:fs";
import { access, type FileHandle, mkdir, open, opendir, rename, stat, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { ListableStorage, StoredFile } from "./storage.ts";

/**
 * Matches the keys of stored files. The service generates keys from names and ids, so they cannot lead out of the
 * directory.
 */
const KEY = /^[a-z]+(?:\/[0-9a-f-]{36})+$/;

const LIST_BATCH = 1_000;
/** The content of the probe file: a whole block, so that writing it fails on a full disk. */
const PROBE = new Uint8Array(4096);

export const localDirectory = (configured: string | null) =>
  configured ?? join(tmpdir(), "multi-organization-service");

/**
 * Stores files in a directory, in development a temporary one. A file appears under its name only when it is
 * completely written to disk, so that a crash leaves a complete file or none.
 */
export function localStorage(directory: string | null): ListableStorage {
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
      // If two instances write the same file at the same time, such as the marker, the first one has renamed it.
      const isRenamed = await unlessAbsent(rename(partial, path).then(() => true));
      if (!isRenamed) await access(path);
      // The directory entries of the file and its new folders must be synced to disk as well.
      await syncNames(folder, root);
    },
    async get(key) {
      const { path } = place(key);
      const exists = await unlessAbsent(access(path, constants.R_OK).then(() => true));
      return exists ? Bun.file(path).stream() : null;
    },
    async delete(key) {
      const { path, partial } = place(key);
      await Promise.all([unlessAbsent(unlink(path)), unlessAbsent(unlink(partial))]);
    },
    async has(key) {
      // A folder that vanished is a failure, and not a storage without this file.
      await access(root);
      return (await unlessAbsent(access(place(key).path).then(() => true))) ?? false;
    },
    async *list(prefix) {
      let batch: StoredFile[] = [];
      for await (const path of filesBelow(join(root, dirname(`${prefix}.`)))) {
        const key = path.slice(root.length + 1).replace(/\.partial$/, "");
        const found = KEY.test(key) && key.startsWith(prefix) ? await unlessAbsent(stat(path)) : null;
        if (found !== null) batch.push({ key, modifiedAt: found.mtime });
        if (batch.length < LIST_BATCH) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    },
    async check() {
      // The probe has a random name, because another instance may write its own probe at the same time.
      const probe = join(root, `.probe-${crypto.randomUUID()}`);
      await makeRoot();
      try {
        await withFile(await open(probe, "wx", 0o600), async (file) => {
          await file.writeFile(PROBE);
          await file.sync();
        });
      } finally {
        await unlessAbsent(unlink(probe));
      }
      return true;
    },
  };
}

/** Lists the paths of all files in a folder and its subfolders; empty if the folder does not exist. */
async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await unlessAbsent(opendir(folder));
  if (entries === null) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

/** Opens a file. Returns null if it is missing, or if a part of its path is not a directory. Throws other errors. */
async function unlessAbsent<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw error;
  });
}

/** Syncs the directory entries of a folder, and of its parents up to the given one, to disk. */
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
