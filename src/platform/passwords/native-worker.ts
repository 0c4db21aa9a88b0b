/** A worker of `threads.ts` that derives tags in native code, at low thread priority. */
import { serveTasks } from "../worker-calls.ts";
import { deriveNatively } from "./native-derive.ts";
import { lowerThreadPriority } from "./priority.ts";

lowerThreadPriority();
serveTasks(deriveNatively);
