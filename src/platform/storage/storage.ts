/** Stores files. They are never public, and are served only through the API. */
export interface Storage {
  /** Stores a file atomically; replaces an existing one. */
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** The file as a stream; null if there is none. */
  get(key: string): Promise<ReadableStream<Uint8Array> | null>;
  /** Deletes a file, and what an interrupted `put` left of it. Does nothing if there is none. */
  delete(key: string): Promise<void>;
  /** Checks that files can be written. @throws the reason if not */
  check(): Promise<true>;
}

/** A storage that tells what is in it, for the comparison with the database after a restore. */
export interface ListableStorage extends Storage {
  has(key: string): Promise<boolean>;
  /** Lists the files whose keys begin so, and what interrupted `put`s left of others, in small batches. */
  list(prefix: string): AsyncIterable<StoredFile[]>;
}

/** A file in the storage. */
export type StoredFile = { key: string; modifiedAt: Date };
