import { type CountedWorker, workerCalls } from "../worker-calls.ts";
import type { Argon2Engine, Argon2Job } from "./argon2.ts";

/**
 * Argon2 in WebAssembly, for platforms without a native binary. One worker derives everything, so a gate wider
 * than 1 gains nothing here.
 */
export function createWasmEngine(start: () => CountedWorker = startWorker): Argon2Engine {
  const call = workerCalls<Argon2Job, Uint8Array>("Argon2", start);
  return { name: "wasm", derive: (job) => call(job) };
}

function startWorker(): CountedWorker {
  return new Worker(new URL("./wasm-worker.ts", import.meta.url));
}
