import { type CountedWorker, workerCalls } from "../worker-calls.ts";
import type { Argon2Engine, Argon2Job } from "./argon2.ts";
import { hashConcurrency } from "./priority.ts";

/**
 * Creates the hash engine of native code.
 * @throws if there is no binary for the platform
 */
export async function loadEngine(): Promise<Argon2Engine> {
  // Loaded here too, so that a missing binary is noticed at the start: threads start at the first sign-in.
  await import("./native-derive.ts");
  return threadedEngine(() => new Worker(new URL("native-worker.ts", import.meta.url)));
}

/**
 * Runs argon2 on worker threads. A thread is started when a job finds all others busy, up to `max`, because each
 * thread takes about 5 MB; further jobs are queued. A failed job is retried once, on a new thread, because its
 * thread may have died.
 */
export function threadedEngine(start: () => CountedWorker, max = hashConcurrency()): Argon2Engine {
  const threads: { jobs: number; call: (job: Argon2Job) => Promise<Uint8Array> }[] = [];

  /** Returns an idle thread, a new one, or the one with the fewest jobs. */
  function next() {
    const quietest = threads.toSorted((one, other) => one.jobs - other.jobs)[0];
    if (quietest?.jobs === 0 || (quietest && threads.length >= max)) return quietest;
    const started = { jobs: 0, call: workerCalls<Argon2Job, Uint8Array>("Argon2", start) };
    threads.push(started);
    return started;
  }

  return {
    async derive(job) {
      const thread = next();
      thread.jobs += 1;
      try {
        return await thread.call(job).catch(() => thread.call(job));
      } finally {
        thread.jobs -= 1;
      }
    },
  };
}
