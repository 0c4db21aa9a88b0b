/** A worker of `threads.ts`, with native code. */

import { deriveNatively } from "./native-derive.ts";
import { serveJobs } from "./serve-jobs.ts";

serveJobs(deriveNatively);
