/** A thread of `threads.ts`, in WebAssembly. */
import { answerJobs } from "./answer-jobs.ts";
import { deriveInWasm } from "./wasm-derive.ts";

answerJobs(deriveInWasm);
