import setUp, { type computeHash } from "argon2id/lib/setup.js";
import type { Argon2Job } from "./argon2.ts";

/**
 * The minimum length of passwords in the argon2id package. No account has a shorter password (rules 4.4), so a
 * shorter one never matches.
 */
const LEAST_PASSWORD_BYTES = 8;

/**
 * Derives a tag with a compiled module of the `argon2id` package, for runtimes in which a process must not compile
 * WebAssembly itself. Blocks the thread on which it runs.
 */
export function precompiledDerive(module: WebAssembly.Module): (job: Argon2Job) => Promise<Uint8Array> {
  let loading: Promise<computeHash> | null = null;
  const instantiate = async (imports: Bun.WebAssembly.Imports) => ({
    module,
    instance: new WebAssembly.Instance(module, imports),
  });

  return async ({ password, salt, cost, tagBytes }) => {
    // The WebAssembly module is instantiated on first use, because an instance takes memory. It is then kept,
    // because the runtime does not release that memory soon.
    loading ??= setUp(instantiate, instantiate);
    const derive = await loading;
    return derive({
      password:
        password.length < LEAST_PASSWORD_BYTES ? crypto.getRandomValues(new Uint8Array(32)) : password,
      salt,
      memorySize: cost.memoryKiB,
      passes: cost.passes,
      parallelism: cost.lanes,
      tagLength: tagBytes,
    });
  };
}
