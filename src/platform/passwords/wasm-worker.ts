/** A worker of `threads.ts` that derives tags in WebAssembly. */
import { serveJobs } from "./serve-jobs.ts";
import { deriveInWasm } from "./wasm-derive.ts";

serveJobs(deriveInWasm);
