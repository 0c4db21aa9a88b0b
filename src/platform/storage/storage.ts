import type { StorageConfig } from "./config.ts";

/** Where files lie. Never public: whoever may read one gets it through the API. */
export interface Storage {
  /** Stores a file whole or not at all; one that is there already is replaced. */
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>;
  /** The file, read as it is sent on; null where there is none. */
  get(key: string): Promise<ReadableStream<Uint8Array> | null>;
  /** Deletes a file, and what an interrupted `put` left of it. None there is fine. */
  delete(key: string): Promise<void>;
  /** Whether files could be written now. @throws what stands in the way */
  check(): Promise<true>;
}

/** The storage that the configuration names. The S3 client takes more than ten megabytes, so it is loaded where it is used. */
export async function openStorage({ driver, directory, s3 }: StorageConfig): Promise<Storage> {
  if (driver === "local") {
    const { localStorage } = await import("./local.ts");
    return localStorage(directory);
  }
  const { s3Storage } = await import("./s3.ts");
  return s3Storage(s3);
}
