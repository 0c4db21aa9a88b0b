/** A worker of `threads.ts`, with WebAssembly. */
import { serveJobs } from "./serve-jobs.ts";
import { deriveInWasm } from "./wasm-derive.ts";

serveJobs(deriveInWasm);
