import { serviceUnavailable } from "../errors.ts";
import type { Storage } from "./storage.ts";

/** Records in the database whether the marker object was written to the storage. */
export interface MarkerRecord {
  find(): Promise<{ id: string; isMarked: boolean }>;
  confirm(): Promise<unknown>;
}

export type MarkableStorage = Storage & { has(key: string): Promise<boolean> };

/** How long a bucket that has the marker counts as the right one. A bucket is hardly ever emptied while it is used. */
export const BUCKET_REMEMBERED_MS = 10_000;

const MARK = new TextEncoder().encode(
  "The storage of a database: see storage_marker there. Do not delete.\n",
);

/** Returns the key of the marker object in the storage of a database. */
export const markerKey = (id: string) => `installation/${id}`;

/** Writes the marker object, and then records in the database that it was written. */
export async function mark(storage: Storage, record: MarkerRecord): Promise<void> {
  const { id } = await record.find();
  await storage.put(markerKey(id), MARK, "text/plain");
  await record.confirm();
}

/**
 * Wraps the storage, and checks by a marker object that it is the storage of this database. The first use of a new
 * installation writes the marker. Later, a storage without the marker is a wrong one, such as the empty folder
 * below a volume that is not mounted, or the bucket of another installation. Nothing is written to a wrong storage or
 * deleted from it, and a missing file is an error instead of a 404.
 * @param rememberMs how long a marker that was found is not looked for again: 0 for a folder, which can be replaced
 * at any time
 */
export function markedStorage(
  storage: MarkableStorage,
  record: MarkerRecord,
  { rememberMs }: { rememberMs: number },
): Storage {
  let key: string | null = null;
  let markedUntil = Number.NEGATIVE_INFINITY;

  async function keyOfMarker(): Promise<string> {
    const { id, isMarked } = await record.find();
    if (!isMarked) await mark(storage, record);
    return markerKey(id);
  }

  /** Looks for the marker. @throws Error if this is not the storage of the database */
  async function assertMarked(): Promise<void> {
    key ??= await keyOfMarker();
    const isMarked = await storage.has(key);
    markedUntil = isMarked ? performance.now() + rememberMs : Number.NEGATIVE_INFINITY;
    if (!isMarked) throw new WrongStorage(key);
  }

  /** @throws serviceUnavailable if this is not the storage of the database; errors of the storage */
  async function assertWritable(): Promise<void> {
    if (performance.now() < markedUntil) return;
    try {
      await assertMarked();
    } catch (error) {
      throw error instanceof WrongStorage ? serviceUnavailable(error) : error;
    }
  }

  return {
    async put(name, bytes, contentType) {
      await assertWritable();
      await storage.put(name, bytes, contentType);
    },
    async get(name, size) {
      const stream = await storage.get(name, size);
      if (stream === null) await assertMarked();
      return stream;
    },
    async delete(name) {
      await assertWritable();
      await storage.delete(name);
    },
    async check() {
      await assertMarked();
      return storage.check();
    },
  };
}

class WrongStorage extends Error {
  constructor(key: string) {
    super(
      `The storage has no object ${key}, so it is not the one of this database: is its volume mounted, or S3_BUCKET wrong? See docs/operate/configuration.md, "Storage"`,
    );
  }
}
