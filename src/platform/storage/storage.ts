/** The storage of files. Files are never public; they are served only through the API. */
export interface Storage {
  /** Stores a file atomically; replaces an existing one. */
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /**
   * Returns the file as a stream; null if it does not exist. The stream fails if the storage sends more than `size`
   * bytes, or too slowly.
   */
  get(key: string, size: number): Promise<ReadableStream<Uint8Array> | null>;
  /** Deletes a file, and the remains of an interrupted `put` of it. Does nothing if the file does not exist. */
  delete(key: string): Promise<void>;
  /** Checks that files can be written. @throws the reason if not */
  check(): Promise<true>;
}

/** A storage that can list its files, for the comparison with the database after a restore. */
export interface ListableStorage extends Storage {
  has(key: string): Promise<boolean>;
  /**
   * Lists, in small batches, the files whose keys have this prefix, and the remains of interrupted `put`s of other
   * files.
   */
  list(prefix: string): AsyncIterable<StoredFile[]>;
}

/** A file in the storage. */
export type StoredFile = { key: string; modifiedAt: Date };
