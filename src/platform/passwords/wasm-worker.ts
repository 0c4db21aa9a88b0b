/** A thread of `threads.ts`, in WebAssembly. */
import { serveJobs } from "./serve-jobs.ts";
import { deriveInWasm } from "./wasm-derive.ts";

serveJobs(deriveInWasm);
