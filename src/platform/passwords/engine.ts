import type { Argon2Engine } from "./argon2.ts";
import { threadedEngine } from "./threads.ts";

/** Creates a hash engine of native code, on threads. */
export const nativeEngine = (): Argon2Engine =>
  threadedEngine("native", () => new Worker(new URL("native-worker.ts", import.meta.url)));

/** Creates a hash engine of WebAssembly, on threads, for platforms without a native binary. */
export const wasmEngine = (): Argon2Engine =>
  threadedEngine("wasm", () => new Worker(new URL("wasm-worker.ts", import.meta.url)));

/**
 * Returns the native hash engine if its binary loads; otherwise the WebAssembly engine. The binary throws on
 * platforms that it was not built for.
 */
export async function loadEngine(): Promise<Argon2Engine> {
  try {
    await import("./native-derive.ts");
    return nativeEngine();
  } catch {
    return wasmEngine();
  }
}
