/**
 * What a password hash costs to make, and the one thing an engine does. An engine only derives: the
 * stored string is written, read and compared in `hasher.ts`, so the engines cannot disagree about it.
 */

/** The cost of one derivation: memory in KiB, passes over it, lanes that could be filled side by side. */
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
  /** Which one it is, for the log. */
  readonly name: "native" | "wasm";
  /** The tag of a job. Rejects when the engine fails: no memory, a dead worker. */
  derive(job: Argon2Job): Promise<Uint8Array>;
}

/**
 * What new hashes cost. Source: OWASP Password Storage Cheat Sheet, argon2id with 19 MiB, two passes and
 * one lane.
 */
export const standardCost: Argon2Cost = { memoryKiB: 19_456, passes: 2, lanes: 1 };
export const saltBytes = 16;
export const tagBytes = 32;
