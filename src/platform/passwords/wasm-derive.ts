import { argon2id } from "hash-wasm";
import type { Argon2Job } from "./argon2.ts";

/** Derives a tag in WebAssembly. Blocks the thread on which it runs. */
export function deriveInWasm({ password, salt, cost, tagBytes }: Argon2Job): Promise<Uint8Array> {
  return argon2id({
    password,
    salt,
    memorySize: cost.memoryKiB,
    iterations: cost.passes,
    parallelism: cost.lanes,
    hashLength: tagBytes,
    outputType: "binary",
  });
}
