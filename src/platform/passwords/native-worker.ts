/** A thread of `threads.ts`, on machine code. */
import { answerJobs } from "./answer-jobs.ts";
import { deriveNatively } from "./native-derive.ts";

answerJobs(deriveNatively);
