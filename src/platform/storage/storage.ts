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
