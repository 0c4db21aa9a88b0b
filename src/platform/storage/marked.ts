import type { Storage } from "./storage.ts";

/** Records in the database whether the marker object was written to the storage. */
export interface MarkerRecord {
  find(): Promise<{ id: string; isMarked: boolean }>;
  confirm(): Promise<unknown>;
}

export type MarkableStorage = Storage & { has(key: string): Promise<boolean> };

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
 * below a volume that is not mounted. Nothing is written to a wrong storage, and a missing file is an error instead
 * of a 404.
 * @param isFolder whether the storage may be replaced while the service runs, so that the marker is checked at each
 * write
 */
export function markedStorage(
  storage: MarkableStorage,
  record: MarkerRecord,
  { isFolder }: { isFolder: boolean },
): Storage {
  let key: string | null = null;

  async function keyOfMarker(): Promise<string> {
    const { id, isMarked } = await record.find();
    if (!isMarked) await mark(storage, record);
    return markerKey(id);
  }

  /** Checks the marker. @throws Error if this is not the storage of the database */
  async function assertMarked(): Promise<void> {
    key ??= await keyOfMarker();
    if (await storage.has(key)) return;
    throw new Error(
      `The storage has no object ${key}, so it is not the one of this database: is its volume mounted? See docs/operate/configuration.md, "Storage"`,
    );
  }

  return {
    async put(name, bytes, contentType) {
      if (isFolder) await assertMarked();
      await storage.put(name, bytes, contentType);
    },
    async get(name) {
      const stream = await storage.get(name);
      if (stream === null) await assertMarked();
      return stream;
    },
    async delete(name) {
      if (isFolder) await assertMarked();
      await storage.delete(name);
    },
    async check() {
      await assertMarked();
      return storage.check();
    },
  };
}
