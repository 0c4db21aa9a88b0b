/** A worker of `threads.ts` that derives tags in WebAssembly, at low thread priority. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { serveTasks } from "../worker-calls.ts";
import { precompiledDerive } from "./precompiled-derive.ts";
import { lowerThreadPriority } from "./priority.ts";

lowerThreadPriority();
const file = fileURLToPath(import.meta.resolve("argon2id/dist/simd.wasm"));
serveTasks(precompiledDerive(new WebAssembly.Module(readFileSync(file))));
