import setUp, { type computeHash } from "argon2id/lib/setup.js";
import type { Argon2Job } from "./argon2.ts";

/** The package refuses shorter passwords. No account has one (rules 4.4), so none of them may match anything. */
const LEAST_PASSWORD_BYTES = 8;

/**
 * Derives with a compiled module of the `argon2id` package, where a process may not compile WebAssembly itself. It blocks
 * the thread that it runs on.
 */
export function precompiledDerive(module: WebAssembly.Module): (job: Argon2Job) => Promise<Uint8Array> {
  let loading: Promise<computeHash> | null = null;
  const instantiate = async (imports: Bun.WebAssembly.Imports) => ({
    module,
    instance: new WebAssembly.Instance(module, imports),
  });

  return async ({ password, salt, cost, tagBytes }) => {
    // Only when it is needed, because it takes memory, and kept, because that is not given back soon.
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
