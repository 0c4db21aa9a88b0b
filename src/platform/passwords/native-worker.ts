/** A worker of `threads.ts` that derives tags in native code. */

import { deriveNatively } from "./native-derive.ts";
import { serveJobs } from "./serve-jobs.ts";

serveJobs(deriveNatively);
