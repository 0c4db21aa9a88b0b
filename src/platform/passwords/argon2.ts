/**
 * The cost of password hashes, and the interface of an engine. An engine only derives tags: the stored string is
 * written, parsed and compared in `hasher.ts`, so that engines cannot disagree about it.
 */

/** The cost of one derivation: memory in KiB, passes over it, parallel lanes. */
export interface Argon2Cost {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly lanes: number;
}

/** One argon2id (version 19) derivation. The password is UTF-8 and at least one byte long. */
export interface Argon2Job {
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  readonly cost: Argon2Cost;
  readonly tagBytes: number;
}

/** Derives tags off the event loop. */
export interface Argon2Engine {
  /** The name of the engine, for the log. */
  readonly name: "native" | "wasm";
  /** Derives the tag of a job. Rejects if the engine fails: no memory, a dead worker. */
  derive(job: Argon2Job): Promise<Uint8Array>;
}

/**
 * The cost of new hashes. Source: OWASP Password Storage Cheat Sheet, argon2id with 19 MiB, two passes and one lane.
 */
export const standardCost: Argon2Cost = { memoryKiB: 19_456, passes: 2, lanes: 1 };
export const saltBytes = 16;
export const tagBytes = 32;
