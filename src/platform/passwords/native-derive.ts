import { hashRawSync } from "@node-rs/argon2";
import type { Argon2Job } from "./argon2.ts";

/**
 * Derives a tag in native code. Blocks the thread on which it runs. Importing this module throws if there is no
 * binary for the platform.
 */
export function deriveNatively({ password, salt, cost, tagBytes }: Argon2Job): Uint8Array {
  return hashRawSync(password, {
    algorithm: argon2id,
    version: version19,
    memoryCost: cost.memoryKiB,
    timeCost: cost.passes,
    parallelism: cost.lanes,
    outputLen: tagBytes,
    salt,
  });
}

// The argon2 package declares these constants as const enums, which are not available in a module that is compiled
// separately.
const argon2id = 2;
const version19 = 1;
