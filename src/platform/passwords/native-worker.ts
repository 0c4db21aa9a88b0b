/** A thread of `threads.ts`, on machine code. */

import { deriveNatively } from "./native-derive.ts";
import { serveJobs } from "./serve-jobs.ts";

serveJobs(deriveNatively);
