import type { Argon2Engine } from "./argon2.ts";

/**
 * The native engine where its binary loads, else the one in WebAssembly. Neither is loaded before it is
 * chosen: the first throws on platforms it was not built for.
 */
export async function loadEngine(): Promise<Argon2Engine> {
  try {
    const { nativeEngine } = await import("./native.ts");
    return nativeEngine;
  } catch {
    const { createWasmEngine } = await import("./wasm.ts");
    return createWasmEngine();
  }
}
