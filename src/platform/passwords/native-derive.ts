import { hashRawSync } from "@node-rs/argon2";
import type { Argon2Job } from "./argon2.ts";

/** One derivation in machine code. It holds up the thread that it runs on. Importing this throws where no binary fits. */
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

// The package declares these as constant enums, which a module compiled on its own cannot read.
const argon2id = 2;
const version19 = 1;
