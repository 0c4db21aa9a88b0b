import type { WorkerReply, WorkerRequest } from "../worker-calls.ts";
import type { Argon2Job } from "./argon2.ts";
import { lowerThreadPriority } from "./priority.ts";

declare const self: Worker;

/** Serves this worker's derivation jobs one after the other, at low thread priority. */
export function serveJobs(derive: (job: Argon2Job) => Uint8Array | Promise<Uint8Array>): void {
  lowerThreadPriority();
  // Each derivation allocates its own memory, so derivations run one at a time.
  let previous: Promise<void> = Promise.resolve();
  self.onmessage = ({ data: { id, task } }: MessageEvent<WorkerRequest<Argon2Job>>) => {
    previous = previous.then(async () => self.postMessage(await reply(id, task)));
  };

  async function reply(id: number, job: Argon2Job): Promise<WorkerReply<Uint8Array>> {
    try {
      return { id, result: await derive(job) };
    } catch (error) {
      return { id, error: String(error) };
    }
  }
}
