/**
 * The cost of password hashes, and the interface of a hash engine. An engine only derives tags. `hasher.ts` writes,
 * parses and compares the stored strings, so that engines cannot disagree about them.
 */

/** The cost of one argon2 derivation: memory in KiB, passes over the memory, parallel lanes. */
export interface Argon2Cost {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly lanes: number;
}

/** The input of one argon2id (version 19) derivation. The password is UTF-8 and at least one byte long. */
export interface Argon2Job {
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  readonly cost: Argon2Cost;
  readonly tagBytes: number;
}

/** Derives tags from passwords, off the event loop. */
export interface Argon2Engine {
  /**
   * Derives the tag of a job. Rejects if the engine fails, for example because of missing memory or a dead worker.
   */
  derive(job: Argon2Job): Promise<Uint8Array>;
}

/**
 * The cost of new hashes. Source: OWASP Password Storage Cheat Sheet, argon2id with 19 MiB, two passes and one lane.
 */
export const standardCost: Argon2Cost = { memoryKiB: 19_456, passes: 2, lanes: 1 };
export const saltBytes = 16;
export const tagBytes = 32;
