/** A worker of `threads.ts` that derives tags in WebAssembly. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { precompiledDerive } from "./precompiled-derive.ts";
import { serveJobs } from "./serve-jobs.ts";

const file = fileURLToPath(import.meta.resolve("argon2id/dist/simd.wasm"));
serveJobs(precompiledDerive(new WebAssembly.Module(readFileSync(file))));
