import { hashRaw } from "@node-rs/argon2";
import type { Argon2Engine } from "./argon2.ts";

/** Argon2 in machine code, on the runtime's threads. Importing this throws where no binary fits. */
export const nativeEngine: Argon2Engine = {
  name: "native",
  derive: ({ password, salt, cost, tagBytes }) =>
    hashRaw(password, {
      algorithm: argon2id,
      version: version19,
      memoryCost: cost.memoryKiB,
      timeCost: cost.passes,
      parallelism: cost.lanes,
      outputLen: tagBytes,
      salt,
    }),
};

// The package declares these as constant enums, which a module compiled on its own cannot read.
const argon2id = 2;
const version19 = 1;
